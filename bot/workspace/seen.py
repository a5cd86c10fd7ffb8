"""What each session has read of the workspace, kept in memory within bounds."""

from collections import OrderedDict
from typing import Final

from bot.contracts.session import SessionKey

MAX_BYTES: Final = 64 * 1024 * 1024
"""What all sessions together may hold; the longest unused goes first."""

MAX_FILES: Final = 4096
"""How many files all sessions together may hold."""


class SeenInMemory:
    """Remembers the bytes a session knows a file to hold.

    What was forgotten, by the bounds or by a restart, counts as never read:
    the session has to read again before it may overwrite, which is the safe side.
    """

    def __init__(self, *, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> None:
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._known: OrderedDict[tuple[SessionKey, str], bytes] = OrderedDict()
        self._bytes = 0

    def note(self, session_key: SessionKey, path: str, data: bytes) -> None:
        """Remember that the session knows *path* to hold *data*."""
        self._forget((session_key, path))
        self._known[session_key, path] = data
        self._bytes += len(data)
        while self._bytes > self._max_bytes or len(self._known) > self._max_files:
            self._forget(next(iter(self._known)))

    def last(self, session_key: SessionKey, path: str) -> bytes | None:
        """Return what the session knows *path* to hold, or None."""
        data = self._known.get((session_key, path))
        if data is not None:
            self._known.move_to_end((session_key, path))
        return data

    def _forget(self, key: tuple[SessionKey, str]) -> None:
        self._bytes -= len(self._known.pop(key, b""))
