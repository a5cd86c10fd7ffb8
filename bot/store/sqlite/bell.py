"""Wakes whoever waits in this process, after a commit or after a while."""

import asyncio

from bot.contracts.clock import Clock


class Bell:
    """Rung after a commit; heard by all who wait.

    A listener notes `rings` before it looks, so that a ring between its look
    and its wait is not missed.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()
        self.rings = 0

    def ring(self) -> None:
        """Wake all who wait."""
        self.rings += 1
        self._rung.set()
        self._rung = asyncio.Event()

    async def wait(self, heard: int, seconds: float) -> None:
        """Return when it has rung more than *heard* times, or after *seconds*."""
        if self.rings != heard:
            return
        waits = {
            asyncio.ensure_future(self._rung.wait()),
            asyncio.ensure_future(self._clock.sleep(seconds)),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
