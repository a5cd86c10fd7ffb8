"""The real clock, ids and chance. Nobody else reads them from the system."""

import asyncio
import random
import secrets
import time
from datetime import UTC, datetime
from typing import Final

from bot.contracts.clock import CODE_LETTERS

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letters that are taken for digits (https://www.crockford.com/base32.html)."""


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """Return the wall clock's time, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that only ever grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class RandomIds:
    """Ids of 26 characters that sort by the time they were made.

    They are 48 bits of milliseconds and 80 random bits, as in ULID
    (https://github.com/ulid/spec).
    """

    def new(self) -> str:
        """Return an id nobody had before."""
        number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
        return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


class SystemChance:
    """Jitter; nothing secret hangs on it."""

    def between(self, low: float, high: float) -> float:
        """Return a number of that range."""
        return random.uniform(low, high)  # noqa: S311 - spreads retries, protects nothing


class SecretCodes:
    """Codes that nobody can guess."""

    def new(self, length: int) -> str:
        """Return so many random characters."""
        return "".join(secrets.choice(CODE_LETTERS) for _ in range(length))
