"""From a document to HTML that may be inserted as it is: every character of it was escaped here."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Final, assert_never

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
    Style,
    Table,
)

_LONGEST: Final = 400_000
"""Characters of HTML in one line of the page; far beyond any answer, well inside any browser."""

_SAFE_LINK: Final = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f]+", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#._-]{1,30}")
_NUMBER: Final = re.compile(r"([0-9]{1,9})[.)]")
_BULLET: Final = "•"

_TAGS: Final = {
    Style.CODE: ("<code>", "</code>"),
    Style.STRIKE: ("<s>", "</s>"),
    Style.ITALIC: ("<em>", "</em>"),
    Style.BOLD: ("<strong>", "</strong>"),
    Style.SPOILER: ('<span class="spoiler" tabindex="0">', "</span>"),
}
"""From the inside out."""


class HtmlDialect:
    """The page's markup and its measure."""

    def render(self, document: Document) -> str:
        """Write *document* as HTML (pure)."""
        return _blocks(document.blocks)

    def render_blocks(self, blocks: Sequence[Block]) -> str:
        """Write *blocks* as HTML, one element each (pure)."""
        return _blocks(blocks)

    def fits(self, document: Document) -> bool:
        """Whether it may be one line of the page (pure)."""
        return len(self.render(document)) <= _LONGEST


def _blocks(blocks: Sequence[Block]) -> str:
    return "".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph(spans=spans):
            return f"<p>{_spans(spans)}</p>"
        case Heading(level=level, spans=spans):
            # The page itself has the first two levels.
            tag = f"h{min(max(level, 1) + 2, 6)}"
            return f"<{tag}>{_spans(spans)}</{tag}>"
        case CodeBlock(code=code, language=language):
            name = language if _LANGUAGE.fullmatch(language) else ""
            return f'<pre data-language="{escape(name)}"><code>{_text(code)}</code></pre>'
        case Quote(blocks=blocks):
            return f"<blockquote>{_blocks(blocks)}</blockquote>"
        case ListBlock(items=items, ordered=ordered):
            tag = "ol" if ordered else "ul"
            return f"<{tag}>{''.join(_item(item) for item in items)}</{tag}>"
        case Table():
            return _table(block)
        case Rule():
            return "<hr>"
        case _:
            assert_never(block)


def _item(item: ListItem) -> str:
    """Keep the mark of the source: a number as the item's value, anything odd as itself."""
    content = _blocks(item.blocks)
    if number := _NUMBER.fullmatch(item.mark):
        return f'<li value="{int(number[1])}">{content}</li>'
    if item.mark in {_BULLET, ""}:
        return f"<li>{content}</li>"
    return f'<li class="marked"><span class="mark">{_text(item.mark)}</span>{content}</li>'


def _table(table: Table) -> str:
    head = _row(table.head, "th", table.align)
    rows = "".join(_row(row, "td", table.align) for row in table.rows)
    return (
        '<div class="table" tabindex="0" role="region" aria-label="table">'
        f"<table><thead>{head}</thead><tbody>{rows}</tbody></table></div>"
    )


def _row(cells: Iterable[Sequence[Span]], tag: str, align: Sequence[Align]) -> str:
    written = []
    for place, cell in enumerate(cells):
        side = align[place] if place < len(align) else Align.LEFT
        name = "" if side is Align.LEFT else f' class="{side}"'
        written.append(f"<{tag}{name}>{_spans(cell)}</{tag}>")
    return f"<tr>{''.join(written)}</tr>"


def _spans(spans: Iterable[Span]) -> str:
    """Write runs; neighbours with one link become one link, whatever their looks."""
    written = []
    for link, group in groupby(spans, key=lambda span: span.link):
        inner = "".join(_span(span) for span in group)
        if link is not None and _SAFE_LINK.fullmatch(link):
            address = escape(link)
            inner = f'<a href="{address}" rel="noopener noreferrer" target="_blank">{inner}</a>'
        written.append(inner)
    return "".join(written)


def _span(span: Span) -> str:
    written = _text(span.text).replace("\n", "<br>")
    for style, (opening, closing) in _TAGS.items():
        if style in span.styles:
            written = f"{opening}{written}{closing}"
    return written


def _text(text: str) -> str:
    """Escape, and drop NUL, which no HTML may hold."""
    return escape(text.replace("\0", "\ufffd"))
