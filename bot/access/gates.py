"""What an owner was told of messages that a rule kept back: once for each place and rule."""

from typing import Final

from bot.contracts.inbound import Inbound
from bot.contracts.store import Records

_PREFIX: Final = "gate:"


class ToldOfGates:
    """Remembers it. Whoever crashes in between tells it twice rather than never."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._telling: set[str] = set()

    async def is_news(self, inbound: Inbound, reason: str) -> bool:
        """Whether the owner was not told of this yet, and nobody is just telling it."""
        key = _key(inbound, reason)
        if key in self._telling:
            return False
        self._telling.add(key)
        return await self._records.get(key) is None

    async def told(self, inbound: Inbound, reason: str) -> None:
        """Note that it is on its way."""
        await self._records.swap(_key(inbound, reason), b"", version=0)

    def not_told(self, inbound: Inbound, reason: str) -> None:
        """Note that it could not be recorded after all."""
        self._telling.discard(_key(inbound, reason))


def _key(inbound: Inbound, reason: str) -> str:
    where = inbound.conversation_key
    return f"{_PREFIX}{where.channel}:{where.account}:{where.conversation_id}:{reason}"
