"""What the demo listens for and what it says, in English and Chinese: the tables beside this."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

_HERE: Final = files(__package__)
WORDS: Final[Mapping[str, Any]] = tomllib.loads((_HERE / "words.toml").read_text("utf-8"))
SAYINGS: Final[Mapping[str, Any]] = tomllib.loads((_HERE / "sayings.toml").read_text("utf-8"))


@cache
def words(table: str, name: str) -> re.Pattern[str]:
    """Return the expression called *name*."""
    return _expression(WORDS[table][name])


def first(table: str, text: str, *, listed: bool) -> tuple[re.Match[str] | None, Mapping[str, str]]:
    """Return the first rule of a table that finds something in *text*, and what it found."""
    for when, rule in _rules(table):
        if (listed or "listed" not in rule) and (found := when.search(text)):
            return found, rule
    return None, {}


@cache
def _rules(table: str) -> list[tuple[re.Pattern[str], Mapping[str, str]]]:
    return [(_expression(rule["when"]), rule) for rule in WORDS[table]]


def _expression(alternatives: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_whole, alternatives)), re.IGNORECASE)


def _whole(text: str) -> str:
    parts = WORDS["part"]
    return re.sub("%(\\w+)%", lambda p: f"(?:{'|'.join(map(_whole, parts[p[1]]))})", text)
