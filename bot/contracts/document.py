"""Text with structure and no dialect: what the model wrote, before any platform's markup."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol


class Style(StrEnum):
    """How a run of characters looks."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKE = "strike"
    CODE = "code"
    SPOILER = "spoiler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A run of characters of one look. A line break is a newline in the text."""

    text: str
    styles: frozenset[Style] = frozenset()
    link: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text."""

    spans: tuple[Span, ...]
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A title of depth 1 to 6."""

    level: int
    spans: tuple[Span, ...]
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """Characters to be shown exactly as they are."""

    code: str
    language: str = ""
    kind: Literal["code"] = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What somebody else said."""

    blocks: tuple["Block", ...]
    kind: Literal["quote"] = "quote"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItem:
    """One point of a list: its mark as written (``•``, ``3.``, ``☐``, ``☑``) and its content.

    Without a mark it goes on from the piece before.
    """

    mark: str
    blocks: tuple["Block", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBlock:
    """Points, in the order and with the numbers of the source."""

    items: tuple[ListItem, ...]
    ordered: bool = False
    kind: Literal["list"] = "list"


class Align(StrEnum):
    """Where a table column's text stands."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under a head row; a cell is a run of spans."""

    head: tuple[tuple[Span, ...], ...]
    rows: tuple[tuple[tuple[Span, ...], ...], ...]
    align: tuple[Align, ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A line across."""

    kind: Literal["rule"] = "rule"


Block = Paragraph | Heading | CodeBlock | Quote | ListBlock | Table | Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole text as blocks."""

    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """A text that is still being written, as it looks now; its first *settled* blocks stay."""

    blocks: tuple[Block, ...] = ()
    settled: int = 0


class LiveDocument(Protocol):
    """Takes words as they come, and shows what they look like."""

    def feed(self, piece: str) -> None:
        """Take some more of the text."""
        ...

    def picture(self) -> Growing:
        """Return what it looks like now."""
        ...
