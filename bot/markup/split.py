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
    index, left = _locate((size_of(block, enough=at + 1) for block in blocks), at)
    before, after = tuple(blocks[:index]), tuple(blocks[index:])
    if left == 0 or not after:
        return before, after
    head, rest = _split_block(after[0], left)
    return (*before, *head), (*rest, *after[1:])


def _locate(sizes: Iterable[int], at: int) -> tuple[int, int]:
    """Which of the parts holds character *at*, and how many characters are before it there."""
    index = 0
    for size in sizes:
        if size > at:
            break
        at -= size
        index += 1
    return index, at


def _split_block(block: Block, at: int) -> tuple[Sequence[Block], Sequence[Block]]:
    """What of *block* is before and what is after; a side with nothing to show is empty."""
    match block:
        case Paragraph() | Heading():
            before, after = _split_spans(block.spans, at)
            return (
                [replace(block, spans=before)] if before else [],
                [replace(block, spans=after)] if after else [],
            )
        case CodeBlock():
            code = block.code[:at].removesuffix("\n")
            return [replace(block, code=code)], [replace(block, code=block.code[at:])]
        case Quote():
            head, rest = split(block.blocks, at)
            return [Quote(blocks=head)] if head else [], [Quote(blocks=rest)] if rest else []
        case ListBlock():
            return _split_list(block, at)
        case Table():
            return _split_table(block, at)
        case Rule():
            return [], [block]
        case _:
            assert_never(block)


def _split_spans(spans: Sequence[Span], at: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Split running text; the white space at the cut goes."""
    index, left = _locate((len(span.text) for span in spans), at)
    text = spans[index].text
    head = [*spans[:index], replace(spans[index], text=text[:left])]
    rest = [replace(spans[index], text=text[left:]), *spans[index + 1 :]]
    return _stripped(head, end=True), _stripped(rest, end=False)


def _stripped(spans: list[Span], *, end: bool) -> tuple[Span, ...]:
    at = -1 if end else 0
    while spans:
        text = spans[at].text.rstrip() if end else spans[at].text.lstrip()
        if text:
            spans[at] = replace(spans[at], text=text)
            break
        del spans[at]
    return tuple(spans)


def _split_list(block: ListBlock, at: int) -> tuple[Sequence[Block], Sequence[Block]]:
    """Split a list; an item that goes on in the next piece has no mark there."""
    index, left = _locate((size_of_item(item, enough=at + 1) for item in block.items), at)
    before, item, after = block.items[:index], block.items[index], block.items[index + 1 :]
    head, rest = split(item.blocks, left)
    if head:
        before = (*before, replace(item, blocks=head))
        after = (ListItem(mark="", blocks=rest), *after) if rest else after
    else:
        after = (item, *after)
    return (
        [replace(block, items=before)] if before else [],
        [replace(block, items=after)] if after else [],
    )


def _split_table(table: Table, at: int) -> tuple[Sequence[Block], Sequence[Block]]:
    """Split a table between rows; both parts have the head."""
    index, _ = _locate(map(_size_of_row, table.rows), at - _size_of_row(table.head))
    if index == 0:
        return [], [table]
    return [replace(table, rows=table.rows[:index])], [replace(table, rows=table.rows[index:])]
