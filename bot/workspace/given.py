"""Files that workspaces are given from outside, and that go again with what they came with."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.contracts.errors import ToolError
from bot.contracts.inbound import ConversationKey
from bot.workspace import beneath


class GivenFiles:
    """The `Copies` of some workspaces. Everything here blocks.

    *root_of* says in which of them the agent works that is asked in a conversation by somebody;
    without it, that is the first.
    """

    def __init__(
        self, *roots: Path, root_of: Callable[[ConversationKey, str], Path] | None = None
    ) -> None:
        self._roots = roots
        self._root_of: Final = root_of

    def put(self, conversation: ConversationKey, sender: str, path: str, data: bytes) -> None:
        """Write *data* to *path*, from the workspace's root, through no link.

        Raises:
            ToolError: it cannot be written.
        """
        root = self._root_of(conversation, sender) if self._root_of else self._roots[0]
        if root not in self._roots:  # of an agent that came later
            self._roots = (*self._roots, root)
        beneath.write(root, tuple(path.split("/")), data)

    def drop(self, path: str) -> None:
        """Delete it wherever it is, and its folder if nothing else is in it.

        What cannot be deleted stays.
        """
        for root in self._roots:
            with suppress(ToolError):
                beneath.remove(root, tuple(path.split("/")))
