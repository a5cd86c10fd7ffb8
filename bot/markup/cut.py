"""Document -> pieces that fit, each whole in itself: cut first, rendered after.

A piece ends between two blocks where it can; a block is broken only if it does
not fit even alone, then between lines, sentences, words, and last between
characters. What was open at the cut (a code block with its language, a quote,
a list, a table with its head) is opened again in the next piece.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, assert_never

from bot.contracts.document import (
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
    Style,
    Table,
)

Fits = Callable[[Document], bool]
_FitsBlocks = Callable[[Sequence[Block]], bool]

_BREAKS: Final = (
    re.compile(r"\n"),
    re.compile(r"[.!?…]['\")\]]*(?=\s)|[。！？]['\"」』）]*"),  # noqa: RUF001 - these end a sentence
    re.compile(r"\s"),
)
"""Where running text may end, the best first."""

_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")


def cut(document: Document, fits: Fits) -> tuple[Document, ...]:
    """Cut *document* into pieces that fit (pure).

    *fits* is asked about ever longer beginnings and should not say yes after a
    no. It is asked about each piece a few dozen times at most, never about
    much more than two pieces' worth. Where not even one character fits, the
    character is a piece all the same, so that nothing is lost and it ends.
    """

    def fit(blocks: Sequence[Block]) -> bool:
        return fits(Document(blocks=tuple(blocks)))

    rest: Sequence[Block] = document.blocks
    pieces: list[Document] = []
    while rest:
        piece, rest = _first_piece(rest, fit)
        pieces.append(Document(blocks=tuple(piece)))
    return tuple(pieces)
