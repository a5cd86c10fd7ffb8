"""Files that people send: kept for a message, shown again, gone with their conversation."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from bot.contracts.inbound import Attachment, ConversationKey

LARGEST_FILE: Final = 20 * 1024 * 1024
"""Bytes of one file. Platforms that people know take 10 to 25 MB."""

MOST_FILES: Final = 10
"""Files of one message, as many as Discord takes
(https://discord.com/developers/docs/resources/message#create-message)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A file that is kept, and where it lies."""

    attachment: Attachment
    path: Path


class Copies(Protocol):
    """Where tools find copies of what people send. Everything here blocks."""

    def put(self, conversation: ConversationKey, sender: str, path: str, data: bytes) -> None:
        """Write *data* to *path*, from the root of the workspace of the agent they ask there.

        Raises:
            ToolError: it cannot be written.
        """
        ...

    def drop(self, path: str) -> None:
        """Delete it wherever it is."""
        ...


class Media(Protocol):
    """The files of all conversations. Each belongs to the one it was sent in.

    Every verb may raise `StoreUnavailable`: the disk is full, or may not be written.
    """

    async def take(
        self, conversation: ConversationKey, name: str, size: int, pieces: AsyncIterator[bytes]
    ) -> Attachment:
        """Keep a file of *size* bytes as it comes, until a message names it.

        Raises:
            AttachmentRefused: it is empty or too large, ended early, too many files wait
                already, or the conversation was deleted meanwhile. Nothing of it is kept.
        """
        ...

    async def claim(
        self, conversation: ConversationKey, ids: Sequence[str], *, sender: str
    ) -> tuple[Attachment, ...]:
        """Give files to a message of *sender*, in order, and keep them as long as its conversation.

        The same ids give the same again, however often.

        Raises:
            AttachmentRefused: one of them is not there, or they are too many.
        """
        ...

    async def find(self, conversation: ConversationKey, attachment_id: str) -> Stored | None:
        """Return a file of that conversation, or None."""
        ...

    async def discard(self, conversation: ConversationKey, attachment_id: str) -> None:
        """Drop a file that no message names. One that is named, or is not there, stays so."""
        ...

    async def forget(self, conversation: ConversationKey) -> None:
        """Delete every file of a conversation."""
        ...

    async def sweep(self) -> int:
        """Drop what no message has named for a day; return how many files that were."""
        ...
