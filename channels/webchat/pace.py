"""How fast one may speak: a window that slides."""

from collections import deque
from typing import Final

from bot.contracts.clock import Clock

_MOST: Final = 20
_WINDOW_SECONDS: Final = 10.0


class Pace:
    """Twenty messages in any ten seconds, over all connections to one conversation."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._taken: deque[float] = deque(maxlen=_MOST)

    def take(self) -> float:
        """Count one message and return 0, or return the seconds until there is room for it."""
        now = self._clock.monotonic()
        if len(self._taken) == _MOST and (wait := self._taken[0] + _WINDOW_SECONDS - now) > 0:
            return wait
        self._taken.append(now)
        return 0.0
