"""Files that the workspace is given from outside, and that go again with what they came with."""

from contextlib import suppress
from pathlib import Path

from bot.contracts.errors import ToolError
from bot.workspace import beneath


class GivenFiles:
    """The `Copies` of one workspace. Everything here blocks."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, path: str, data: bytes) -> None:
        """Write *data* to *path*, from the workspace's root, through no link.

        Raises:
            ToolError: it cannot be written.
        """
        beneath.write(self._root, tuple(path.split("/")), data)

    def drop(self, path: str) -> None:
        """Delete it, and its folder if nothing else is in it; what cannot be deleted stays."""
        with suppress(ToolError):
            beneath.remove(self._root, tuple(path.split("/")))
