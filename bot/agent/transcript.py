"""One turn's view of its session: what is recorded, and the only way to record more."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Final

from bot.contracts import faults
from bot.contracts.messages import AssistantMessage, ToolResult
from bot.contracts.store import Transcripts
from bot.contracts.transcript import CallStarted, Entry, Recorded
from bot.contracts.turn import Turn, Usage

_COMMIT_POINTS: Final[dict[type, str]] = {
    AssistantMessage: "model.commit",
    CallStarted: "tool.start",
    ToolResult: "tool.commit",
}


class LiveTranscript:
    """What a running turn knows. An entry is recorded before it has consequences.

    A message that asks for calls has none by itself: it is held until the first thing that
    follows from it, a call that starts or a result, and is recorded in the commit of that.
    """

    def __init__(self, store: Transcripts, turn: Turn, recorded: Sequence[Recorded]) -> None:
        self._store = store
        self._turn = turn
        self._recorded = list(recorded)
        self._mine = [r.entry for r in recorded if r.turn_id == turn.id]
        self._unwritten: list[Entry] = []
        self._written = 0
        self._is_holding = False
        self._writing = asyncio.Lock()

    @property
    def recorded(self) -> Sequence[Recorded]:
        """What the session remembers of late, in order."""
        return self._recorded

    @property
    def of_this_turn(self) -> Sequence[Entry]:
        """What was said in this turn's name, by any of its attempts; it grows.

        All of it is recorded, but the one message that is held.
        """
        return self._mine

    def hold(self, said: AssistantMessage) -> None:
        """Take *said* into the view; it is recorded with what is kept next, before that."""
        self._unwritten.append(said)
        self._mine.append(said)
        self._is_holding = True

    async def keep(self, entry: Entry) -> None:
        """Record *entry*; only then is it part of the view.

        A cancellation waits until the commit is known, so that the view never
        misses what the record has.

        Raises:
            LeaseLost: the turn is somebody else's by now.
        """
        await to_the_end(self._write(entry))

    async def _write(self, entry: Entry) -> None:
        """Commit *entry* after all that came before it, and with it what came meanwhile.

        One commit at a time: no result can be written whose question failed to be.
        """
        self._unwritten.append(entry)
        place = self._written + len(self._unwritten)
        async with self._writing:
            if self._written < place:  # else the commit before took it along
                await self._commit()

    async def _commit(self) -> None:
        entries = tuple(self._unwritten)
        kinds = dict.fromkeys(map(type, entries))
        with faults.commit(*(_COMMIT_POINTS.get(kind, "model.commit") for kind in kinds)):
            added = await self._store.append(self._turn, *entries)
        del self._unwritten[: len(entries)]
        self._written += len(entries)
        if self._is_holding:
            self._mine.pop()  # nothing joins the view in between: its record takes its place
            self._is_holding = False
        self.join(added)

    def join(self, added: Sequence[Recorded]) -> None:
        """Take in what the store has recorded in this turn's name."""
        self._recorded += added
        self._mine += (r.entry for r in added)

    def usage(self) -> Usage:
        """Return what the turn has spent so far."""
        return usage_of(self._mine)


def usage_of(entries: Iterable[Entry]) -> Usage:
    """Return what a turn with these *entries* has spent (pure)."""
    total = Usage()
    for entry in entries:
        if isinstance(entry, AssistantMessage):
            total += entry.usage
            total += Usage(model_calls=1, tool_calls=len(entry.tool_calls))
    return total


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Await *work* to its end; a cancellation goes on after that."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
