"""Files beneath a folder, opened one directory at a time and through no link.

A path is never handed to the system whole: each part is opened relative to the
directory before it with ``O_NOFOLLOW`` (open(2)), so nothing that is renamed
or linked in between can lead outside. Everything here blocks.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bot.contracts.errors import FileMissing, ToolError
from bot.contracts.text import clean
from bot.contracts.tool import FileEntry

MAX_ENTRIES: Final = 20_000
"""How many names a deep listing may have before it is refused."""

_PART: Final = ".stonechat-write.part"
"""Where a file is prepared, in the folder it will stand in; one writer at a time."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def read(root: Path, names: tuple[str, ...], *, limit: int) -> bytes:
    """Return a regular file of at most *limit* bytes.

    A file with a second name (a hard link) is refused: its other name may stand
    anywhere on the disk. Opening does not wait for the other end of a pipe.

    Raises:
        ToolError: it is missing, something else than a file, or too large.
    """
    path = "/".join(names)
    with _folder(root, names[:-1]) as folder, _sentences(path):
        _plain(os.stat(names[-1], dir_fd=folder, follow_symlinks=False), path)
        with os.fdopen(os.open(names[-1], _FILE, dir_fd=folder), "rb") as file:
            status = os.fstat(file.fileno())
            _plain(status, path)
            if status.st_nlink > 1:
                raise ToolError(f"{path!r} has a second name outside our sight (a hard link)")
            data = file.read(limit + 1)
    if len(data) > limit:
        size = max(status.st_size, len(data))
        raise ToolError(f"{path!r} has {size:,} bytes, and at most {limit:,} can be read")
    return data


def write(root: Path, names: tuple[str, ...], data: bytes) -> None:
    """Put *data* where *names* lead, whole or not at all, and on the disk when this returns.

    Missing folders are made. A file that is replaced keeps its permissions;
    a new one, and a new folder, is for its owner alone.

    Raises:
        ToolError: it cannot be written, or something else than a file is there.
    """
    path, name = "/".join(names), names[-1]
    with _folder(root, names[:-1], make=True) as folder, _sentences(path):
        mode = _mode_there(folder, name, path)
        with suppress(FileNotFoundError):
            os.unlink(_PART, dir_fd=folder)
        try:
            with os.fdopen(os.open(_PART, _NEW, 0o600, dir_fd=folder), "wb") as file:
                os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.rename(_PART, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.unlink(_PART, dir_fd=folder)
            raise
        os.fsync(folder)


def remove(root: Path, names: tuple[str, ...]) -> None:
    """Delete a file, and its folder if nothing else is in it; what is not there is gone already.

    Raises:
        ToolError: it cannot be deleted, or a link leads there.
    """
    with suppress(FileMissing):
        with _folder(root, names[:-1]) as folder, _sentences("/".join(names)):
            os.unlink(names[-1], dir_fd=folder)
        with _folder(root, names[:-2]) as above, suppress(OSError):
            os.rmdir(names[-2], dir_fd=above)


def entries(root: Path, names: tuple[str, ...], *, deep: bool) -> list[FileEntry]:
    """List the files and folders beneath *names*, sorted; links and devices are left out.

    A deep listing does not look into ``.git``, nor into a folder it may not open.

    Raises:
        ToolError: it is no folder, or there are more than `MAX_ENTRIES`.
    """
    found = _children(root, names)
    waiting = _to_visit(found) if deep else []
    while waiting:
        with suppress(ToolError):
            inside = _children(root, tuple(waiting.pop().split("/")))
            found += inside
            waiting += _to_visit(inside)
        if len(found) > MAX_ENTRIES:
            where = "/".join(names) or "."
            raise ToolError(f"there are more than {MAX_ENTRIES:,} files below {where!r}")
    return sorted(found, key=lambda entry: entry.path)


def _children(root: Path, names: tuple[str, ...]) -> list[FileEntry]:
    found: list[FileEntry] = []
    with _folder(root, names) as folder, _sentences("/".join(names)), os.scandir(folder) as inside:
        for entry in inside:
            with suppress(FileNotFoundError):  # it went away since the folder was read
                status = entry.stat(follow_symlinks=False)
                is_folder = stat.S_ISDIR(status.st_mode)
                if (is_folder or stat.S_ISREG(status.st_mode)) and entry.name != _PART:
                    path = clean("/".join((*names, entry.name)))
                    size = 0 if is_folder else status.st_size
                    found.append(FileEntry(path=path, is_folder=is_folder, size=size))
    return found


def _to_visit(entries: Sequence[FileEntry]) -> list[str]:
    return [e.path for e in entries if e.is_folder and e.path.rpartition("/")[2] != ".git"]


@contextmanager
def _folder(root: Path, names: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
    """Open a folder beneath *root*, each part by its parent."""
    with _sentences("."):
        at = os.open(root, _FOLDER)
    try:
        for depth, name in enumerate(names, start=1):
            with _sentences("/".join(names[:depth])):
                inner = _step(at, name, make=make)
            os.close(at)
            at = inner
        yield at
    finally:
        os.close(at)


def _step(parent: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=parent)
        os.fsync(parent)
    return os.open(name, _FOLDER, dir_fd=parent)


def _mode_there(folder: int, name: str, path: str) -> int:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return 0o600
    _plain(status, path)
    return stat.S_IMODE(status.st_mode) & 0o777


def _plain(status: os.stat_result, path: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{path!r} is a folder")
    if stat.S_ISLNK(status.st_mode):
        raise ToolError(f"{path!r} is a link, and links are not followed")
    raise ToolError(f"{path!r} is a pipe, a socket or a device, and no file")


@contextmanager
def _sentences(path: str) -> Iterator[None]:
    """Turn what the system says about *path* into one sentence for the model."""
    shown = path or "."
    try:
        yield
    except FileNotFoundError:
        raise FileMissing(f"there is no {shown!r} in the workspace") from None
    except NotADirectoryError:
        raise ToolError(f"{shown!r} is no folder, or a link, and links are not followed") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ToolError(f"{shown!r} cannot be used: {reason.lower()}") from None
