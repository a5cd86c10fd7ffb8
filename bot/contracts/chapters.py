"""Where a session goes on: in a new chapter, or in an earlier one."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChapter:
    """The session goes on with nothing in mind; what was before stays and is linked."""

    reason: str
    """Why, in one word: ``asked``, ``idle``."""
    kind: Literal["new"] = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTo:
    """The session goes on from an earlier chapter."""

    chapter: int
    kind: Literal["back"] = "back"
