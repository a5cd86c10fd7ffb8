"""The state directory: made private, and held by one process at a time."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Final

from bot.contracts.errors import StoreHeld, StoreUnavailable

_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
"""Not through a symlink: that could be somebody else's file."""


class Hold:
    """A held state directory. The lock ends with the process, however that ends."""

    def __init__(self, lock: int) -> None:
        self._lock = lock

    def release(self) -> None:
        """Let others have it. The lock file stays, so that nobody can lock a removed one."""
        os.close(self._lock)


def hold(database: Path) -> Hold:
    """Make the directory and an empty database file, both private, and hold them.

    Raises:
        StoreHeld: another process has them.
        StoreUnavailable: they cannot be made or written.
    """
    folder = database.parent
    lock_path = database.with_name(f"{database.name}.lock")
    try:
        folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        lock = os.open(lock_path, _FLAGS, _FILE_MODE)
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(os.open(database, _FLAGS, _FILE_MODE))
    except BlockingIOError:
        os.close(lock)
        raise StoreHeld(
            f"another process has {folder} open: stop it first, or use another directory"
        ) from None
    except OSError as error:
        os.close(lock)
        raise _unusable(folder, error) from error
    return Hold(lock)


def identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from another of the same name; None if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - asked for before every commit: a Path takes thrice as long
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _unusable(folder: Path, error: OSError) -> StoreUnavailable:
    reason = (
        "is a symlink" if error.errno == errno.ELOOP else (error.strerror or str(error)).lower()
    )
    return StoreUnavailable(
        f"the state directory {folder} cannot be used ({error.filename or folder}: {reason}):"
        " it must be a folder that this user can write"
    )
