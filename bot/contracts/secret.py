"""Secrets never print themselves, and what was once a secret is masked in every log line."""

import base64
import json
from typing import Final
from urllib.parse import quote

_SHORTEST: Final = 6
"""Masking shorter values would blacken ordinary words."""
_URL_SAFE: Final = str.maketrans("+/", "-_")
_known: set[str] = set()
_longest_first: tuple[str, ...] = ()
"""`_known` in the order in which it is looked for: sorted once, not for every line."""


class Secret:
    """A value to be used and never to be shown."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value
        if len(value) >= _SHORTEST:
            _know(_spellings(value))

    def reveal(self) -> str:
        """Return the value, for the one call that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret('***')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


def mask(text: str) -> str:
    """Replace every known secret in *text*, however it was encoded, by ``***``."""
    for spelling in _longest_first:
        if spelling in text:
            text = text.replace(spelling, "***")
    return text


def _know(spellings: set[str]) -> None:
    global _longest_first  # noqa: PLW0603 - one order of one set, both of this module
    _known.update(spellings)
    _longest_first = tuple(sorted(_known, key=len, reverse=True))


def _spellings(value: str) -> set[str]:
    raw = value.encode("utf-8", "replace")
    spellings = {value, quote(value, errors="replace"), quote(value, safe="", errors="replace")}
    for _ in range(2):  # text inside a body inside a line: escaped twice
        spellings |= {escaped for spelling in spellings for escaped in _escapes(spelling)}
    for before in range(3):
        # Base64 looks three ways at a run of bytes, by how many stand before it in the
        # whole (a user's name, in a header). Digits that mix in a neighbour are left out.
        coded = base64.b64encode(bytes(before) + raw)
        digits = coded[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6].decode()
        spellings |= {digits, digits.translate(_URL_SAFE)}
    return {spelling for spelling in spellings if len(spelling) >= _SHORTEST}


def _escapes(text: str) -> tuple[str, str, str]:
    return json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1]
