"""A fake clock that tells when somebody has gone to sleep."""

import asyncio

from tests.doubles.clock import FakeClock


class WatchedClock(FakeClock):
    """A test can wait until there is somebody to wake."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asleep.set()
        await super().sleep(seconds)
