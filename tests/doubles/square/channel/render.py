"""From a document to the square's markup: words, and nothing that rings a bell for anybody."""

from bot.contracts.document import (
    Block,
    CodeBlock,
    Document,
    Heading,
    ListBlock,
    Paragraph,
    Quote,
    Span,
    Table,
)

LONGEST = 2_000
"""Characters of one message."""


class SquareDialect:
    """The square shows plain text; it has no markup but its mentions."""

    def render(self, document: Document) -> str:
        return "\n\n".join(filter(None, map(_block, document.blocks)))

    def fits(self, document: Document) -> bool:
        return len(self.render(document)) <= LONGEST


def _block(block: Block) -> str:
    match block:
        case Paragraph(spans=spans) | Heading(spans=spans):
            return _text(spans)
        case CodeBlock(code=code):
            return code
        case Quote(blocks=blocks):
            return "\n".join(f"> {_block(inner)}" for inner in blocks)
        case ListBlock(items=items):
            return "\n".join(
                f"{item.mark} {' '.join(map(_block, item.blocks))}".strip() for item in items
            )
        case Table(head=head, rows=rows):
            return "\n".join(" | ".join(map(_text, row)) for row in (head, *rows))
        case _:
            return "---"


def _text(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans)
