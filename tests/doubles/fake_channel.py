"""A channel that remembers what it was given, and fails as the test says."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from bot.contracts.channel import Capabilities, Gateway
from bot.contracts.delivery import OnUnknown, Receipt
from bot.contracts.document import Document
from bot.contracts.errors import ChannelError
from bot.contracts.reply import ReplyPayload, Target
from tests.doubles.clock import START


class PlainDialect:
    """Shows the paragraphs' text; takes any length."""

    def render(self, document: Document) -> str:
        return repr(document)

    def fits(self, document: Document) -> bool:
        del document
        return True


@dataclass
class FakeChannel:
    """Remembers sends. An outcome of the next send is an error, or None to take it."""

    name: str = "page"
    account: str = "default"
    capabilities: Capabilities = Capabilities(repeat=OnUnknown.REPEAT_ONCE)  # noqa: RUF009 - frozen
    dialect: PlainDialect = field(default_factory=PlainDialect)
    outcomes: deque[ChannelError | None] = field(default_factory=deque)
    shown: list[str] = field(default_factory=list)
    """What people see, in order: the texts the platform took."""
    nonces: list[str] = field(default_factory=list)
    holding: asyncio.Event | None = None
    sending: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, gateway: Gateway) -> None:
        del gateway
        await asyncio.Event().wait()

    async def send(self, target: Target, payload: ReplyPayload, *, nonce: str) -> Receipt:
        del target
        self.sending.set()
        if self.holding is not None:
            await self.holding.wait()
        outcome = self.outcomes.popleft() if self.outcomes else None
        if outcome is not None and type(outcome).__name__ != "SendUncertain":
            raise outcome
        self.shown.append(payload.fallback)
        self.nonces.append(nonce)
        if outcome is not None:
            raise outcome
        return Receipt(message_ids=(str(len(self.shown)),), at=START)

    async def close(self) -> None:
        pass
