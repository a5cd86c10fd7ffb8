"""Codes that are told to people: how they look, how they are kept, and how often one may guess."""

import hashlib
import hmac
from collections import deque
from typing import Final

from bot.contracts.clock import CODE_LETTERS, Clock

MOST_BY_ONE: Final = 5
MOST_BY_ALL: Final = 20
_WINDOW_SECONDS: Final = 3_600.0


def plain_code(written: str) -> str:
    """Return a code as it was made, however somebody typed it (pure)."""
    return "".join(letter for letter in written.upper() if letter in CODE_LETTERS)


def digest(code: str) -> str:
    """Return what is kept of a code, so that a copy of the store gives nobody one (pure)."""
    return hashlib.sha256(code.encode()).hexdigest()


def is_code(written: str, kept: str) -> bool:
    """Whether *written* is the code of which *kept* is the digest, in constant time (pure)."""
    return hmac.compare_digest(digest(plain_code(written)), kept)


class Guesses:
    """Counts wrong codes: five an hour by one person, twenty by all together."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong: deque[tuple[float, str]] = deque(maxlen=MOST_BY_ALL)

    def may_guess(self, who: str) -> bool:
        """Whether one more code of theirs would be looked at."""
        now = self._clock.monotonic()
        while self._wrong and now - self._wrong[0][0] >= _WINDOW_SECONDS:
            self._wrong.popleft()
        theirs = sum(each == who for _, each in self._wrong)
        return len(self._wrong) < MOST_BY_ALL and theirs < MOST_BY_ONE

    def was_wrong(self, who: str) -> None:
        """Count a wrong one."""
        self._wrong.append((self._clock.monotonic(), who))
