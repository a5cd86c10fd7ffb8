"""The dispatcher on the queue: takes turns as they come due, and lets a limited number run."""

import asyncio
from collections import deque
from contextlib import aclosing
from typing import Final, assert_never

import structlog

from bot.contracts import faults
from bot.contracts.clock import Clock
from bot.contracts.errors import LeaseLost, StoreUnavailable
from bot.contracts.signals import Offer, Signal, StopAsked, Taken, WorkWaiting
from bot.contracts.store import Turns
from bot.contracts.turn import Lane, Turn, TurnId
from bot.kernel.lease import Lease
from bot.kernel.turn import TurnRunner

_log = structlog.get_logger(__name__)

_REMEMBERED: Final = 256
"""A stop that came that many stops ago is for a turn that has long ended."""

LIMIT: Final = 128
"""Turns that may run at once: one that waits for a model costs next to nothing."""
BACKGROUND: Final = 32
"""How many of them may be work that nobody waits for, so that it never takes people's places."""
_LANES: Final = (Lane.PEOPLE, Lane.BACKGROUND)
_STORE_PAUSE_SECONDS: Final = 1.0


class Lanes:
    """Runs what waits. The session lane is the store's; the global lane is the limit here."""

    def __init__(
        self,
        turns: Turns,
        runner: TurnRunner,
        clock: Clock,
        *,
        worker: str,
        limit: int = LIMIT,
        background: int = BACKGROUND,
    ) -> None:
        self._turns = turns
        self._runner = runner
        self._clock = clock
        self._worker = worker
        self._limit = limit
        self._background = background
        self._wake = asyncio.Event()
        self._stopping = False
        self._leases: dict[TurnId, Lease] = {}
        self._stopped_early: deque[TurnId] = deque(maxlen=_REMEMBERED)
        """Whom somebody asked to stop between the commit that gave them out and their lease."""
        self._running: dict[asyncio.Task[None], Turn] = {}

    def allow(self, limit: int, background: int) -> None:
        """Let at most *limit* turns run at once from now on; those that run may end.

        At most *background* of them are work that nobody waits for.
        """
        self._limit, self._background = limit, background
        self._wake.set()

    async def work(self) -> None:
        """Take and run turns until told to stop."""
        listening = asyncio.create_task(self._listen(), name="lanes listen")
        try:
            while not self._stopping:
                self._wake.clear()
                await self._take_all()
                if listening.done():
                    listening.result()
                await self._wake.wait()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def stop(self, *, drain_seconds: float) -> None:
        """Take no more turns; give those that run some time to end, then put them back.

        A turn that is put back is gone on with by whoever comes next: all it
        did is recorded.
        """
        self._stopping = True
        self._wake.set()
        if self._running:
            await asyncio.wait(self._running, timeout=drain_seconds)
        running = dict(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        for task, turn in running.items():
            if task.cancelled():
                await self._put_back(turn)

    async def _put_back(self, turn: Turn) -> None:
        """Leave *turn* to whoever comes next. Where the lease is truly lost, somebody has."""
        while True:
            try:
                await self._turns.release(turn)
            except LeaseLost:
                return  # it had ended, or is somebody else's
            except StoreUnavailable as error:
                _log.error("turn not put back", turn=turn.id, error=str(error))
                if self._stopping:
                    return  # the next start finds it
                await self._clock.sleep(_STORE_PAUSE_SECONDS)
            else:
                return

    async def _listen(self) -> None:
        offer = Offer(worker=self._worker, lanes=(Lane.PEOPLE,), places=self._places)
        try:
            while True:
                try:
                    async with aclosing(self._turns.signals(offer)) as signals:
                        async for signal in signals:
                            await self._hear(signal)
                except StoreUnavailable as error:
                    _log.error("cannot look for turns", error=str(error))
                    await self._clock.sleep(_STORE_PAUSE_SECONDS)
        finally:
            self._wake.set()

    def _places(self) -> int:
        return 0 if self._stopping else self._limit - len(self._running)

    def _lanes(self) -> tuple[Lane, ...]:
        """Return the lanes of which a turn may begin now."""
        return (Lane.PEOPLE,) if self._background_is_full() else _LANES

    def _background_is_full(self) -> bool:
        lanes = [turn.arrival.lane for turn in self._running.values()]
        return lanes.count(Lane.BACKGROUND) >= self._background

    async def _hear(self, signal: Signal) -> None:
        match signal:
            case WorkWaiting():
                self._wake.set()
            case Taken(turn=turn):
                await self._begin(turn)
            case StopAsked(turn_id=turn_id):
                if lease := self._leases.get(turn_id):
                    lease.ask_to_stop()
                else:
                    self._stopped_early.append(turn_id)
            case _:
                assert_never(signal)

    async def _take_all(self) -> None:
        while len(self._running) < self._limit and not self._stopping:
            try:
                with faults.commit("run.start"):
                    turn = await self._turns.take(self._worker, self._lanes())
            except StoreUnavailable as error:
                _log.error("cannot take turns", error=str(error))
                await self._clock.sleep(_STORE_PAUSE_SECONDS)
                continue
            if turn is None:
                return
            await self._begin(turn)

    async def _begin(self, turn: Turn) -> None:
        """Run a turn that we were given, unless we stop or another took the last place."""
        if self._stopping or len(self._running) >= self._limit:
            await self._put_back(turn)
            return
        lease = Lease(self._turns, turn, self._clock)
        if turn.cancel_asked or turn.id in self._stopped_early:
            lease.ask_to_stop()
        task = asyncio.create_task(self._run(turn, lease), name=f"turn {turn.id}")
        self._leases[turn.id] = lease
        self._running[task] = turn
        task.add_done_callback(self._ended)

    async def _run(self, turn: Turn, lease: Lease) -> None:
        with structlog.contextvars.bound_contextvars(turn=turn.id, session=turn.session_key):
            try:
                await self._runner.run(turn, lease)
            except LeaseLost as error:
                _log.warning("turn left to whoever comes next", error=str(error))
                await self._put_back(turn)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if len(self._running) >= self._limit or self._background_is_full():
            self._wake.set()  # else its session's next turn is told of by the queue
        turn = self._running.pop(task)
        self._leases.pop(turn.id, None)
        if not task.cancelled() and (error := task.exception()):
            _log.error("turn broke", turn=turn.id, exc_info=error)
