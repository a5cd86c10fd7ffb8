"""What a file asks of its reader, in its order (pure)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bot.contracts.document import Block, Heading, ListBlock, Paragraph, Quote, Span, Style, Table
from bot.markup.parse import parse
from bot.models.demo.judge import Judge, Kind
from bot.models.demo.words import words

_HIDDEN: Final = re.compile(r"\A---\n.*?\n---\n|<!--(?:(?!<!--).)*?-->", re.DOTALL)
_BREAK: Final = re.compile(r"(?<!.{60})\n|(?<=[.!?。！？:：;；])\n|\n(?=TODO|ACTION|@)")
"""The end of a line that no editor broke."""
_UNDERLINED: Final = re.compile(r"^([^\n|>#-].*)\n(?:===+|---+)[ \t]*$", re.MULTILINE)
_AFTER_LIST: Final = re.compile(
    r"^([ \t]*(?:[-*+]|\d+[.)])\s.*\n)(?=[^\s\-*+\d#>|a-z])", re.MULTILINE
)
"""Markdown takes the line after a list into its last item; people mean a line of its own."""
_MARK: Final = re.compile(r"(?:[•·–]\s*|[(（]?\d+[、)）]\s*|[①-⑳]\s*)?(\[.?\] +|[☐□☑✅✓✔☒❌]\s*)?")
_OPEN: Final = ("", "[ ]", "[]", "☐", "□")
_SENTENCE: Final = re.compile(
    r"(?<=[.!?])(?<!\b[DM]r\.)(?<!\bMs\.)\s+(?=[\WA-Z])|(?<=[。！？；;])\s*(?=.)"
)
_ENDS: Final = " .。!！;；,，?？"
_PROSE: Final = 7
"""How deep a paragraph stands: below the six levels of headings."""


class _Line(NamedTuple):
    """A line without its marks; it stands under the nearest one above that is less deep."""

    depth: int
    text: str
    box: str = ""
    listed: bool = False


def tasks(text: str, me: str = "") -> list[str]:
    """Return what *text* asks of its reader; *me* is the reader's name, if it is known."""
    judge = Judge(text, me)
    found: list[str] = []
    above = [(0, Kind.PLAIN)]
    for line in _lines(parse(_as_markdown(text)).blocks):
        if not line.text:
            continue
        above = [title for title in above if title[0] < line.depth]
        over = above[-1][1]
        title = line.depth < _PROSE or words("part", "title").fullmatch(line.text)
        kind, asked = (judge.title(line.text), []) if title else _asked(line, over, judge)
        found += asked
        if title or line.listed:
            above.append((line.depth, over if kind is Kind.PLAIN else kind))
    return [task[:1].upper() + task[1:] for task in found]


def _as_markdown(text: str) -> str:
    """Write down in Markdown what people mean by other signs."""
    text = _UNDERLINED.sub(r"## \1", _HIDDEN.sub("", text))
    return _AFTER_LIST.sub(r"\1\n", words("part", "inline").sub(_as_list, text))


def _as_list(found: re.Match[str]) -> str:
    points = words("part", "point").split(found["points"])
    return "\n\n".join([found["title"], "\n".join(f"- {point}" for point in points), ""])


def _asked(line: _Line, over: Kind, judge: Judge) -> tuple[Kind, list[str]]:
    """Judge a line sentence by sentence; one may take back what was asked before it."""
    asked: list[str] = []
    kinds = [Kind.CLOSED] if line.box not in _OPEN else []
    for part in [] if kinds else [line.text] if line.box else _SENTENCE.split(line.text):
        kind, task = judge.sentence(part.strip(_ENDS), listed=line.listed)
        if kind is Kind.CLOSED and words("part", "takes_back").match(part):
            del asked[-1:]
        elif _counts(kind, over, line, first=not kinds):
            asked.append(words("part", "state").sub("", task.strip(_ENDS)))
        kinds.append(kind)
    return (Kind.ASIDE if asked else kinds[0]), asked


def _counts(kind: Kind, over: Kind, line: _Line, *, first: bool) -> bool:
    if kind is Kind.YOURS:
        return over is not Kind.CLOSED
    if {kind, over} & {Kind.THEIRS, Kind.CLOSED}:
        return False
    if line.listed and first and (line.box or over in {Kind.YOURS, Kind.ASKING}):
        return True
    return kind is Kind.ASKING and over is not Kind.ASIDE


def _lines(blocks: Sequence[Block], depth: int = _PROSE) -> Iterator[_Line]:
    for block in blocks:
        match block:
            case Heading():
                yield _Line(block.level, _text(block.spans))
            case Paragraph() if depth > _PROSE:
                yield _line(_text(block.spans), depth)
            case Paragraph():
                for number, text in enumerate(_BREAK.split(_text(block.spans))):
                    line = _line(text, depth + min(number, 1))
                    yield line._replace(depth=depth + 2) if line.listed else line
            case ListBlock():
                for item in block.items:
                    first_line, *below = [*_lines(item.blocks, depth + 3), _Line(depth, "")]
                    box = item.mark[-1] if item.mark[-1] in "☐☑" else first_line.box
                    yield first_line._replace(depth=depth + 2, box=box, listed=True)
                    yield from below
            case Quote():
                yield from _lines(block.blocks, depth)
            case Table():
                yield from _rows(block, depth + 2)
            case _:
                pass


def _text(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in spans if Style.STRIKE not in span.styles).strip()


def _line(text: str, depth: int) -> _Line:
    mark = _MARK.match(text)
    assert mark  # noqa: S101 - everything in it is optional
    return _Line(
        depth, text[mark.end() :].replace("\n", " ").strip(), (mark[1] or "").strip(), bool(mark[0])
    )


def _rows(table: Table, depth: int) -> Iterator[_Line]:
    """Read rows as lines: who is to do what, and whether it is done."""
    columns = [words("part", name) for name in ("column_what", "column_who", "column_state")]
    heads = [_text(head) for head in table.head]
    for row in table.rows:
        cells = dict(zip(heads, map(_text, row), strict=True))
        what, who, state = (
            next((cell for head, cell in cells.items() if column.match(head)), "")
            for column in columns
        )
        closed = words("part", "takes_back").match(state) or words("part", "closed").search(state)
        owned = f"{who.title()}: {what}" if who.strip("-–—?") else what
        if what:
            yield _Line(depth, owned, "☑" if closed else "☐", listed=True)
