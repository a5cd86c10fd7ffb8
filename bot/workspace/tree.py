"""The files of a workspace as tools may touch them: inside, through no link, written whole."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath
from typing import Final, ParamSpec, TypeVar

from bot.contracts.errors import ToolDenied, ToolError
from bot.contracts.tool import FileEntry
from bot.workspace import beneath
from bot.workspace.protected import never_written

_PATIENCE_SECONDS: Final = 5.0
"""How long a cancelled write is waited for, so that it does not land behind the next one."""

_ELSEWHERE: Final = ("~/", "file:")
"""What means another place to whoever writes it, and would be hidden in a folder called ``~``."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Writers:
    """Those who write in one workspace, or in workspaces that lie in each other: one at a time."""

    def __init__(self) -> None:
        self.turns: Final = asyncio.Lock()
        self.one_write: Final = threading.Lock()


class WorkspaceTree:
    """One workspace. Make one for each root: its writers take turns by it."""

    def __init__(self, root: Path, writers: Writers | None = None) -> None:
        self._root = root.resolve()
        self._writers: Final = writers or Writers()

    @property
    def root(self) -> Path:
        """The folder itself, absolute and without links, for the sandbox alone."""
        return self._root

    def inside(self, path: str) -> str:
        """Return the one spelling of *path*: from the root, with ``/``, without ``.`` (pure).

        An absolute path is fine where it leads into the workspace; the root itself
        is the empty text.

        Raises:
            ToolError: it leads out of the workspace, or no file can have such a name.
        """
        if any(ord(letter) < 32 or "\ud800" <= letter <= "\udfff" for letter in path):
            raise ToolError(f"{path!r} is no usable path: it contains a control character")
        plain = PurePosixPath(path)
        if plain.is_absolute():
            if not plain.is_relative_to(self._root):
                raise ToolDenied(f"{path!r} is outside of the workspace")
            plain = plain.relative_to(self._root)
        elif path.startswith(_ELSEWHERE):
            raise ToolDenied(f"{path!r} is outside of the workspace")
        if ".." in plain.parts:
            raise ToolDenied(f"{path!r} contains '..': name the path from the workspace's root")
        return "/".join(plain.parts)

    async def read(self, path: str, *, limit: int) -> bytes:
        """Read a file of at most *limit* bytes.

        Raises:
            ToolError: it is missing, outside, a link, too large, or no plain file.
        """
        return await asyncio.to_thread(beneath.read, self._root, self._file(path), limit=limit)

    async def write(self, path: str, data: bytes) -> None:
        """Put *data* where *path* is, whole or not at all; make its folders.

        When it is cancelled the write has ended before this raises: nothing lands later.

        Raises:
            ToolError: it cannot be written.
            ToolDenied: it is outside, or one of the paths nobody writes.
        """
        names = self._file(path)
        if never_written("/".join(names)):
            raise ToolDenied(f"{path!r} may not be written: it could make other programs run code")
        await _to_the_end(self._write, names, data)

    async def entries(self, path: str = ".", *, deep: bool = False) -> Sequence[FileEntry]:
        """List a folder, sorted; with *deep*, all below it but the inside of ``.git``.

        Raises:
            ToolError: it is no folder, outside, or has too much in it.
        """
        names = _names(self.inside(path))
        return await asyncio.to_thread(beneath.entries, self._root, names, deep=deep)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Wait for one's turn among the writers of this workspace."""
        async with self._writers.turns:
            yield

    def _file(self, path: str) -> tuple[str, ...]:
        names = _names(self.inside(path))
        if not names:
            raise ToolError(f"{path!r} is a folder; name a file")
        return names

    def _write(self, names: tuple[str, ...], data: bytes) -> None:
        with self._writers.one_write:
            beneath.write(self._root, names, data)


def trees_of(
    roots: Iterable[Path],
    writers: dict[Path, Writers] | None = None,
) -> dict[Path, WorkspaceTree]:
    """Return the tree of each of *roots*, the same for the same folder.

    Where one folder lies in another, whoever writes in either of them takes turns. Pass the same
    *writers* again, and they take turns with those who had an earlier tree of the folder.
    """
    trees: dict[Path, WorkspaceTree] = {}
    writers = {} if writers is None else writers
    folders = {root: root.resolve() for root in roots}
    for folder in sorted(set(folders.values())):  # what lies around comes before what is inside
        if folder in writers:
            trees[folder] = WorkspaceTree(folder, writers[folder])
            continue
        around = next(
            (one for one in writers if folder.is_relative_to(one) or one.is_relative_to(folder)),
            None,
        )
        writers[folder] = Writers() if around is None else writers[around]
        trees[folder] = WorkspaceTree(folder, writers[folder])
    return {root: trees[folder] for root, folder in folders.items()}


def _names(inside: str) -> tuple[str, ...]:
    return tuple(inside.split("/")) if inside else ()


async def _to_the_end(blocking: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run *blocking* in a thread; when cancelled, wait for it first, within bounds."""
    work = asyncio.ensure_future(asyncio.to_thread(blocking, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        done, _ = await asyncio.wait({work}, timeout=_PATIENCE_SECONDS)
        for late in done:
            late.exception()  # heard, so that nobody reports it as forgotten
        raise
