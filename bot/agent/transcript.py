"""One turn's view of its session: what is recorded, and the only way to record more."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Final

from bot.contracts import faults
from bot.contracts.errors import LeaseLost
from bot.contracts.messages import AssistantMessage, ToolResult
from bot.contracts.store import Transcripts
from bot.contracts.transcript import CallStarted, Entry, Recorded, Unanswered
from bot.contracts.turn import Turn, Usage

_COMMIT_POINTS: Final[dict[type, str]] = {
    AssistantMessage: "model.commit",
    CallStarted: "tool.start",
    ToolResult: "tool.commit",
}


class LiveTranscript:
    """What a running turn knows. An entry is recorded before it has consequences."""

    def __init__(self, store: Transcripts, turn: Turn, recorded: Sequence[Recorded]) -> None:
        self._store = store
        self._turn = turn
        self._recorded = list(recorded)
        self._mine = [r.entry for r in recorded if r.turn_id == turn.id]

    @property
    def recorded(self) -> Sequence[Recorded]:
        """What the session remembers of late, in order."""
        return self._recorded

    @property
    def of_this_turn(self) -> Sequence[Entry]:
        """What was recorded in this turn's name, by any of its attempts; it grows."""
        return self._mine

    async def keep(self, entry: Entry) -> None:
        """Record *entry*; only then is it part of the view.

        A cancellation waits until the commit is known, so that the view never
        misses what the record has.

        Raises:
            LeaseLost: the turn is somebody else's by now.
        """
        await to_the_end(self._write(entry))

    async def _write(self, entry: Entry) -> None:
        with faults.commit(_COMMIT_POINTS.get(type(entry), "model.commit")):
            self.join(await self._store.append(self._turn, entry))

    def join(self, added: Sequence[Recorded]) -> None:
        """Take in what the store has recorded in this turn's name."""
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
        try:
            await self.keep(lost)
        except LeaseLost:
            await to_the_end(self._store.charge(self._turn, lost))


def usage_of(entries: Iterable[Entry]) -> Usage:
    """Return what a turn with these *entries* has spent (pure)."""
    total = Usage()
    for entry in entries:
        if isinstance(entry, AssistantMessage):
            total += entry.usage
            total += Usage(model_calls=1, tool_calls=len(entry.tool_calls))
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
