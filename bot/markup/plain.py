"""Document -> plain text: for a platform that refuses the markup, a terminal, a log."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import assert_never

from bot.contracts.document import (
    Align,
    Block,
    CodeBlock,
    Document,
    Heading,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
)


def plain(document: Document) -> str:
    """Write *document* as text that reads well without any markup (pure)."""
    return "\n\n".join("\n".join(_lines(block)) for block in document.blocks)


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Paragraph() | Heading():
            yield from _text(block.spans).split("\n")
        case CodeBlock():
            yield from block.code.split("\n")
        case Quote():
            yield from (f"> {line}".rstrip() for line in _stacked(block.blocks))
        case ListBlock():
            for item in block.items:
                yield from _item(item)
        case Table():
            yield from _table(block)
        case Rule():
            yield "---"
        case _:
            assert_never(block)


def _stacked(blocks: Sequence[Block]) -> Iterator[str]:
    for at, block in enumerate(blocks):
        if at:
            yield ""
        yield from _lines(block)


def _item(item: ListItem) -> Iterator[str]:
    """An item under its mark; without one it goes on from an earlier piece, indented alike."""
    mark = item.mark or " "
    indent = " " * (width(mark) + 1)
    lines = [line for block in item.blocks for line in _lines(block)] or [""]
    yield f"{mark} {lines[0]}".rstrip()
    yield from (f"{indent}{line}".rstrip() for line in lines[1:])


def _text(spans: Sequence[Span]) -> str:
    return "".join(_span(span) for span in spans)


def _span(span: Span) -> str:
    address = (span.link or "").removeprefix("mailto:")
    return f"{span.text} ({address})" if address and address != span.text else span.text


def _table(table: Table) -> Iterator[str]:
    rows = [[_text(cell).replace("\n", " ") for cell in row] for row in (table.head, *table.rows)]
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    for at, row in enumerate(rows):
        cells = (
            _padded(cell, to=wide, align=align)
            for cell, wide, align in zip(row, widths, table.align, strict=True)
        )
        yield "  ".join(cells).rstrip()
        if at == 0:
            yield "  ".join("-" * wide for wide in widths)


def _padded(text: str, *, to: int, align: Align) -> str:
    room = to - width(text)
    match align:
        case Align.LEFT:
            return text + " " * room
        case Align.RIGHT:
            return " " * room + text
        case Align.CENTER:
            return " " * (room // 2) + text + " " * (room - room // 2)
        case _:
            assert_never(align)


def width(text: str) -> int:
    """How many columns *text* takes in a fixed-width font: wide characters two, marks none.

    Wide is what Unicode calls wide or fullwidth (https://www.unicode.org/reports/tr11/).
    """
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
