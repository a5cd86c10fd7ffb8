"""Document -> pieces that fit, each whole in itself: cut first, rendered after.

A piece ends between two blocks where it can; a block is broken only if it does
not fit even alone, then between lines, sentences, words, and last between
characters. What was open at the cut (a code block with its language, a quote,
a list, a table with its head) is opened again in the next piece.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, assert_never

from bot.contracts.document import (
    Block,
    CodeBlock,
    Document,
    Heading,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
)
from bot.markup.split import size_of, size_of_item, split

Fits = Callable[[Document], bool]

_FIRST_GUESS: Final = 1024
_BREAKS: Final = (
    (re.compile(r"\n"), 2),
    (re.compile(r"[.!?…][\"')\]]*(?=\s)|[。！？][”’」』）]*"), 2),
    (re.compile(r"\s|[，、；：]"), 4),
)
"""Where running text may end, the best first; looked for behind that part of the room."""

_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_LONGEST_CLUSTER: Final = 32


def cut(document: Document, fits: Fits) -> tuple[Document, ...]:
    """Cut *document* into pieces that fit (pure).

    *fits* is asked about ever longer beginnings, a few dozen times a piece and
    never about much more than two pieces' worth; it should not say yes to a
    beginning after a no to a shorter one. Nothing but white space at a cut is
    lost: where not even one character fits, it is a piece all the same.
    """
    if fits(document):
        return (document,) if document.blocks else ()
    rest = document.blocks
    pieces: list[Document] = []
    guess = _FIRST_GUESS
    while rest:
        room = _room(rest, fits, guess)
        piece, after = split(rest, _place(rest, room, fits))
        if not piece:
            if simpler := _simpler(rest[0]):
                rest = (*simpler, *rest[1:])
                continue
            piece, after = split(rest, 1)
        guess = max(room, 1)
        rest = after
        pieces.append(Document(blocks=piece))
    return tuple(pieces)


def _room(blocks: Sequence[Block], fits: Fits, guess: int) -> int:
    """How many characters of *blocks* fit: doubled until they do not, then halved in between."""
    fitting, size = 0, guess
    while True:
        piece, rest = split(blocks, size)
        if piece and not fits(Document(blocks=piece)):
            break
        fitting, size = size, size * 2
        if not rest:
            return fitting
    while size - fitting > 1:
        middle = (fitting + size) // 2
        piece, _ = split(blocks, middle)
        if piece and not fits(Document(blocks=piece)):
            size = middle
        else:
            fitting = middle
    return fitting


def _place(blocks: Sequence[Block], room: int, fits: Fits) -> int:
    """The best place to cut within the first *room* characters."""
    start = 0
    for at, block in enumerate(blocks):
        size = size_of(block, enough=2 * room + 1)
        if start + size > room:
            whole = start and size <= 2 * room and fits(Document(blocks=(block,)))
            inside = 0 if whole else _place_inside(block, room - start, hard=not start)
            return start + inside if inside else start - _titles_before(blocks[:at])
        start += size
    return start


def _titles_before(blocks: Sequence[Block]) -> int:
    """The size of the titles that *blocks* end with, and that belong to what follows."""
    first = len(blocks)
    while first > 1 and isinstance(blocks[first - 1], Heading):
        first -= 1
    return sum(size_of(block) for block in blocks[first:])


def _place_inside(block: Block, room: int, *, hard: bool) -> int:
    """The best place to cut within the first *room* characters of *block*; 0 if there is none.

    Only with *hard* may it be in the middle of a word.
    """
    match block:
        case Paragraph() | Heading():
            return _place_in_text("".join(span.text for span in block.spans), room, hard=hard)
        case CodeBlock():
            line_end = block.code.rfind("\n", 0, room + 1)
            if line_end > 0:
                return line_end + 1
            return _between_characters(block.code, room) if hard else 0
        case Quote():
            return _place_between(block.blocks, room, hard=hard)
        case ListBlock():
            start = 0
            for item in block.items:
                size = size_of_item(item, enough=room + 1)
                if start + size > room:
                    if start > room // 2:
                        break
                    hard = hard and not start
                    return start + _place_between(item.blocks, room - start, hard=hard)
                start += size
            return start
        case Table() | Rule():
            return room
        case _:
            assert_never(block)


def _place_between(blocks: Sequence[Block], room: int, *, hard: bool) -> int:
    """As `_place`, inside a container: between blocks if that fills half of the room."""
    start = 0
    for block in blocks:
        size = size_of(block, enough=room + 1)
        if start + size > room:
            if start > room // 2:
                break
            return start + _place_inside(block, room - start, hard=hard and not start)
        start += size
    return start


def _place_in_text(text: str, room: int, *, hard: bool) -> int:
    for pattern, part in _BREAKS:
        place = 0
        for match in pattern.finditer(text, room // part, room + 1):
            if not text[room : match.end()].strip():  # only white space may go beyond: it is lost
                place = match.end()
        if place:
            return place
    return _between_characters(text, room) if hard else 0


def _between_characters(text: str, room: int) -> int:
    """Move back from *room* to where one visible character ends and the next begins."""
    place = room
    while 0 < place < len(text) and _clings(text[place - 1], text[place]):
        place -= 1
        if room - place > _LONGEST_CLUSTER:
            return room
    return place or room


def _clings(before: str, character: str) -> bool:
    """Whether *character* is drawn as one with the one before it (roughly UAX 29's clusters)."""
    return (
        character in _JOINERS
        or before == "\u200d"
        or ord(character) in _SKIN_TONES
        or unicodedata.category(character).startswith("M")
    )


def _simpler(block: Block) -> tuple[Block, ...]:
    """The same with less around it, for a block of which nothing fits; or nothing."""
    match block:
        case Table():
            return tuple(_rows_as_lines(block))
        case CodeBlock() if block.language:
            return (replace(block, language=""),)
        case Quote():
            return block.blocks
        case ListBlock() if any(item.blocks for item in block.items):
            return tuple(_items_as_blocks(block))
        case _:
            return ()


def _rows_as_lines(table: Table) -> Iterator[Block]:
    for row in (table.head, *table.rows):
        spans: list[Span] = []
        for at, cell in enumerate(row):
            spans += [Span(text=" | "), *cell] if at else cell
        yield Paragraph(spans=tuple(spans))


def _items_as_blocks(block: ListBlock) -> Iterator[Block]:
    for item in block.items:
        match item.blocks:
            case (Paragraph(spans=spans), *others) if item.mark:
                yield Paragraph(spans=(Span(text=f"{item.mark} "), *spans))
                yield from others
            case others:
                if item.mark:
                    yield Paragraph(spans=(Span(text=item.mark),))
                yield from others
