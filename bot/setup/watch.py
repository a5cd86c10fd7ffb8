"""Sees that a file has changed, and that whoever writes it has finished."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

EVERY_SECONDS: Final = 1.0
"""How often it is looked; and how long a file must stay as it is before it is read, because some
editors empty it first and fill it then."""

Signature = tuple[tuple[int, ...] | None, ...]


def signature(files: Sequence[Path]) -> Signature:
    """Return what differs after every change of one of *files*, of its content or of its rights.

    The inode tells a file that was put in the place of another; the second time stamp tells a
    change of rights, and a write whose first time stamp was set back.
    """
    return tuple(_of(file) for file in files)


def _of(file: Path) -> tuple[int, ...] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode


@dataclass(slots=True)
class Settling:
    """Tells when to read: once for each change, when nothing has moved between two looks."""

    _seen: Signature | None = None
    _read: Signature | None = field(default=None)

    def look(self, now: Signature) -> bool:
        """Take the files as they are *now*; say whether to read them."""
        still, self._seen = now == self._seen, now
        if not still or now == self._read:
            return False
        self._read = now
        return True
