"""Time and chance, passed in: nothing in the kernel reads a clock or rolls a die itself."""

from datetime import datetime
from typing import Final, Protocol

CODE_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""What codes are made of: 32 letters and digits without 0, 1, I and O, which are taken for each
other."""


class Clock(Protocol):
    """What time it is, and how to wait."""

    def now(self) -> datetime:
        """Return the wall clock's time, aware, in UTC. It may jump."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only ever grow, for leases and limits."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Ids(Protocol):
    """Where new ids come from."""

    def new(self) -> str:
        """Return an id nobody had before: 26 letters and digits, sortable by time."""
        ...


class Chance(Protocol):
    """Where jitter comes from."""

    def between(self, low: float, high: float) -> float:
        """Return a number of that range."""
        ...


class Codes(Protocol):
    """Where codes come from that people read to each other and type."""

    def new(self, length: int) -> str:
        """Return so many characters of `CODE_LETTERS`, five random bits each."""
        ...
