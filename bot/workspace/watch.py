"""Whether anything in a folder was touched, asked of the kernel without a look at the folder.

Linux writes a change down before the call that made it returns (inotify(7)), so nothing
that was saved before a question is missed by it, however fast it was. Where that cannot be
relied upon, there is no watch, and whoever wanted one has to look: on other systems, on file
systems that are changed from elsewhere, and where something is mounted inside the folder.
"""

import ctypes
import os
import re
import weakref
from pathlib import Path
from typing import Final

_EVENTS: Final = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""IN_MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF
(linux/inotify.h)."""
_ONLY_A_FOLDER: Final = 0x01000000
"""IN_ONLYDIR."""
_LOCAL: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "f2fs", "tmpfs", "overlay"})
"""File systems that nobody changes but this kernel, and whose device numbers are true."""
_ESCAPE: Final = re.compile(r"\\(\d{3})")
_ROOM: Final = 64 * 1024


class FolderWatch:
    """Watches the entries of one folder, not those of folders in it. Closed with its last user."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def on(cls, folder: Path) -> "FolderWatch | None":
        """Begin to watch; None where a watch could miss something."""
        if not _is_local(folder):
            return None
        libc = ctypes.CDLL(None, use_errno=True)
        descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return None
        watch = cls(descriptor)
        events = _EVENTS | _ONLY_A_FOLDER
        added = libc.inotify_add_watch(descriptor, os.fsencode(folder), events)
        return None if added < 0 else watch

    def touched(self) -> bool:
        """Say whether anything happened since the last question."""
        try:
            return bool(os.read(self._descriptor, _ROOM))
        except BlockingIOError:
            return False


def _is_local(folder: Path) -> bool:
    try:
        device = folder.stat().st_dev
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
        return are_mounts_local(mounts, folder.resolve(), device)
    except OSError:
        return False


def are_mounts_local(mounts: str, folder: Path, device: int) -> bool:
    """Say whether *folder*, on *device*, is on a trusted file system, whole (pure).

    *mounts* is /proc/self/mountinfo (proc(5)).
    """
    number = f"{os.major(device)}:{os.minor(device)}"
    kinds: set[str] = set()
    for line in mounts.splitlines():
        mount, _, source = line.partition(" - ")
        place = Path(_ESCAPE.sub(lambda found: chr(int(found[1], 8)), mount.split()[4]))
        if folder in place.parents:
            return False
        if mount.split()[2] == number:
            kinds.add(source.split()[0])
    return bool(kinds) and kinds <= _LOCAL
