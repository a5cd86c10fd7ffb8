"""Work that stops when its turn is taken away, or when somebody asks."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, Protocol, TypeVar, assert_never

import structlog

from bot.contracts.clock import Clock
from bot.contracts.errors import LeaseLost, StoreUnavailable, TurnInterrupted
from bot.contracts.store import Renewal
from bot.contracts.turn import Turn

_log = structlog.get_logger(__name__)

T = TypeVar("T")

TTL_SECONDS: Final = 30.0
RENEW_SECONDS: Final = 10.0
"""A third of the TTL, so that two renewals may fail before a lease is lost."""
MARGIN_SECONDS: Final = 5.0
"""How much earlier than the store we believe a lease lost, by our own monotonic clock."""

END_SECONDS: Final = 10.0
"""How long cancelled work may take to end; the toolbox gives each tool less."""


class Renews(Protocol):
    """The one verb of the queue that a lease needs."""

    async def renew(self, turn: Turn) -> Renewal:
        """Keep the lease, and learn whether a stop was asked for."""
        ...


class Lease:
    """A worker's right to one turn."""

    def __init__(self, turns: Renews, turn: Turn, clock: Clock) -> None:
        self._turns = turns
        self._turn = turn
        self._clock = clock
        self._stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def ask_to_stop(self) -> None:
        """Say that somebody wants the work to end."""
        if not self._stop.done():
            self._stop.set_result(None)

    async def carry(self, work: Coroutine[Any, Any, T]) -> T:
        """Await *work* while the lease is renewed beside it.

        However this ends, *work* has ended too: it is cancelled and awaited.
        What cannot be ended in time is the toolbox's to record as unknown.

        Raises:
            TurnInterrupted: somebody asked for it.
            LeaseLost: another worker has the turn, or the store could not be
                asked in time by our own monotonic clock.
            RuntimeError: *work* was cancelled by itself, not by us.
        """
        if self._stop.done():
            work.close()
            raise TurnInterrupted("it was stopped")
        task = asyncio.ensure_future(work)
        renewing = asyncio.create_task(self._keep_renewing(), name="renew lease")
        renewing.add_done_callback(_look)
        try:
            ends: set[asyncio.Future[Any]] = {task, renewing, self._stop}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if task.cancelled():
                raise RuntimeError("the work cancelled itself")
            if task.done():
                return task.result()
            await _end(task)
            if task.done() and not task.cancelled() and task.exception() is None:
                return task.result()
            raise _why(task, renewing)
        finally:
            renewing.cancel()  # it writes nothing, so that nobody has to wait for its end
            await _end(task)

    async def _keep_renewing(self) -> None:
        """Ask the store again and again; whoever slept through the TTL takes its word too."""
        deadline = self._clock.monotonic() + TTL_SECONDS - MARGIN_SECONDS
        while True:
            await self._clock.sleep(RENEW_SECONDS)
            asked_at = self._clock.monotonic()
            try:
                renewal = await self._turns.renew(self._turn)
            except StoreUnavailable as error:
                if asked_at >= deadline:
                    raise LeaseLost("the lease could not be renewed in time") from error
                _log.warning("lease not renewed yet", error=str(error))
                continue
            match renewal:
                case Renewal.HELD:
                    deadline = asked_at + TTL_SECONDS - MARGIN_SECONDS
                case Renewal.STOP_ASKED:
                    raise TurnInterrupted("it was stopped")
                case Renewal.LOST:
                    raise LeaseLost("another worker has the turn")
                case _:
                    assert_never(renewal)


def _why(task: "asyncio.Future[Any]", renewing: "asyncio.Future[Any]") -> BaseException:
    """Say why work was ended: the lease was lost, or somebody asked; then with its last words."""
    lost = renewing.exception() if renewing.done() and not renewing.cancelled() else None
    if lost is not None and not isinstance(lost, TurnInterrupted):
        return lost
    said = task.exception() if task.done() and not task.cancelled() else None
    return said if isinstance(said, TurnInterrupted) else TurnInterrupted("it was stopped")


async def _end(task: "asyncio.Future[Any]") -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=END_SECONDS)
    if not task.done():
        _log.error("work did not end when it was told to", task=repr(task))
    elif not task.cancelled():
        task.exception()


def _look(renewing: "asyncio.Task[None]") -> None:
    """Take note of what ended it: who carries the work may have what it came for already."""
    if not renewing.cancelled():
        renewing.exception()
