"""What a channel talks to: it takes messages over and shows what became of them."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from bot.contracts.approval import Approval
from bot.contracts.channel import Accepted, CallMade, Remark
from bot.contracts.events import Bus, Event, TurnEnded
from bot.contracts.inbound import ConversationKey, Inbound, Source
from bot.contracts.ledger import Found, Line, Listed, TurnQuery, TurnRecord
from bot.contracts.messages import ToolCall
from bot.contracts.store import Cursor, Store
from bot.contracts.turn import OutcomeKind, TurnId, TurnState
from bot.contracts.waiting import Waited, WaitFor
from bot.kernel.steps import steps_of
from bot.kernel.waiting import Waits

_OPEN: Final = (TurnState.WAITING, TurnState.RUNNING)


class TakesOver(Protocol):
    """What takes messages over: an `Intake`, or whatever knows which one is meant now."""

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> Sequence[Accepted]:
        """Take messages over, all or none; in order; once each."""
        ...


class KernelGateway:
    """The `Gateway` of the kernel."""

    def __init__(
        self,
        intake: TakesOver,
        store: Store,
        bus: Bus,
        summary_of: Callable[[ToolCall], str],
        waits: Waits,
    ) -> None:
        self._intake = intake
        self._store = store
        self._bus = bus
        self._summary_of = summary_of
        self._waits = waits

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> Sequence[Accepted]:
        """Take messages over, all or none; in order; once each."""
        return await self._intake.receive(*inbounds, cursor=cursor)

    async def accepted(self, conversation: ConversationKey, source: Source) -> Accepted | None:
        """Return what `receive` said of a message before, or None if it was never taken over."""
        query = TurnQuery(conversation=conversation, source=source, limit=1)
        for record in await self._store.ledger.turns(query):
            turn = record.turn
            return Accepted(source=source, turn_id=turn.id, seq=turn.seq, duplicate=True)
        return None

    async def cursor(self, key: str) -> int | None:
        """Return where a channel stopped listening."""
        record = await self._store.records.get(f"cursor:{key}")
        return None if record is None else int(record.value)

    async def lines(
        self, conversation: ConversationKey, *, after: int, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines after line *after*, in order."""
        return await self._store.ledger.after(conversation, after, limit=limit)

    async def lines_before(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines before line *seq*, in order."""
        return await self._store.ledger.before(conversation, seq, limit=limit)

    async def steps(self, turn_id: TurnId) -> Sequence[Remark | CallMade]:
        """Return what a turn did on its way to its answer, in order."""
        return tuple(steps_of(await self._store.ledger.entries(turn_id), self._summary_of))

    async def question(self, code: str) -> Approval | None:
        """Return how a question stands, or None if there is none of that name (any more)."""
        return await self._store.approvals.get(code)

    async def conversations(self, place: ConversationKey, *, limit: int = 200) -> Sequence[Listed]:
        """Return the first conversation of *place* and its threads, what was last used first."""
        return await self._store.conversations.latest(place, limit=limit)

    async def conversation(self, conversation: ConversationKey) -> Listed | None:
        """Return what a list shows of one, or None if nothing stands in it."""
        return await self._store.conversations.get(conversation)

    async def search(
        self, place: ConversationKey, words: Sequence[str], *, limit: int = 50
    ) -> Sequence[Found]:
        """Return lines of *place* and its threads that hold every one of *words*, newest first."""
        return await self._store.conversations.search(place, words, limit=limit)

    async def rename(self, conversation: ConversationKey, title: str | None) -> bool:
        """Name a conversation, or take its name away; say whether there is such a one."""
        return await self._store.conversations.rename(conversation, title)

    async def forget(self, conversation: ConversationKey) -> None:
        """Stop what runs and waits in a conversation, and delete what was said in it."""
        for turn_id in await self._store.turns.forget(conversation):
            self._bus.publish(
                TurnEnded(
                    conversation=conversation,
                    turn_id=turn_id,
                    outcome=OutcomeKind.INTERRUPTED,
                    reason="deleted",
                )
            )

    async def open_turns(self, conversation: ConversationKey) -> Sequence[TurnRecord]:
        """Return the turns of the conversation that wait or run, oldest first."""
        query = TurnQuery(conversation=conversation, states=_OPEN)
        return list(reversed(await self._store.ledger.turns(query)))

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        """Return all that is known of one turn."""
        return await self._store.ledger.turn(turn_id)

    async def wait(
        self, turn_id: TurnId, timeout_seconds: float, until: WaitFor = WaitFor.ENDED
    ) -> Waited:
        """Return what is known of a turn once it is over, or after so many seconds."""
        return await self._waits.wait(turn_id, timeout_seconds, until)

    def follow(self, conversation: ConversationKey) -> AbstractContextManager[AsyncIterator[Event]]:
        """Listen to the news of one conversation."""
        return self._bus.follow(conversation)
