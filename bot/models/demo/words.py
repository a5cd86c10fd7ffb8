"""What the demo listens for and what it says, in English and Chinese, from the tables beside."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

_HERE: Final = files(__package__)
_WORDS: Final = tomllib.loads(_HERE.joinpath("words.toml").read_text("utf-8"))
_SENTENCES: Final = tomllib.loads(_HERE.joinpath("sentences.toml").read_text("utf-8"))


@cache
def words(name: str) -> re.Pattern[str]:
    """Return the expression called *name*."""
    return re.compile("|".join(sources(name)), re.IGNORECASE)


def sources(name: str) -> list[str]:
    """Return the parts of the expression called *name*, each complete."""
    return [
        re.sub("%([a-z_]+)%", lambda inner: "|".join(sources(inner[1])), part)
        for part in _WORDS[name]
    ]


def say(language: str, name: str, **parts: object) -> str:
    """Return the sentence called *name*."""
    return str(_SENTENCES[language][name]).format(**parts)
