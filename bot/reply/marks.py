"""Finds marks in a text that is still being written, outside its code spans and fences.

Where code begins and ends is decided as CommonMark does: a fence stands at the
head of its line and lasts to a closing one; a run of ticks is a code span only
if a run of as many follows in its paragraph. What cannot be decided yet is
kept, and nothing more, so however a text is cut the same marks are found.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

_LEAD: Final = re.compile(r"(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*")
"""What may stand before a fence on its line: quotes and the marks of lists."""

_END_OF_SPAN: Final = re.compile(
    r"(?P<run>`+)"
    r"|(?P<paragraph>\n[ \t]*(?=\n|[-*+][ \t]|#{1,6}[ \t]|>|(?:\d{1,9}[.)][ \t]+)?(?:```|~~~)))"
)
_MAYBE_END: Final = re.compile(
    r"`+\Z|\n[ \t]*(?:[-*+]|#{1,6}|\d{1,9}(?:[.)][ \t]*)?)?(?:`+|~~?)?\Z"
)
_MAYBE_CODE: Final = re.compile(r"[\\~]~?\Z")
_REMEMBERED: Final = 100
"""How much of a long line is kept to know what stands before a mark."""
SLICE: Final = 256
"""Characters of the longest piece that is looked at in one step."""


def slices(piece: str) -> Iterator[str]:
    """Cut a long piece, so that no step looks at all that follows: time stays linear."""
    return (piece[start : start + SLICE] for start in range(0, len(piece), SLICE))


def beginnings(words: Iterable[str]) -> str:
    """Return a pattern of all that *words* begin with, and of the words."""
    tails: dict[str, list[str]] = {}
    for word in sorted(words):
        tails.setdefault(word[0], []).append(word[1:])
    return "|".join(map(_begun, tails, tails.values()))


def _begun(letter: str, tails: Iterable[str]) -> str:
    """Return *letter* and, below it, what may follow: no letter stands twice in one place."""
    further = beginnings(filter(None, tails))
    return re.escape(letter) + (f"(?:{further})?" if further else "")


@cache
def _plain(starts: str) -> re.Pattern[str]:
    """Return what matches a piece of a line in which neither a mark nor code begins."""
    return re.compile(rf"[^{re.escape(starts)}\\`~\n]*")


@cache
def _token(mark: re.Pattern[str]) -> re.Pattern[str]:
    """Return what matches *mark*, and whatever makes it none."""
    return re.compile(
        rf"(?P<mark>{mark.pattern})|(?P<escape>\\[!-/:-@\[-`{{-~])|(?P<ticks>`+)|(?P<waves>~~~+)",
        mark.flags,
    )


class Marks:
    """The marks of one growing text.

    `mark` matches what is looked for; `unfinished` matches a tail, up to the very
    end, that more words could make a mark. Both begin with one of `starts`, or at
    the head of a line.
    """

    def __init__(self, mark: re.Pattern[str], unfinished: re.Pattern[str], starts: str) -> None:
        self._unfinished = unfinished
        self._plain = _plain(starts)
        self._token = _token(mark)
        self._text = ""
        self._at = 0
        self._fence: re.Pattern[str] | None = None
        self._ticks = 0
        self._looked = 0
        self._tail: int | None = None

    @property
    def line(self) -> str:
        """What stands before the place reached, on its line, marks left out."""
        return self._text[self._text.rfind("\n", 0, self._at) + 1 : self._at]

    def feed(self, piece: str) -> None:
        """Take some more text."""
        self._text += piece
        self._tail = None

    def next(self, *, final: bool) -> tuple[str, re.Match[str] | None]:
        """Return the text up to the next mark, and the mark; None if there is none yet.

        With *final* there is no more text to come, and nothing is kept.
        """
        if self._is_plain():
            start, self._at = self._at, len(self._text)
            text = self._text[start:]
            self._forget()
            return text, None
        passed: list[str] = []
        while True:
            if self._fence:
                decided = self._pass_fence(self._fence, passed, final=final)
            elif self._ticks:
                decided = self._pass_span(passed, final=final)
            else:
                decided, mark = self._pass_text(passed, final=final)
                if mark:
                    return "".join(passed), mark
            if not decided:
                self._forget()
                return "".join(passed), None

    def _is_plain(self) -> bool:
        """Whether no mark and no code can begin in what is left: most words of most answers."""
        if self._fence or self._ticks or self._at == 0 or self._text[self._at - 1] == "\n":
            return False
        return self._plain.fullmatch(self._text, self._at) is not None

    def skip_past(
        self, mark: re.Pattern[str], unfinished: re.Pattern[str], *, final: bool
    ) -> tuple[str, re.Match[str] | None]:
        """Drop all up to and with the next *mark*, code or not; return what stood before it."""
        found = mark.search(self._text, self._at)
        held = None if found or final else unfinished.search(self._text, self._at)
        end = found.start() if found else held.start() if held else len(self._text)
        dropped = self._text[self._at : end]
        self._drop(found.end() if found else end)
        return dropped, found

    def skip_block(self, end: str, *, final: bool) -> bool | None:
        """Drop all up to and with *end*, code or not; None if it may still come, False if not."""
        place = self._text.find(end, max(self._at, self._looked))
        if place >= 0:
            self._drop(place + len(end))
            return True
        self._looked = max(self._at, len(self._text) - len(end))
        return False if final else None

    def _pass_text(self, passed: list[str], *, final: bool) -> tuple[bool, re.Match[str] | None]:
        """Go to the next mark, or to where code begins. False: what is left cannot be decided."""
        token = self._token.search(self._text, self._at)
        if not final:
            undecided = self._undecided(token)
            if undecided < (token.start() if token else len(self._text) + 1):
                self._pass(passed, undecided)
                return False, None
        if token is None:
            self._pass(passed, len(self._text))
            return False, None
        if not final and token.end() == len(self._text):
            self._pass(passed, token.start())
            return False, None
        self._pass(passed, token.start())
        match token.lastgroup if token["mark"] is None else "mark":
            case "mark":
                self._drop(token.end())
                return True, token
            case "escape":
                self._pass(passed, token.end())
                return True, None
            case _:
                return self._begin_code(token, passed, final=final), None

    def _undecided(self, token: re.Match[str] | None) -> int:
        """Where a tail begins that only more words can decide."""
        if token is None and (code := _MAYBE_CODE.search(self._text, self._at)):
            return min(code.start(), self._unfinished_from())
        return self._unfinished_from()

    def _unfinished_from(self) -> int:
        """Where a tail begins that could become a mark; looked for once until the text changes."""
        if self._tail is None or self._tail < self._at:
            tail = self._unfinished.search(self._text, self._at)
            self._tail = tail.start() if tail else len(self._text)
        return self._tail

    def _begin_code(self, token: re.Match[str], passed: list[str], *, final: bool) -> bool:
        """Enter a fence or a code span. False: only the end of the line will tell which."""
        run = token[0]
        heads = len(run) >= 3 and _LEAD.fullmatch(self.line)
        if heads and run[0] == "`":
            line_end = self._text.find("\n", token.end())
            ticks = self._text.find("`", token.end())
            if line_end < 0 and ticks < 0 and not final:
                return False
            heads = None if 0 <= ticks < (line_end if line_end >= 0 else len(self._text)) else heads
        self._pass(passed, token.end())
        if heads:
            self._fence = re.compile(
                rf"(?<![^\n])[ \t>]*{re.escape(run[0])}{{{len(run)},}}[ \t]*(?=\n|\Z)"
            )
        elif run[0] == "`":
            self._ticks = len(run)
            self._looked = self._at
        return True

    def _pass_fence(self, end: re.Pattern[str], passed: list[str], *, final: bool) -> bool:
        closing = end.search(self._text, self._at)
        if closing and (final or closing.end() < len(self._text)):
            self._fence = None
            self._pass(passed, closing.end())
            return True
        line = self._text.rfind("\n") + 1
        maybe = not self._text[line:].strip(" \t>`~") and line >= self._at
        self._pass(passed, line if maybe and not final else len(self._text))
        return False

    def _pass_span(self, passed: list[str], *, final: bool) -> bool:
        """Look for the ticks that close a code span, or for the paragraph's end: no code then."""
        start = max(self._looked, self._at)
        tail = None if final else _MAYBE_END.search(self._text, start)
        self._looked = tail.start() if tail else len(self._text)
        for end in _END_OF_SPAN.finditer(self._text, start):
            if end.start() >= self._looked:
                break
            if end["paragraph"] is not None or len(end["run"]) == self._ticks:
                self._pass(passed, end.end() if end["run"] else self._at)
                self._ticks = 0
                return True
        if final:
            self._ticks = 0
            return True
        self._pass(passed, self._plain_until())
        return False

    def _plain_until(self) -> int:
        """Up to where a text is the same, code or not."""
        token = self._token.search(self._text, self._at)
        end = min(self._looked, token.start() if token else self._looked)
        if end == self._at:
            return end
        code = _MAYBE_CODE.search(self._text, self._at)
        return min(end, code.start() if code else end, self._unfinished_from())

    def _pass(self, passed: list[str], end: int) -> None:
        passed.append(self._text[self._at : end])
        self._at = end

    def _drop(self, end: int) -> None:
        self._text = self._text[: self._at] + self._text[end:]
        self._looked = 0
        self._tail = None

    def _forget(self) -> None:
        """Let go of what lies behind, but for the line the place is in."""
        start = max(self._text.rfind("\n", 0, self._at) + 1, self._at - _REMEMBERED, 0)
        self._text = self._text[start:]
        self._at -= start
        self._looked = max(0, self._looked - start)
        self._tail = None
