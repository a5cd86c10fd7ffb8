"""Blocks split at a character: what is before it, what is after it, both whole in themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import assert_never

from bot.contracts.document import (
    Block,
    CodeBlock,
    Heading,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
)


def size_of(block: Block, *, enough: int | None = None) -> int:
    """How many characters a block holds, at least 1 (pure); counting may stop at *enough*."""
    match block:
        case Paragraph() | Heading():
            return _sum((len(span.text) for span in block.spans), enough)
        case CodeBlock():
            return max(1, len(block.code))
        case Quote():
            return _sum((size_of(inner, enough=enough) for inner in block.blocks), enough)
        case ListBlock():
            return _sum((size_of_item(item, enough=enough) for item in block.items), enough)
        case Table():
            return _sum((_size_of_row(row) for row in chain((block.head,), block.rows)), enough)
        case Rule():
            return 1
        case _:
            assert_never(block)


def size_of_item(item: ListItem, *, enough: int | None = None) -> int:
    """How many characters a list item holds, at least 1 (pure)."""
    return _sum((size_of(block, enough=enough) for block in item.blocks), enough)


def _size_of_row(row: Sequence[Sequence[Span]]) -> int:
    return _sum((len(span.text) for cell in row for span in cell), None)


def _sum(sizes: Iterable[int], enough: int | None) -> int:
    total = 0
    for size in sizes:
        total += size
        if enough is not None and total >= enough:
            break
    return max(1, total)


def split(blocks: Sequence[Block], at: int) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """The first *at* characters of *blocks*, or a little less, and what comes after (pure)."""
    left = at
    for index, block in enumerate(blocks):
        size = size_of(block, enough=left + 1)
        if size > left:
            head, rest = _split_block(block, left) if left > 0 else (None, block)
            before, after = tuple(blocks[:index]), tuple(blocks[index + 1 :])
            return (
                before if head is None else (*before, head),
                after if rest is None else (rest, *after),
            )
        left -= size
    return tuple(blocks), ()


def _split_block(block: Block, at: int) -> tuple[Block | None, Block | None]:
    match block:
        case Paragraph() | Heading():
            head, rest = _split_spans(block.spans, at)
            return (
                replace(block, spans=head) if head else None,
                replace(block, spans=rest) if rest else None,
            )
        case CodeBlock():
            code = block.code[:at].removesuffix("\n")
            return replace(block, code=code), replace(block, code=block.code[at:])
        case Quote():
            inner, after = split(block.blocks, at)
            return (
                Quote(blocks=inner) if inner else None,
                Quote(blocks=after) if after else None,
            )
        case ListBlock():
            return _split_list(block, at)
        case Table():
            return _split_table(block, at)
        case Rule():
            return block, None
        case _:
            assert_never(block)


def _split_spans(spans: Sequence[Span], at: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Split running text; the white space at the cut goes."""
    left = at
    for index, span in enumerate(spans):
        if len(span.text) >= left:
            head = [*spans[:index], replace(span, text=span.text[:left])]
            rest = [replace(span, text=span.text[left:]), *spans[index + 1 :]]
            return _stripped(head, end=True), _stripped(rest, end=False)
        left -= len(span.text)
    return tuple(spans), ()


def _stripped(spans: list[Span], *, end: bool) -> tuple[Span, ...]:
    at = -1 if end else 0
    while spans:
        span = spans[at]
        text = span.text.rstrip() if end else span.text.lstrip()
        if text:
            spans[at] = replace(span, text=text)
            break
        del spans[at]
    return tuple(spans)


def _split_list(block: ListBlock, at: int) -> tuple[Block | None, Block | None]:
    """Split a list; an item that goes on in the next piece has no mark there."""
    left = at
    for index, item in enumerate(block.items):
        size = size_of_item(item, enough=left + 1)
        if size > left:
            head, rest = split(item.blocks, left)
            before, after = block.items[:index], block.items[index + 1 :]
            if head:
                before = (*before, replace(item, blocks=head))
                after = (ListItem(mark="", blocks=rest), *after) if rest else after
            else:
                after = (item, *after)
            return (
                replace(block, items=before) if before else None,
                replace(block, items=after) if after else None,
            )
        left -= size
    return block, None


def _split_table(table: Table, at: int) -> tuple[Block | None, Block | None]:
    """Split a table between rows; both parts have the head."""
    left = at - _size_of_row(table.head)
    for index, row in enumerate(table.rows):
        left -= _size_of_row(row)
        if left < 0:
            if index == 0:
                return None, table
            return replace(table, rows=table.rows[:index]), replace(table, rows=table.rows[index:])
    return table, None
