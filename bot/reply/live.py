"""The words people see while a message is being written."""

from bot.reply.directives import Directives
from bot.reply.visible import VisibleText


class LiveText:
    """Pieces of a model's text in, what people may see out: both filters, one after the other."""

    def __init__(self) -> None:
        self._visible = VisibleText()
        self._directives = Directives()

    def feed(self, piece: str) -> str:
        """Take some more of the message; return what has become visible."""
        return self._directives.feed(self._visible.feed(piece))

    def end(self) -> str:
        """The message is over: return what was kept back."""
        return self._directives.feed(self._visible.end()) + self._directives.end()
