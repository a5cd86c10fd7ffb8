"""A transcript in memory, for the agent alone."""

from collections.abc import Sequence

from bot.contracts.errors import LeaseLost
from bot.contracts.messages import AssistantMessage
from bot.contracts.session import SessionKey
from bot.contracts.transcript import Entry, Recorded, Unanswered
from bot.contracts.turn import Turn, TurnId
from tests.doubles.clock import START


class MemoryTranscripts:
    """Keeps entries in order; `lose` makes it refuse a worker that lost its lease."""

    def __init__(self) -> None:
        self.recorded: list[Recorded] = []
        self.lost = False
        self.charged: list[AssistantMessage | Unanswered] = []
        """What was counted without a line in the transcript."""

    def record(self, turn_id: TurnId, *entries: Entry, attempt: int = 1) -> Sequence[Recorded]:
        added = [
            Recorded(
                seq=len(self.recorded) + number,
                turn_id=turn_id,
                attempt=attempt,
                at=START,
                entry=entry,
            )
            for number, entry in enumerate(entries, start=1)
        ]
        self.recorded += added
        return added

    def entries(self) -> list[Entry]:
        return [r.entry for r in self.recorded]

    async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
        if self.lost:
            raise LeaseLost("it was lost")
        return self.record(turn.id, *entries, attempt=turn.attempt)

    async def charge(self, turn: Turn, paid: AssistantMessage | Unanswered) -> None:
        del turn
        self.charged.append(paid)

    async def read(self, session_key: SessionKey, *, after: int = 0) -> Sequence[Recorded]:
        del session_key
        return [r for r in self.recorded if r.seq > after]

    async def recent(self, session_key: SessionKey) -> Sequence[Recorded]:
        return await self.read(session_key)
