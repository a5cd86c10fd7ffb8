"""What a channel talks to: it takes messages over and shows what became of them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from typing import Final

from bot.contracts.channel import Accepted
from bot.contracts.events import Bus, Event
from bot.contracts.inbound import ConversationKey, Inbound
from bot.contracts.store import Cursor, Ledger, Line, Records, TurnQuery, TurnRecord
from bot.contracts.turn import TurnId, TurnState
from bot.kernel.intake import Intake

_OPEN: Final = (TurnState.WAITING, TurnState.RUNNING)


class KernelGateway:
    """The `Gateway` of the kernel."""

    def __init__(self, intake: Intake, ledger: Ledger, records: Records, bus: Bus) -> None:
        self._intake = intake
        self._ledger = ledger
        self._records = records
        self._bus = bus

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> Sequence[Accepted]:
        """Take messages over, all or none; in order; once each."""
        return await self._intake.receive(*inbounds, cursor=cursor)

    async def cursor(self, key: str) -> int | None:
        """Return where a channel stopped listening."""
        record = await self._records.get(f"cursor:{key}")
        return None if record is None else int(record.value)

    async def lines(
        self, conversation: ConversationKey, *, after: int, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines after line *after*, in order."""
        return await self._ledger.after(conversation, after, limit=limit)

    async def open_turns(self, conversation: ConversationKey) -> Sequence[TurnRecord]:
        """Return the turns of the conversation that wait or run, oldest first."""
        query = TurnQuery(conversation=conversation, states=_OPEN)
        return list(reversed(await self._ledger.turns(query)))

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        """Return all that is known of one turn."""
        return await self._ledger.turn(turn_id)

    def follow(self, conversation: ConversationKey) -> AbstractContextManager[AsyncIterator[Event]]:
        """Listen to the news of one conversation."""
        return self._bus.follow(conversation)
