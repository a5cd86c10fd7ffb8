"""Counts what was refused at the door, and tells the log of each kind at most once a minute."""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Final

from aiohttp.http_exceptions import HttpProcessingError

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


class _Unreadable(logging.Filter):
    """Counts requests that could not be read, and lets nothing through that repeats them."""

    def __init__(self, refusals: Refusals) -> None:
        super().__init__()
        self._refusals = refusals

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep a record out that is about such a request."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        client = record.args[0] if isinstance(record.args, tuple) and record.args else None
        now = asyncio.get_running_loop().time()
        self._refusals.note("no HTTP", client=str(client or ""), now=now)
        return False


def library_log(refusals: Refusals) -> logging.Logger:
    """Return where the HTTP library tells of its errors: all but what it could not read.

    Of that it repeats the line, and a line may hold a login: a browser that has many cookies of
    this host, whatever their port, sends more than is taken.
    """
    log = logging.Logger("aiohttp.server")  # noqa: LOG001 - of one server, so that its filter is
    log.parent = logging.getLogger("aiohttp.server")
    log.addFilter(_Unreadable(refusals))
    return log


def kind_of(method: str, status: int) -> str | None:
    """Return what a route's answer refused, if it is of note (pure).

    That somebody without a login looks at the page is not; a code that is wrong is.
    """
    if status == 401:
        return "wrong link" if method == "POST" else None
    return _BY_STATUS.get(status)
