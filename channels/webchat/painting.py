"""The words of one turn as they look on a screen while they come."""

from collections.abc import Callable
from typing import Final

from bot.contracts.document import LiveDocument
from channels.webchat.protocol import ShownFrame
from channels.webchat.render import HtmlDialect

_DIALECT: Final = HtmlDialect()

_MOST: Final = 100_000
"""Characters of a message that are shown while it comes, a book's chapter or two: what a picture
costs grows with what is open of it. The line that takes its place has all of it."""


class Painting:
    """Takes words at no cost, and says what changed on the screen when it is asked."""

    def __init__(self, turn: str, live_document: Callable[[], LiveDocument]) -> None:
        self._turn = turn
        self._make = live_document
        self.clear()

    def clear(self) -> None:
        """Forget the words: the message was dropped, or became a step."""
        self._document = self._make()
        self._kept = self._painted = 0
        self._words: list[str] = []
        self.is_fresh = False
        """Whether words came since the last look."""

    @property
    def words(self) -> str:
        """The words themselves."""
        return "".join(self._words)

    def feed(self, text: str) -> None:
        """Take more words."""
        self._words.append(text)
        if (room := _MOST - self._painted) > 0:
            self._document.feed(text[:room])
            self._painted += len(text)
            self.is_fresh = True

    def change(self) -> ShownFrame:
        """Return what changed on a screen since the last change.

        Whoever has the whole from in between may be told it too: what was settled then stays.
        """
        growing, keep = self._document.picture(), self._kept
        self._kept = growing.settled
        self.is_fresh = False
        html = _DIALECT.render_blocks(growing.blocks[keep:])
        return ShownFrame(turn=self._turn, keep=keep, html=html)

    def whole(self) -> str:
        """Return all of it as HTML, for a screen that comes to it now."""
        return _DIALECT.render_blocks(self._document.picture().blocks)
