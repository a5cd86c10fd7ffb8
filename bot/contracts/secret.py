"""Secrets never print themselves, and what was once a secret is masked in every log line."""

import base64
import json
from typing import Final
from urllib.parse import quote

_SHORTEST: Final = 6
"""Masking shorter values would blacken ordinary words."""
_known: set[str] = set()


class Secret:
    """A value to be used and never to be shown."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value
        if len(value) >= _SHORTEST:
            _known.update(_spellings(value))

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
    for spelling in sorted(_known, key=len, reverse=True):
        if spelling in text:
            text = text.replace(spelling, "***")
    return text


def _spellings(value: str) -> set[str]:
    raw = value.encode("utf-8", "replace")
    return {
        value,
        quote(value, safe=""),
        json.dumps(value)[1:-1],
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
    }
