"""Keeps a few lines of `.env`: written whole or not at all, and everything else stays as it was."""

import fcntl
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bot.settings.environment import LARGEST
from bot.settings.home import write_private

_NAME: Final = re.compile(rb"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=")
_PLAIN: Final = re.compile(r"[!-~]+")
"""One word of visible ASCII: such a value needs no quotes and cannot begin another line."""


class NotKept(Exception):
    """Nothing was written; the sentence says why and what to do."""


def keep(home: Path, values: Mapping[str, str | None]) -> None:
    """Set *values* in the `.env` of the state directory; None takes a name out.

    Comments, order and every other line stay, byte for byte. The file is replaced in one
    step, is on the disk when this returns, and is its owner's alone. Two processes that do
    it at the same time wait for each other.

    Raises:
        NotKept: it cannot be written, or is not a plain file of this user's own.
    """
    file = home / ".env"
    for name, value in values.items():
        if value is not None and (not _PLAIN.fullmatch(value) or value[0] in "\"'"):
            raise NotKept(f"{name} must be one word of visible ASCII without quotes")
    try:
        with _alone(home):
            for left in home.glob("..env.*"):  # by a process that was killed as it wrote
                left.unlink()
            written = _read(file)
            wanted = with_values(written, values)
            if wanted != written:
                if len(wanted) > LARGEST:
                    raise NotKept(f"{file} would have more than {LARGEST:,} bytes; shorten it")
                write_private(file, wanted)
                _settle(home)
    except OSError as error:
        raise NotKept(f"{file} cannot be written ({error.strerror})") from None


def with_values(written: bytes, values: Mapping[str, str | None]) -> bytes:
    """Return the file's bytes with *values* set (pure).

    The last line of a name is the one that counts, so it is the one that is replaced.
    """
    lines = written.splitlines(keepends=True)
    left = {name.encode(): value for name, value in values.items()}
    kept: list[bytes] = []
    for line in reversed(lines):
        match = _NAME.match(line)
        name = match[1] if match else None
        if name is None or name.decode() not in values:
            kept.append(line)
        elif name in left and (value := left.pop(name)) is not None:
            kept.append(name + b"=" + value.encode() + b"\n")
    kept.reverse()
    new = [
        name + b"=" + value.encode() + b"\n" for name, value in left.items() if value is not None
    ]
    if new and kept and not kept[-1].endswith((b"\n", b"\r")):
        kept.append(b"\n")
    return b"".join((*kept, *new))


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Let one process at a time through; the lock ends with the process."""
    descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(file: Path) -> bytes:
    """Read what is there. A link is refused: what it leads to is not ours to replace."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    except OSError:
        if file.is_symlink():
            raise NotKept(f"{file} is a link; make it a plain file of your own") from None
        raise
    with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor, checked before use
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise NotKept(f"{file} is no plain file of this user's own; move it away")
        return opened.read(LARGEST + 1)


def _settle(home: Path) -> None:
    """Bring the file's new name to the disk, as its bytes are."""
    descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
