"""Markdown while it is being written, as it will look: what is open at its end is closed."""

import re
from typing import Final

from bot.contracts.document import Growing
from bot.markup.parse import MarkdownStream, parse

_FENCE: Final = re.compile(
    r"^[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})", re.MULTILINE
)
_BEGINS: Final = re.compile(
    r"\n[ \t]*\n|^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+|^[ \t]*#{1,6}[ \t]+|^[ \t]*>[ \t]?|\|",
    re.MULTILINE,
)
"""Where the inside of a paragraph, an item, a heading, a quote or a cell begins."""

_UNDECIDED: Final = re.compile(
    r"(?:^|(?<=\n))[ \t]*(?:[-*+]|\d{1,9}[.)]?|#{1,6})[ \t]*\Z"  # an item or a heading to be
    r"|(?:\*+|_+|~+|`+|\|+|!?\[[^\[\]\n]*(?:\](?:\([^()\s]*)?)?)\Z"  # marks, or a link to be
)
_ROW: Final = re.compile(r"[ \t]*\|[^\n]*")
_HEAD_ROWS: Final = 2
"""The names of the columns and the line below them: a table only once a row follows."""

_TICKS: Final = re.compile(r"`+")
_MARKS: Final = re.compile(r"\\.|(\*\*|\*|__|_|~~)", re.DOTALL)


class LiveMarkdown:
    """A text that is still being written.

    Asterisks that open something never show as such: what would close them is thought of. Marks
    at the very end, which the next letter decides, are kept back. A picture costs what is open of
    the text, not all of it.
    """

    def __init__(self) -> None:
        self._stream = MarkdownStream()

    def feed(self, piece: str) -> None:
        """Take some more of the text."""
        self._stream.feed(piece)

    def picture(self) -> Growing:
        """Return what it looks like now."""
        settled, tail = self._stream.settle()
        return Growing(blocks=(*settled, *parse(completed(tail)).blocks), settled=len(settled))


def completed(text: str) -> str:
    """Close what is open at the end of *text* (pure)."""
    fences = _FENCE.findall(text)
    if len(fences) % 2:
        # Open code shows as code; the beginning of the line that will close it shows as nothing.
        return re.sub(r"\n[ \t]*(?:`{1,2}|~{1,2})\Z", "", text)
    if _FENCE.match(text[text.rfind("\n") + 1 :]):
        return text
    text = _without_bare_head(text)
    text = _UNDECIDED.sub("", text)
    text = _UNDECIDED.sub("", text).rstrip()
    begin = max((found.end() for found in _BEGINS.finditer(text)), default=0)
    return text + _closing(text[begin:])


def _without_bare_head(text: str) -> str:
    """Keep back the head of a table as long as there is no row below it (pure)."""
    lines = text.rstrip().split("\n")
    rows = 0
    while rows < len(lines) and _ROW.fullmatch(lines[-1 - rows]):
        rows += 1
    if rows > _HEAD_ROWS and lines[-1].strip(" \t|"):
        return text
    return "\n".join(lines[: len(lines) - rows]) if rows <= _HEAD_ROWS + 1 and rows else text


def _closing(words: str) -> str:
    """Return what closes the marks that are open in *words*, the innermost first (pure)."""
    at = 0
    plain: list[str] = []
    while tick := _TICKS.search(words, at):
        plain.append(words[at : tick.start()])
        closer = next((t for t in _TICKS.finditer(words, tick.end()) if t[0] == tick[0]), None)
        if closer is None:
            return tick[0] + _closing_marks(" ".join(plain))
        plain.append("x")
        at = closer.end()
    return _closing_marks("".join([*plain, words[at:]]))


def _closing_marks(words: str) -> str:
    open_marks: list[str] = []
    for found in _MARKS.finditer(words):
        mark = found[1]
        if mark is None:
            continue
        before = words[found.start() - 1 : found.start()] or " "
        after = words[found.end() : found.end() + 1] or " "
        inside_word = "_" in mark and before.isalnum() and after.isalnum()
        if mark in open_marks and not before.isspace():
            del open_marks[open_marks.index(mark) :]
        elif not after.isspace() and not inside_word:
            open_marks.append(mark)
    return "".join(reversed(open_marks))
