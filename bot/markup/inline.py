"""The inside of a paragraph: Markdown's emphasis, code, links and spoilers, as spans.

The rules are CommonMark's (https://spec.commonmark.org/0.31.2/#inlines) with
five differences that chats ask for: a line break stays a line break; raw HTML
is text; ``||spoilers||``; emphasis closes beside Chinese and Japanese
punctuation; a link with a target nobody could follow is its text.

One pass with stacks and no look-ahead that could be repeated: time is linear
in the text, whatever the text is.
"""

import re
import unicodedata
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Final

from bot.contracts.document import Span, Style
from bot.markup.links import Links, link_target

_GRAMMAR: Final = r"""
    \\ (?P<escaped> [!-/:-@\[-`{-~] )
  | (?P<ticks> `+ )
  | (?P<marks> \*+ | _+ | ~~+ | \|\|+ )
  | (?P<entity> & (?: \#[0-9]{1,7} | \#[xX][0-9a-fA-F]{1,6} | [A-Za-z][A-Za-z0-9]{1,31} ) ; )
  | < (?P<auto> https?://[^\s<>]+ | mailto:[^\s<>]+ ) >
  | < (?P<mail> [\w.+-]{1,64} @ [\w-]{1,63} (?: \.[\w-]{1,63} ){1,8} ) >
  | (?P<url> (?<! [^\W_] ) (?<! \]\( ) https?://
      [^\s<>"`\[\]{}|\\^\u3000-\u303f\uff01-\uff60\u2018-\u201f]+ )
  | (?P<line> (?<! [ \t] ) [ \t]*+ \\? \n [ \t]* )
"""
_BRACKETS: Final = r"""
  | (?P<open> !?\[ )
  | (?P<close> \] )
"""
_TOKEN: Final = re.compile(_GRAMMAR + _BRACKETS, re.VERBOSE)
_TOKEN_BUT_LINKS: Final = re.compile(_GRAMMAR, re.VERBOSE)
_TICKS: Final = re.compile("`+")
_LONGEST: Final = 200_000
"""A paragraph of more characters is shown as it was written: no person wrote it, and reading it
would hold up everybody else for the better part of a second."""
_AFTER_URL: Final = "*_~.,:;!?'"

_STYLES: Final = {"*": Style.ITALIC, "_": Style.ITALIC, "~": Style.STRIKE, "|": Style.SPOILER}
_ALWAYS_TWO: Final = frozenset("~|")


def spans(text: str) -> tuple[Span, ...]:
    """Read the inside of one paragraph (pure). Never raises; neighbours differ in look."""
    if len(text) > _LONGEST:
        return (Span(text=text),)
    return _Reading(text).spans()


@dataclass(slots=True)
class _Node:
    """A run of characters that came from one token."""

    text: str
    link: str | None = None
    code: bool = False


@dataclass(slots=True)
class _Marks:
    """A run of equal marks that may open or close emphasis; `left` is what is not yet used."""

    node: int
    mark: str
    length: int
    left: int
    opens: bool
    closes: bool

    def closes_with(self, opener: "_Marks") -> bool:
        """CommonMark's rules 9 and 10: which runs belong together."""
        if opener.mark != self.mark:
            return False
        if self.mark in _ALWAYS_TWO or not (opener.closes or self.opens):
            return True
        return (opener.length + self.length) % 3 != 0 or (opener.length % 3 == self.length % 3 == 0)


@dataclass(slots=True)
class _Bracket:
    """An opening bracket that may become a link or an image."""

    node: int
    marks: int
    image: bool
    glued: bool
    """A word stands right before it: ``names[0](x)`` is a call, unless its target is one."""


class _Reading:
    """One reading of one text: nodes in order, and which of them look how."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._nodes: list[_Node] = []
        self._marks: list[_Marks] = []
        self._brackets: list[_Bracket] = []
        self._styled: list[tuple[Style, int, int]] = []
        self._parentheses: Links | None = None
        self._ticks: dict[int, deque[int]] | None = None

    def spans(self) -> tuple[Span, ...]:
        """Read it all."""
        token = _TOKEN if "](" in self._text else _TOKEN_BUT_LINKS
        at = 0
        while match := token.search(self._text, at):
            if match.start() > at:
                self._append(self._text[at : match.start()])
            at = self._take(match)
        if at < len(self._text):
            self._append(self._text[at:])
        self._pair(0)
        return self._joined()

    def _take(self, match: re.Match[str]) -> int:
        """Take one token in and return where to go on."""
        token = match[0]
        match match.lastgroup:
            case "escaped":
                self._append(match["escaped"])
            case "ticks":
                return self._take_code(match)
            case "marks":
                self._take_marks(match)
            case "entity":
                self._append(_character(token))
            case "auto":
                self._append(match["auto"].removeprefix("mailto:"), link=match["auto"])
            case "mail":
                self._append(match["mail"], link=f"mailto:{match['mail']}")
            case "url":
                url = _without_tail(token)
                self._append(url, link=url)
                return match.start() + len(url)
            case "open":
                before = self._text[match.start() - 1 : match.start()]
                self._brackets.append(
                    _Bracket(
                        node=len(self._nodes),
                        marks=len(self._marks),
                        image=token.startswith("!"),
                        glued=before.isalnum() and before.isascii(),
                    )
                )
                self._append(token)
            case "close":
                return self._take_close(match.start())
            case _:
                self._append("\n")
        return match.end()

    def _append(self, text: str, *, link: str | None = None, code: bool = False) -> None:
        self._nodes.append(_Node(text, link, code))

    def _take_code(self, match: re.Match[str]) -> int:
        """A code span, if a run of as many ticks follows; else the ticks are text."""
        if self._ticks is None:
            self._ticks = {}
            for run in _TICKS.finditer(self._text):
                self._ticks.setdefault(len(run[0]), deque()).append(run.start())
        closers = self._ticks.get(len(match[0]), deque())
        while closers and closers[0] < match.end():
            closers.popleft()
        if not closers:
            self._append(match[0])
            return match.end()
        code = self._text[match.end() : closers[0]].replace("\n", " ")
        if code.startswith(" ") and code.endswith(" ") and code.strip(" "):
            code = code[1:-1]
        self._append(code, code=True)
        return closers[0] + len(match[0])

    def _take_marks(self, match: re.Match[str]) -> None:
        mark, length = match[0][0], len(match[0])
        before = self._text[match.start() - 1] if match.start() else "\n"
        after = self._text[match.end()] if match.end() < len(self._text) else "\n"
        opens, closes = _flanks(mark, before, after)
        if (opens or closes) and (mark not in _ALWAYS_TWO or length == 2):
            self._marks.append(
                _Marks(
                    node=len(self._nodes),
                    mark=mark,
                    length=length,
                    left=length,
                    opens=opens,
                    closes=closes,
                )
            )
        self._append(match[0])

    def _take_close(self, at: int) -> int:
        """A closing bracket: the end of a link or an image, or text."""
        bracket = self._brackets.pop() if self._brackets else None
        end = None
        if bracket and self._text.startswith("(", at + 1):
            self._parentheses = self._parentheses or Links(self._text)
            end = self._parentheses.closing(at + 1)
        if bracket is None or end is None:
            self._append("]")
            return at + 1
        link, aside = link_target(self._text[at + 2 : end])
        if link is None and bracket.glued:
            self._append("]")
            return at + 1
        self._pair(bracket.marks)
        inside = self._nodes[bracket.node + 1 :]
        text = "".join(node.text for node in inside)
        if bracket.image:
            self._nodes[bracket.node :] = [_Node(text or link or aside, link)]
            while self._styled and self._styled[-1][1] > bracket.node:
                self._styled.pop()  # a description has no look of its own
            return end + 1
        self._nodes[bracket.node].text = ""
        for node in inside:
            node.link = link
        if aside and aside != text:
            self._append(f" ({aside})")
        self._brackets.clear()  # a link holds no link
        return end + 1

    def _pair(self, bottom: int) -> None:
        """Find which marks above *bottom* belong together, and forget them.

        `floors` is CommonMark's ``openers_bottom``: below it there is no opener
        for that kind of closer. It keeps the search linear.
        """
        openers: list[_Marks] = []
        floors: dict[tuple[str, bool, int], int] = {}
        for marks in self._marks[bottom:]:
            kind = (marks.mark, marks.opens, marks.length % 3)
            while marks.closes and marks.left:
                floor = floors.get(kind, 0)
                at = len(openers) - 1
                while at >= floor and not marks.closes_with(openers[at]):
                    at -= 1
                if at < floor:
                    floors[kind] = len(openers)
                    break
                self._style(openers[at], marks)
                del openers[at + bool(openers[at].left) :]
                for key, height in floors.items():
                    floors[key] = min(height, len(openers))
            if marks.opens and marks.left:
                openers.append(marks)
        del self._marks[bottom:]

    def _style(self, opener: _Marks, closer: _Marks) -> None:
        both = min(opener.left, closer.left, 2)
        style = Style.BOLD if both == 2 and opener.mark in "*_" else _STYLES[opener.mark]
        self._styled.append((style, opener.node + 1, closer.node))
        for marks in (opener, closer):
            marks.left -= both
            self._nodes[marks.node].text = marks.mark * marks.left
        if style is Style.SPOILER:  # marks on lines of their own take those lines with them
            for edge in (opener.node + 1, closer.node - 1):
                if self._nodes[edge].text == "\n":
                    self._nodes[edge].text = ""

    def _joined(self) -> tuple[Span, ...]:
        """Give each node its look and join neighbours that look the same."""
        count = len(self._nodes) + 1
        changes = {style: [0] * count for style in {style for style, _, _ in self._styled}}
        for style, first, end in self._styled:
            changes[style][first] += 1
            changes[style][end] -= 1
        depths = [(style, list(accumulate(change))) for style, change in changes.items()]
        plain: frozenset[Style] = frozenset()
        looks: list[tuple[str, frozenset[Style], str | None]] = []
        for at, node in enumerate(self._nodes):
            if node.text:
                styles = plain.union(style for style, depth in depths if depth[at] > 0)
                looks.append((node.text, styles | {Style.CODE} if node.code else styles, node.link))
        return tuple(
            Span(text="".join(text for text, _, _ in same), styles=styles, link=link)
            for (styles, link), same in groupby(looks, key=itemgetter(1, 2))
        )


def _character(entity: str) -> str:
    """The character an HTML entity names, or the entity itself."""
    name = entity[1:]
    if not name.startswith("#"):
        return html5.get(name, entity)
    digits = name[1:-1]
    code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return chr(code)


def _without_tail(url: str) -> str:
    """A bare address ends before the punctuation of its sentence (GFM's extended autolinks)."""
    while True:
        shorter = url.rstrip(_AFTER_URL)
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == url:
            return url
        url = shorter


def _flanks(mark: str, before: str, after: str) -> tuple[bool, bool]:
    """Whether a run of marks between these two characters may open, and may close.

    CommonMark's flanking rules, except that a Chinese, Japanese or Korean
    character counts as a border, because those languages put no spaces around
    emphasis: ``**时间：**周五``.
    """
    if mark == "|":
        alone = before == after == "\n"
        return alone or not after.isspace(), alone or not before.isspace()
    kind_before, kind_after = _kind(before), _kind(after)
    left = kind_after != "space" and (kind_after != "mark" or kind_before != "letter")
    right = kind_before != "space" and (kind_before != "mark" or kind_after != "letter")
    if mark == "_":
        return left and (not right or kind_before == "mark"), right and (
            not left or kind_after == "mark"
        )
    return left, right


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    if character.isspace():
        return "space"
    if unicodedata.category(character)[0] in "PS":
        return "mark"
    wide = unicodedata.east_asian_width(character) in "WF"
    return "wide" if wide else "letter"
