"""Regular expressions that somebody writes into the settings: none of them may take long.

A pattern is tried on what anybody writes in a room, so its worst case is bounded before it is
compiled for use: no repetition of a repetition, no reference back, no look around, and a bounded
number of ways in which it can match.
"""

import re
import warnings
from dataclasses import dataclass, field
from typing import Final

LONGEST_PATTERN: Final = 200
"""Characters."""

EXAMINED: Final = 300
"""Characters of a message that patterns are tried on, from its beginning."""

_MOST_WAYS: Final = 8 * EXAMINED
"""How many ways a pattern may match from one place: one open repetition and a few options."""

_REPEAT: Final = re.compile(r"\*|\+|\?|\{(\d*)(,?)(\d*)\}")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_GROUP: Final = re.compile(r"\((?:\?:|\?P<\w+>|(?!\?))")
_FLAGS: Final = re.compile(r"\(\?[aimsux]+\)")
_BACK: Final = re.compile(r"\\[1-9]")


def safe_pattern(text: str) -> re.Pattern[str]:
    """Compile *text*, whatever its case, if its worst case is bounded (pure).

    Raises:
        ValueError: it is none, or could take long; the sentence says why.
    """
    if not text.strip() or len(text) > LONGEST_PATTERN:
        raise ValueError(f"a regular expression of 1 to {LONGEST_PATTERN} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # it means something else some day
            compiled = re.compile(text, re.IGNORECASE)
    except (re.error, OverflowError, FutureWarning) as error:
        raise ValueError(f"a regular expression ({error})") from None
    if compiled.search(""):
        raise ValueError("a regular expression that does not match everything")
    reading = _Reading(text)
    ways = reading.alternatives()
    if ways > _MOST_WAYS:
        raise ValueError(
            "one with fewer repetitions: `*` and `+` are dear, and one of them is mostly enough"
        )
    return compiled


@dataclass(slots=True)
class _Reading:
    """One pass over a pattern, counting the ways in which it can match from one place."""

    text: str
    at: int = 0
    _depth: int = field(default=0)

    def alternatives(self) -> int:
        ways, here = 0, 1
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at] == "|":
                ways, here, self.at = ways + here, 1, self.at + 1
            else:
                here *= self._repeated(self._atom())
        return ways + here

    def _atom(self) -> int:
        """Read one thing that may be repeated; return in how many ways it matches."""
        if found := _FLAGS.match(self.text, self.at) or _CLASS.match(self.text, self.at):
            self.at = found.end()
            return 1
        if self.text[self.at] == "(":
            return self._group()
        if _BACK.match(self.text, self.at):
            raise ValueError("one without a reference back, such as \\1")
        self.at += 2 if self.text[self.at] == "\\" else 1
        return 1

    def _group(self) -> int:
        opened = _GROUP.match(self.text, self.at)
        if opened is None:
            raise ValueError("one without looking around; plain groups are fine")
        self.at = opened.end()
        ways = self.alternatives()
        self.at += 1
        return ways

    def _repeated(self, ways: int) -> int:
        """Multiply *ways* by the repetition that follows, if one does."""
        repeat = _REPEAT.match(self.text, self.at)
        if repeat is None:
            return ways
        self.at = repeat.end()
        if self.text[self.at : self.at + 1] in {"?", "+"}:
            self.at += 1
        most = _most(repeat)
        if ways > 1 and most > 1:
            raise ValueError("one without a repetition of what varies, such as (a+)* or (a|b)+")
        return ways * max(1, most if most > 1 else 2)


def _most(repeat: re.Match[str]) -> int:
    """How often it repeats at most; an open one as often as a text is long."""
    match repeat.group(0), repeat.group(1), repeat.group(2), repeat.group(3):
        case "?", _, _, _:
            return 1
        case (("*" | "+"), _, _, _):
            return EXAMINED
        case _, low, "", _:
            return int(low or 0)
        case _, _, _, high:
            return min(int(high), EXAMINED) if high else EXAMINED
