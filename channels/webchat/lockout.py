"""How often somebody without a login may be wrong: ten times a minute, from wherever they come."""

import ipaddress
from collections import OrderedDict, deque
from typing import Final

from bot.contracts.clock import Clock

_MOST_FAILURES: Final = 10
"""From one address, in one window."""

_MOST_IN_ALL: Final = 100
"""From all addresses together: who has many of them guesses no faster for it."""

_WINDOW_SECONDS: Final = 60.0
_MOST_ADDRESSES: Final = 1_000
"""How many are remembered; the one that was wrong longest ago is forgotten first."""

_ONE_HOUSEHOLD: Final = 64
"""Bits of an IPv6 address that a provider gives to one customer (RFC 6177)."""


class Lockout:
    """Counts failed tries of whoever has no login."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._all: deque[float] = deque(maxlen=_MOST_IN_ALL)
        self._by_address: OrderedDict[str, deque[float]] = OrderedDict()

    def note_failure(self, address: str | None) -> None:
        """Count one."""
        now = self._clock.monotonic()
        key = _counted_as(address)
        failures = self._by_address.pop(key, None) or deque(maxlen=_MOST_FAILURES)
        failures.append(now)
        self._all.append(now)
        self._by_address[key] = failures
        if len(self._by_address) > _MOST_ADDRESSES:
            self._by_address.popitem(last=False)

    def remaining(self, address: str | None) -> float:
        """Return for how many seconds nobody may try from *address*, 0 if one may."""
        own = self._by_address.get(_counted_as(address))
        return max(self._until_free(own), self._until_free(self._all))

    def _until_free(self, failures: deque[float] | None) -> float:
        if failures is None or len(failures) != failures.maxlen:
            return 0.0
        return max(0.0, failures[0] + _WINDOW_SECONDS - self._clock.monotonic())


def _counted_as(address: str | None) -> str:
    """Return what addresses of one customer have in common (pure)."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped  # as one socket for both shows who came by IPv4
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed.packed, _ONE_HOUSEHOLD), strict=False))
    return str(parsed)
