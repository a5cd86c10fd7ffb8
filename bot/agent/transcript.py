"""One turn's view of its session: what is recorded, and the only way to record more."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from bot.contracts import faults
from bot.contracts.errors import LeaseLost
from bot.contracts.messages import AssistantMessage, ToolResult
from bot.contracts.store import Transcripts
from bot.contracts.transcript import CallStarted, Decided, Entry, Recorded, Unanswered
from bot.contracts.turn import Turn, Usage

_COMMIT_POINTS: Final[dict[type, str]] = {
    AssistantMessage: "model.commit",
    CallStarted: "tool.start",
    ToolResult: "tool.commit",
}


class LiveTranscript:
    """What a running turn knows. An entry is recorded before it has consequences.

    A message that asks for calls has none by itself, and so has the result of a pure call, which
    may be made again. They are seen at once and *held*: recorded soon, and never after what
    follows from them. One commit at a time: no result is written whose question failed to be.
    """

    def __init__(self, store: Transcripts, turn: Turn, recorded: Sequence[Recorded]) -> None:
        self._store = store
        self._turn = turn
        self._recorded = list(recorded)
        self._mine = [r.entry for r in recorded if r.turn_id == turn.id]
        self._unwritten: list[Entry] = []
        self._written = 0
        self._held = 0
        """How much of `_unwritten` is in the view, where it is the end."""
        self._writing = asyncio.Lock()

    @property
    def recorded(self) -> Sequence[Recorded]:
        """What the session remembers of late, in order, and what is held."""
        return self._recorded

    @property
    def of_this_turn(self) -> Sequence[Entry]:
        """What was said in this turn's name, by any of its attempts; it grows."""
        return self._mine

    def hold(self, entry: Entry) -> None:
        """Take *entry* into the view; it is recorded before whatever is kept next.

        It gets the place that its record will have, since nobody else writes to the session.
        """
        turn, last = self._turn, self._recorded[-1].seq if self._recorded else 0
        held = Recorded(
            seq=last + 1,
            turn_id=turn.id,
            attempt=turn.attempt,
            at=turn.arrival.received_at,
            entry=entry,
        )
        self._unwritten.append(entry)
        self.join([held])
        self._held += 1

    def hold_briefly(self, entry: Entry) -> None:
        """Take *entry* into the view, and begin to record it and all before it.

        Where that fails it is tried again with what is kept next, or by `flush`.
        """
        self.hold(entry)
        writing = asyncio.create_task(self._write(self._written + len(self._unwritten)))
        _beside.add(writing)
        writing.add_done_callback(_done_beside)

    async def keep(self, entry: Entry) -> None:
        """Record *entry*; only then is it part of the view.

        A cancellation waits until the commit is known, so that the view never
        misses what the record has.

        Raises:
            LeaseLost: the turn is somebody else's by now.
        """
        self._unwritten.append(entry)
        await to_the_end(self._write(self._written + len(self._unwritten)))

    async def flush(self, *, paid: AssistantMessage | None = None) -> None:
        """Return once all that is held is recorded.

        Where that fails, *paid*, which is not recorded yet, is counted all the same.

        Raises:
            LeaseLost: the turn is somebody else's by now.
        """
        if not self._unwritten:
            return
        try:
            await to_the_end(self._write(self._written + len(self._unwritten)))
        except BaseException:
            if paid is not None:
                await to_the_end(self._store.charge(self._turn, paid))
            raise

    async def _write(self, until: int) -> None:
        """See to it that so many entries are written; one commit takes along what has come."""
        async with self._writing:
            if self._written < until:
                await self._commit()

    async def _commit(self) -> None:
        entries, held = tuple(self._unwritten), self._held
        kinds = dict.fromkeys(map(type, entries))
        with faults.commit(*(_COMMIT_POINTS.get(kind, "model.commit") for kind in kinds)):
            try:
                added = await self._store.append(self._turn, *entries)
            except LeaseLost:
                await self._charge(entries)
                raise
        del self._unwritten[: len(entries)]
        self._written += len(entries)
        # In the view their records take the place of what was held; what was held since stays.
        at, mine_at = len(self._recorded) - self._held, len(self._mine) - self._held
        self._recorded[at : at + held] = added
        self._mine[mine_at : mine_at + held] = [r.entry for r in added]
        self._held -= held

    def join(self, added: Sequence[Recorded]) -> None:
        """Take in what the store has recorded in this turn's name, when nothing is held."""
        self._recorded += added
        self._mine += (r.entry for r in added)

    def usage(self) -> Usage:
        """Return what the turn has spent so far."""
        return usage_of(self._mine)

    async def keep_lost(self, lost: Unanswered) -> None:
        """Record what a call may have cost that brought no answer; it is counted in any case.

        Raises:
            StoreUnavailable: it could not be counted.
        """
        with suppress(LeaseLost):
            await self.keep(lost)

    async def _charge(self, entries: Sequence[Entry]) -> None:
        """Count what *entries* cost, which nobody will record any more."""
        del self._unwritten[: len(entries)]
        for entry in entries:
            if isinstance(entry, AssistantMessage | Unanswered):
                await self._store.charge(self._turn, entry)


def usage_of(entries: Iterable[Entry]) -> Usage:
    """Return what a turn with these *entries* has spent (pure)."""
    total = Usage()
    for entry in entries:
        if isinstance(entry, AssistantMessage):
            total += entry.usage
            total += Usage(model_calls=1, tool_calls=len(entry.tool_calls))
        elif isinstance(entry, Decided) and entry.is_approved:
            total += Usage(tool_calls=1)
        elif isinstance(entry, Unanswered):
            total += entry.usage
    return total


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Await *work* to its end; a cancellation goes on after that."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


_beside: Final[set["asyncio.Task[None]"]] = set()
"""Commits that nobody waits for yet; held so that they are not forgotten half-way."""


def _done_beside(writing: "asyncio.Task[None]") -> None:
    """Let go of it. What it raised is raised again by the next commit, which somebody awaits."""
    _beside.discard(writing)
    if not writing.cancelled():
        writing.exception()
