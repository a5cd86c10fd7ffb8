"""The workspace as somebody sees it who is neither the owner nor an admin: to read, and not all."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bot.contracts.errors import ToolDenied
from bot.contracts.tool import FileEntry, Workspace
from bot.contracts.turn import Rank
from bot.workspace.protected import is_private


def as_seen_by(rank: Rank, workspace: Workspace, *, writes: bool = False) -> Workspace:
    """Return *workspace* as a turn of that rank may touch it (pure).

    With *writes* the operator let that rank write; what is shared, and nothing else.
    """
    return workspace if rank >= Rank.ADMIN else SharedWorkspace(workspace, writes=writes)


class SharedWorkspace:
    """Lets through what is shared, to be read; the owner's own files are not even listed."""

    def __init__(self, workspace: Workspace, *, writes: bool = False) -> None:
        self._workspace = workspace
        self._writes = writes

    @property
    def root(self) -> Path:
        """Nothing is run for them.

        Raises:
            ToolDenied: always.
        """
        raise ToolDenied("no program is run for the person who asks")

    def inside(self, path: str) -> str:
        """Return the one spelling of *path*."""
        return self._workspace.inside(path)

    async def read(self, path: str, *, limit: int) -> bytes:
        """Read a file that is shared.

        Raises:
            ToolDenied: it is the owner's own.
        """
        return await self._workspace.read(self._shared(path), limit=limit)

    async def write(self, path: str, data: bytes) -> None:
        """Write a file that is shared, where that was granted.

        Raises:
            ToolDenied: it was not, or the file is the owner's own.
        """
        if not self._writes:
            raise ToolDenied(f"{path!r} is not written for the person who asks")
        await self._workspace.write(self._shared(path), data)

    async def entries(self, path: str = ".", *, deep: bool = False) -> Sequence[FileEntry]:
        """List a folder, without what is the owner's own.

        Raises:
            ToolDenied: the folder is the owner's own.
        """
        found = await self._workspace.entries(self._shared(path), deep=deep)
        return [entry for entry in found if not is_private(entry.path)]

    def writing(self) -> AbstractAsyncContextManager[None]:
        """Wait for one's turn among the writers, where writing was granted.

        Raises:
            ToolDenied: it was not.
        """
        if not self._writes:
            raise ToolDenied("nothing is written for the person who asks")
        return self._workspace.writing()

    def _shared(self, path: str) -> str:
        inside = self._workspace.inside(path)
        if is_private(inside):
            raise ToolDenied(f"{path!r} is the owner's own, and not for the person who asks")
        return path
