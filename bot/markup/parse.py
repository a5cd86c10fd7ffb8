"""Markdown -> Document, in one go or while the words come."""

import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

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
from bot.markup.inline import spans

_DEEPEST: Final = 16
"""Containers deeper than this are shown as the text they were written in."""

_TASK: Final = re.compile(r"\[([ xX])\][ \t\n]+")
_LANGUAGE: Final = re.compile(r"\{?\.?([\w+#./:-]{1,40})")
_ALIGN: Final = {
    "text-align:center": Align.CENTER,
    "text-align:right": Align.RIGHT,
}


def parse(markdown: str) -> Document:
    """Read *markdown* (pure). Never raises, and takes time linear in its length."""
    stream = MarkdownStream()
    stream.feed(markdown)
    return stream.document()


class MarkdownStream:
    """A text that is still being written.

    However it was cut into pieces, `document` is what `parse` makes of the
    whole. A block that is closed is never parsed again.
    """

    def __init__(self) -> None:
        self._newlines = io.IncrementalNewlineDecoder(None, translate=True)
        self._open: list[str] = []
        self._closed: list[Block] = []

    def feed(self, piece: str) -> None:
        """Take some more of the text. Costs nothing; `document` does the work."""
        self._open.append(self._newlines.decode(piece))

    def document(self) -> Document:
        """Return the text so far as blocks."""
        settled, tail = self.settle()
        return Document(blocks=(*settled, *(block for _, block in _parse_blocks(tail))))

    def settle(self) -> tuple[Sequence[Block], str]:
        """Return the blocks that no further words can change, and the text after them."""
        text = "".join(self._open)
        blocks = _parse_blocks(text)
        sure = _sure_of(blocks, unfinished_line=text.count("\n"))
        if sure:
            self._closed += [block for _, block in blocks[:sure]]
            text = text[_offset(text, line=blocks[sure][0]) :]
        self._open = [text]
        return self._closed, text


def _sure_of(blocks: Sequence[tuple[int, Block]], *, unfinished_line: int) -> int:
    """How many of *blocks* no further words can change.

    A block ends where the next begins, and that is certain once the line after
    that beginning is complete: a table, the only block known by its second
    line, looks no further.
    """
    for at in range(len(blocks) - 1, 0, -1):
        if blocks[at][0] <= unfinished_line - 2:
            return at
    return 0


def _offset(text: str, *, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.index("\n", at) + 1
    return at


def _block_parser() -> MarkdownIt:
    """A parser of blocks alone; the inside of a paragraph is `spans`' business.

    Left out of CommonMark: link reference definitions, because a definition at
    the end would change what was said before; underlined headings, because
    models mean a line across; HTML, because here it is text.
    """
    parser = MarkdownIt("commonmark", {"maxNesting": 4 * _DEEPEST}).enable("table")
    parser.disable(["reference", "lheading", "html_block"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.before("table", "too_deep", _too_deep)
    return parser


def _too_deep(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A block rule: what is nested too deeply stays text, where the parser would drop it."""
    if silent or state.level < _DEEPEST:
        return False
    state.push("paragraph_open", "p", 1)
    state.push("inline", "", 0).content = state.getLines(first, end, state.blkIndent, False).strip()
    state.push("paragraph_close", "p", -1)
    state.line = end
    return True


_PARSER: Final = _block_parser()


def _parse_blocks(text: str) -> list[tuple[int, Block]]:
    """The blocks of *text*, each with the line it begins in."""
    tokens = iter(_PARSER.parse(text))
    found = []
    for token in tokens:
        first_line = token.map[0] if token.map else 0
        found += [(first_line, block) for block in _block(token, tokens)]
    return found


def _block(token: Token, rest: Iterator[Token]) -> Iterator[Block]:
    """The block that *token* begins, taking what belongs to it from *rest*; none if it is empty."""
    match token.type:
        case "paragraph_open":
            if content := _spans(rest):
                yield Paragraph(spans=content)
        case "heading_open":
            if content := _spans(rest):
                yield Heading(level=int(token.tag[1:]), spans=content)
        case "blockquote_open":
            yield Quote(blocks=_until("blockquote_close", rest))
        case "bullet_list_open":
            yield ListBlock(items=tuple(_items("bullet_list_close", rest)))
        case "ordered_list_open":
            yield ListBlock(items=tuple(_items("ordered_list_close", rest)), ordered=True)
        case "table_open":
            yield _table(rest)
        case "hr":
            yield Rule()
        case _:  # "fence" and "code_block", the only ones left
            yield _code(token)


def _spans(rest: Iterator[Token]) -> tuple[Span, ...]:
    content = next(rest).content
    next(rest)
    return spans(content)


def _until(end: str, rest: Iterator[Token]) -> tuple[Block, ...]:
    found: list[Block] = []
    for token in rest:
        if token.type == end:
            break
        found += _block(token, rest)
    return tuple(found)


def _code(token: Token) -> CodeBlock:
    """A code block; words after the fence that are no language are its first line."""
    code = token.content.removesuffix("\n")
    said = token.info.strip()
    named = _LANGUAGE.match(said)
    if said and (named is None or len(said.split()[0].strip("{.}")) > len(named[1])):
        return CodeBlock(code=f"{said}\n{code}" if code else said)
    return CodeBlock(code=code, language=named[1] if named else "")


def _items(end: str, rest: Iterator[Token]) -> Iterator[ListItem]:
    """The items of a list. Numbers are kept, unless the writer left the counting to us."""
    first: int | None = None
    repeated = False
    for at, token in enumerate(_opening(end, rest)):
        mark = "•"
        if token.info:
            number = int(token.info)
            if first is None:
                first = number
            repeated = repeated or (at == 1 and number == first)
            mark = f"{first + at if repeated else number}{token.markup}"
        yield _item(mark, rest)


def _opening(end: str, rest: Iterator[Token]) -> Iterator[Token]:
    for token in rest:
        if token.type == end:
            return
        yield token


def _item(mark: str, rest: Iterator[Token]) -> ListItem:
    """One item; ``[ ]`` and ``[x]`` at its head become its mark."""
    first = next(rest)
    if first.type == "list_item_close":
        return ListItem(mark=mark, blocks=())
    if first.type != "paragraph_open":
        head = tuple(_block(first, rest))
    else:
        content = next(rest).content
        next(rest)
        if task := _TASK.match(content):
            box = "☐" if task[1] == " " else "☑"
            mark = box if mark == "•" else f"{mark} {box}"
            content = content[task.end() :]
        inside = spans(content)
        head = (Paragraph(spans=inside),) if inside else ()
    return ListItem(mark=mark, blocks=(*head, *_until("list_item_close", rest)))


def _table(rest: Iterator[Token]) -> Table:
    rows: list[tuple[tuple[Span, ...], ...]] = []
    cells: list[tuple[Span, ...]] = []
    align: list[Align] = []
    for token in rest:
        match token.type:
            case "th_open":
                align.append(_ALIGN.get(str(token.attrs.get("style", "")), Align.LEFT))
            case "inline":
                cells.append(spans(token.content))
            case "tr_close":
                rows.append(tuple(cells))
                cells = []
            case "table_close":
                break
            case _:
                pass
    return Table(head=rows[0], rows=tuple(rows[1:]), align=tuple(align))
