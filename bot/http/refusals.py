"""Counts what was refused at the door, and tells the log of each kind at most once a minute."""

import logging
from collections import Counter
from collections.abc import Mapping
from typing import Final

_log: Final = logging.getLogger(__name__)

_QUIET_SECONDS: Final = 60.0

_BY_STATUS: Final = {403: "forbidden", 429: "locked out"}
"""What a route refused by itself, by the status it answered with."""


class Refusals:
    """One count for each kind. Nothing of a request but where it came from is told."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._untold: Counter[str] = Counter()
        self._told_at: dict[str, float] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each kind was refused since the start."""
        return self._counts

    def note(self, kind: str, *, client: str | None, now: float) -> None:
        """Count one at *now* (seconds of the loop's clock), and say so if it is time to."""
        self._counts[kind] += 1
        self._untold[kind] += 1
        told_at = self._told_at.get(kind)
        if told_at is not None and now - told_at < _QUIET_SECONDS:
            return
        self._told_at[kind] = now
        _log.warning(
            "refused at the door: %s; %d since this was last said, the latest from %s",
            kind,
            self._untold.pop(kind),
            client or "nowhere",
        )


def kind_of(method: str, status: int) -> str | None:
    """Return what a route's answer refused, if it is of note (pure).

    That somebody without a login looks at the page is not; a code that is wrong is.
    """
    if status == 401:
        return "wrong link" if method == "POST" else None
    return _BY_STATUS.get(status)
