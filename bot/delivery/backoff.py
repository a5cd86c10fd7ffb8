"""When to try a delivery again (pure)."""

from datetime import timedelta
from typing import Final

_STEPS_SECONDS: Final = (1, 2, 5, 15, 30, 60, 120, 300)
_JITTER: Final = 0.2


def pause(attempt: int, chance: float) -> timedelta:
    """Return the pause after failed attempt *attempt* (from 1); *chance* is 0 to 1.

    The steps grow to five minutes; up to a fifth is added, so that many
    deliveries that failed together do not come back together.
    """
    step = _STEPS_SECONDS[min(max(attempt, 1), len(_STEPS_SECONDS)) - 1]
    return timedelta(seconds=step * (1 + _JITTER * chance))
