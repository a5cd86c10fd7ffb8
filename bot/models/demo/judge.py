"""Whose a sentence is, and whether what it asks is still open (pure)."""

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from enum import IntEnum
from typing import Final

from bot.models.demo.words import first, words

_LAYERS: Final = 6
"""How many lead-ins a sentence may have: "TODO: Lin, please remember to …" has three."""


class Kind(IntEnum):
    """What a sentence says of itself, and a title of the lines under it; the higher one wins."""

    PLAIN = 0
    ASIDE = 1
    ASKING = 2
    YOURS = 3
    THEIRS = 4
    CLOSED = 5


class Judge:
    """Reads one file; *me* is its reader's name, if it is known."""

    def __init__(self, text: str, me: str) -> None:
        names = Counter(re.findall(r"\b[A-ZÀ-Ý][^\W\d_]+", text))
        small = set(re.findall(r"(?<![@\w])[a-zà-ÿ][^\W\d_]*", text))
        alone = bool(words("part", "you_alone").search(text))
        self._me = me.casefold()
        self._common = {name for name in names if name.lower() in small}
        self._once = {name for name, count in names.items() if count == 1 and not alone}

    def title(self, text: str) -> Kind:
        """Say what a title means for the lines under it; a name nobody uses again is a subject."""
        text = text.rstrip(":： ")
        masked = self._masked(text, but=self._once & {text})
        found, rule = first("title", masked, listed=False)
        return Kind[rule["kind"].upper()] if found else Kind.PLAIN

    def sentence(self, text: str, *, listed: bool) -> tuple[Kind, str]:
        """Say whose *text* is, and give the task in it without the words that ask."""
        kind = Kind.PLAIN
        for _ in range(_LAYERS):
            found, rule = first("sentence", self._masked(text), listed=listed)
            if not found:
                break
            kind = max(kind, Kind[rule["kind"].upper()])
            before, after = text[: found.start()].strip(" ,，"), text[found.end() :].strip()
            match rule.get("task"):
                case "on":
                    text = after
                case "before":
                    return kind, before
                case "after":
                    return kind, _after(before, after) or before
                case _:
                    break
        return kind, text

    def _masked(self, text: str, *, but: AbstractSet[str] = frozenset()) -> str:
        """Make names recognisable, letter for letter, so that places stay the same."""

        def mask(name: re.Match[str]) -> str:
            if name[0].casefold() == self._me:
                return "\ue001" * len(name[0])
            first = name[0].split()[0]
            if first in self._common | but or words("part", "no_name").fullmatch(first):
                return name[0]
            return "\ue000" * len(name[0])

        return words("part", "name").sub(mask, text.replace("'", "’"))


def _after(before: str, after: str) -> str:
    """Return the task, with the time or the subject that may stand before the words that ask."""
    if before and after and words("part", "kept").fullmatch(before):
        glue = " " if before.endswith(":") else ", " if before.isascii() else ""
        return f"{before}{glue}{after}"
    return after
