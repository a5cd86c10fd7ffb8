"""The page's conversations as JSON: listed, searched, renamed, deleted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from bot.contracts.ledger import Direction, Found, Line, Listed
from channels.webchat.places import name_of

LONGEST_TITLE: Final = 120
"""Characters of a title that a person gives."""

_OPENING_TITLE: Final = 60
"""Characters of a title that was taken from the first message."""

_BEFORE: Final = 40
_EXCERPT: Final = 160
"""Characters of an excerpt, and how many of them stand before what was found."""

_STRICT: Final = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRow:
    """One line of the list. `named` says that a person gave the title."""

    id: str
    title: str
    named: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    """One line that a search found, shortened around the first of the words."""

    conversation: str
    seq: int
    direction: Direction
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    """What ``GET /conversations`` answers, what was last used first."""

    conversations: tuple[ConversationRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What ``POST /search`` answers: titles that match, and lines, newest first."""

    conversations: tuple[ConversationRow, ...]
    lines: tuple[FoundRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWish:
    """What ``POST /search`` takes."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    words: Annotated[str, Field(max_length=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameWish:
    """What ``POST /conversations/<id>`` takes; an empty title takes the name away."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_TITLE)]


Answer = ConversationList | SearchResult


@cache
def _answer() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


@cache
def _search() -> TypeAdapter[SearchWish]:
    return TypeAdapter(SearchWish)


@cache
def _rename() -> TypeAdapter[RenameWish]:
    return TypeAdapter(RenameWish)


def encode(answer: Answer) -> str:
    """Write an answer as JSON (pure)."""
    return _answer().dump_json(answer).decode()


def read_search(body: bytes) -> SearchWish | None:
    """Read what ``POST /search`` was sent, or None if it is no such thing (pure)."""
    try:
        return _search().validate_json(body)
    except ValidationError:
        return None


def read_rename(body: bytes) -> RenameWish | None:
    """Read what ``POST /conversations/<id>`` was sent, or None if it is no such thing (pure)."""
    try:
        return _rename().validate_json(body)
    except ValidationError:
        return None


def list_of(listed: Sequence[Listed]) -> ConversationList:
    """Show conversations as a list (pure)."""
    return ConversationList(conversations=tuple(_row(one) for one in listed))


def result_of(
    words: Sequence[str], listed: Sequence[Listed], found: Sequence[Found]
) -> SearchResult:
    """Show what a search found (pure). A title matches like a line, by every one of *words*."""
    folded = [word.casefold() for word in words]
    rows = [_row(one) for one in listed if one.title is not None]
    return SearchResult(
        conversations=tuple(
            row for row in rows if all(word in row.title.casefold() for word in folded)
        ),
        lines=tuple(
            FoundRow(
                conversation=name_of(one.conversation),
                seq=one.line.seq,
                direction=one.line.direction,
                at=one.line.at,
                text=excerpt(_searched(one.line), words),
            )
            for one in found
        ),
    )


def _searched(line: Line) -> str:
    """Return the words of a line and the names of its files, among which a search looks."""
    return " ".join([line.text, *(file.name for file in line.attachments)])


def title_of(listed: Listed) -> str:
    """Return the name of a conversation: a person's, or the beginning of its first line (pure)."""
    return listed.title or _cut(_one_line(listed.opening), _OPENING_TITLE) or "…"


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return the part of *text* around the first of *words* that it holds, on one line (pure)."""
    line = _one_line(text)
    hits = [re.search(re.escape(word), line, re.IGNORECASE) for word in words]
    begin = max(min((hit.start() for hit in hits if hit), default=0) - _BEFORE, 0)
    if begin:
        begin = line.find(" ", begin, begin + _BEFORE) + 1 or begin
    return ("… " if begin else "") + _cut(line[begin:], _EXCERPT)


def _row(listed: Listed) -> ConversationRow:
    return ConversationRow(
        id=name_of(listed.key),
        title=title_of(listed),
        named=listed.title is not None,
        at=listed.last_at,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(line: str, length: int) -> str:
    """Cut *line* to *length* characters, between two words if one ends not far before."""
    if len(line) <= length:
        return line
    head = line[:length]
    at = head.rfind(" ", length * 2 // 3)
    return f"{head[:at] if at > 0 else head}…"
