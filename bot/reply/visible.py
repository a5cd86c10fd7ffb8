"""What people may see of a model's text: no reasoning, no special tokens, no faked machinery.

Reasoning tags, ``<final>`` and special tokens are taken out wherever they are
not code. Everything else stays: ``<br>`` is text, and so is a tag that never
closes its angle bracket.
"""

import re
from typing import Final

from bot.reply.marks import SLICE, Marks, beginnings, slices

_THINKING: Final = ("think", "thinking", "thought", "antthinking")
_BLOCKS: Final = (
    "system-reminder",
    "function_calls",
    "function_results",
    "invoke",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tool_result",
    "tool_results",
    "tool_use",
)
"""What a model's own machinery is written in. In an answer it is an imitation."""

_NAMES: Final = (*_THINKING, "final", *_BLOCKS)
_PREFIXED: Final = (*_NAMES, *(f"antml:{name}" for name in _NAMES))
_BAR: Final = r"[|\uff5c]"
_ATTRIBUTES: Final = r"(?:\s[^<>]{0,200})?"


def _tag(names: tuple[str, ...], *, group: str) -> str:
    return (
        rf"<(?P<{group}_close>/?)(?:antml:)?(?P<{group}>{'|'.join(names)})"
        rf"{_ATTRIBUTES}(?P<{group}_empty>/?)>"
    )


_MARK: Final = re.compile(
    "|".join(
        [
            _tag((*_THINKING, "final"), group="tag"),
            rf"<(?:antml:)?(?P<block>{'|'.join(_BLOCKS)}){_ATTRIBUTES}>",
            rf"(?P<token><{_BAR}[^\s<>|\uff5c]{{1,64}}{_BAR}>)",
        ]
    ),
    re.IGNORECASE,
)
_UNFINISHED: Final = re.compile(
    rf"<(?:/?(?:(?:{beginnings(_PREFIXED)})?|(?:{'|'.join(_PREFIXED)}){_ATTRIBUTES}/?)"
    rf"|{_BAR}[^\s<>|\uff5c]{{0,64}}{_BAR}?)\Z",
    re.IGNORECASE,
)
_END_OF_THINKING: Final = re.compile(
    rf"</(?:antml:)?(?:{'|'.join(_THINKING)})\s*>|<(?:antml:)?final{_ATTRIBUTES}>",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """Return what people may see of a whole message (pure)."""
    words = VisibleText()
    shown = words.feed(text) + words.end()
    return shown[words.withdrawn :]


class VisibleText:
    """One message while it is being written: feed it pieces, get what may be seen.

    It keeps back only a tail that could still become a tag, and what stands
    between a tag and the ticks or the line that make it code.
    """

    def __init__(self) -> None:
        self._marks = Marks(_MARK, _UNFINISHED, "<")
        self._thinking = False
        self._block: re.Match[str] | None = None
        self._shown = 0
        self._spoke = False
        self._hid = False
        self._orphan: int | None = None
        self.withdrawn = 0
        """How many characters, from the first, turned out to be reasoning when a closing tag
        without an opening one followed them. A whole text leaves them out; a screen that
        showed them replaces them by the answer."""

    @property
    def reasoning_only(self) -> bool:
        """Whether there was reasoning and not a word besides it."""
        return self._hid and not self._spoke

    def feed(self, piece: str) -> str:
        """Take some more of the message; return what has become visible."""
        if len(piece) <= SLICE:
            return self._take(piece)
        return "".join(map(self._take, slices(piece)))

    def end(self) -> str:
        """The message is over: return what was kept back. Reasoning left open stays hidden."""
        return self._advance(final=True)

    def _take(self, piece: str) -> str:
        self._marks.feed(piece)
        return self._advance(final=False)

    def _advance(self, *, final: bool) -> str:
        shown: list[str] = []
        while True:
            if self._thinking:
                dropped, end = self._marks.skip_past(_END_OF_THINKING, _UNFINISHED, final=final)
                self._hid = self._hid or bool(dropped.strip())
                if end is None:
                    break
                self._thinking = False
            if self._block:
                gone = self._marks.skip_block(f"</{_name(self._block)}>", final=final)
                if gone is None:
                    break
                shown.append("" if gone else self._show(self._block["mark"]))
                self._block = None
            text, mark = self._marks.next(final=final)
            shown.append(self._show(text))
            if mark is None:
                break
            self._meet(mark)
        return "".join(shown)

    def _show(self, text: str) -> str:
        self._shown += len(text)
        if text.strip():
            self._spoke = True
            if self._orphan is not None:
                self.withdrawn = self._orphan
        return text

    def _meet(self, mark: re.Match[str]) -> None:
        """Decide what a mark begins or ends."""
        if mark["block"]:
            self._block = mark
        elif mark["tag"] and mark["tag"].lower() != "final":
            if mark["tag_close"]:
                self._orphan = self._shown
            elif not mark["tag_empty"]:
                self._thinking = True


def _name(block: re.Match[str]) -> str:
    """The block's name as it was written, which is how it must close."""
    return block["mark"].strip("<>").split(maxsplit=1)[0]
