"""The guard against bots that answer each other without end."""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Final

from bot.contracts.clock import Clock
from bot.contracts.inbound import Inbound

MOST: Final = 20
"""Events of one other bot in one conversation within the window. As OpenClaw has it."""
WINDOW_SECONDS: Final = 60.0
REST_SECONDS: Final = 60.0
_MOST_PAIRS: Final = 2_048
"""Pairs that are remembered at once; of more, the one that was quiet longest is forgotten."""


@dataclass(slots=True)
class _Pair:
    """Another bot in one conversation: when it spoke, and until when it is not heard."""

    at: deque[float] = field(default_factory=deque)
    rests_until: float = 0.0


class LoopGuard:
    """Counts what other bots say to us, for each bot and conversation."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pairs: OrderedDict[tuple[str, ...], _Pair] = OrderedDict()

    def takes(self, inbound: Inbound) -> bool:
        """Count an event of another bot; say whether it may be heard.

        After 20 within a minute, nothing is heard of it for a minute, and then all counts anew.
        """
        now = self._clock.monotonic()
        pair = self._pair(inbound)
        if now < pair.rests_until:
            return False
        while pair.at and now - pair.at[0] >= WINDOW_SECONDS:
            pair.at.popleft()
        if len(pair.at) >= MOST:
            pair.at.clear()
            pair.rests_until = now + REST_SECONDS
            return False
        pair.at.append(now)
        return True

    def _pair(self, inbound: Inbound) -> _Pair:
        key = (inbound.channel, inbound.account, inbound.conversation.id, inbound.sender.id)
        pair = self._pairs.pop(key, None) or _Pair()
        self._pairs[key] = pair
        if len(self._pairs) > _MOST_PAIRS:
            self._pairs.popitem(last=False)
        return pair
