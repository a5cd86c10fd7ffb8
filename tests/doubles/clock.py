"""Time that moves when told, ids that count, chance that is fair."""

import asyncio
from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 30, 16, 4, tzinfo=UTC)


class FakeClock:
    """Time moves when told; whoever sleeps wakes when it has moved far enough."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._monotonic = 1_000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._monotonic + seconds, sleeper))
        await sleeper

    def jump(self, delta: timedelta) -> None:
        """Set the wall clock alone, as an operator does."""
        self._now += delta

    def advance(self, seconds: float) -> None:
        """Let both clocks move, and wake whoever slept that long."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds
        for due, sleeper in list(self._sleepers):
            if due <= self._monotonic and not sleeper.done():
                sleeper.set_result(None)
        self._sleepers = [(due, s) for due, s in self._sleepers if not s.done()]


class HastyClock(FakeClock):
    """Nobody waits: a sleep is over at once, and time has moved."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)


class CountingIds:
    """Ids in the order they were asked for."""

    def __init__(self) -> None:
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"{self._count:026d}"


class FairChance:
    """Always the middle."""

    def between(self, low: float, high: float) -> float:
        return (low + high) / 2
