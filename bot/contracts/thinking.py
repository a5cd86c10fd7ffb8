"""What a model makes of a thinking level that it does not have."""

from collections.abc import Collection
from typing import Final

from bot.contracts.turn import ThinkingLevel

_ORDER: Final = (
    ThinkingLevel.OFF,
    ThinkingLevel.MINIMAL,
    ThinkingLevel.LOW,
    ThinkingLevel.MEDIUM,
    ThinkingLevel.HIGH,
    ThinkingLevel.XHIGH,
)
"""From the shortest to the longest. `adaptive` counts as medium where a model has none."""


def nearest(level: ThinkingLevel, has: Collection[ThinkingLevel]) -> ThinkingLevel:
    """Return *level* if it is among those that a model *has*, else the nearest lower one (pure).

    `off` is had by everybody: it is to ask for no thinking.
    """
    if level in has:
        return level
    wanted = ThinkingLevel.MEDIUM if level is ThinkingLevel.ADAPTIVE else level
    lower = [one for one in _ORDER[: _ORDER.index(wanted) + 1] if one in has]
    return lower[-1] if lower else ThinkingLevel.OFF
