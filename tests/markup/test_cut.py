import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.contracts.document import (
    Block,
    CodeBlock,
    Document,
    ListBlock,
    ListItem,
    Paragraph,
    Span,
    Table,
)
from bot.markup.cut import cut
from bot.markup.parse import parse
from bot.markup.plain import plain


def within(limit: int) -> Callable[[Document], bool]:
    return lambda document: len(plain(document)) <= limit


def pieces(markdown: str, limit: int) -> list[str]:
    return [plain(piece) for piece in cut(parse(markdown), within(limit))]


@pytest.mark.parametrize(
    ("markdown", "limit", "expected"),
    [
        pytest.param("short", 10, ["short"], id="what fits stays whole"),
        pytest.param("", 10, [], id="nothing is no piece"),
        pytest.param("one two\n\nthree four", 12, ["one two", "three four"], id="between blocks"),
        pytest.param("a b\n\n# T\n\nlong text", 12, ["a b", "T\n\nlong text"],
                     id="a title goes with what it is over"),
        pytest.param("one two three\nfour five", 16, ["one two three", "four five"],
                     id="between lines"),
        pytest.param("One two. Three four", 14, ["One two.", "Three four"],
                     id="between sentences"),
        pytest.param("一二三。四五六七", 6, ["一二三。", "四五六七"]),
        pytest.param("one two three", 9, ["one two", "three"], id="between words"),
        pytest.param("一二三，四五六", 5, ["一二三，", "四五六"]),
        pytest.param("abcdefgh", 3, ["abc", "def", "gh"], id="between characters"),
        pytest.param("ab e\u0301e\u0301", 4, ["ab", "e\u0301e\u0301"]),
        pytest.param("xx\U0001f468\u200d\U0001f469", 3, ["xx", "\U0001f468\u200d\U0001f469"],
                     id="never within what is drawn as one"),
        pytest.param("e" + 40 * "\u0301", 38, ["e" + 37 * "\u0301", 3 * "\u0301"],
                     id="unless it is longer than anything people write"),
        pytest.param("1. ```\n   ab\n   ```", 2, ["1.", "ab"], id="nothing fits beside the mark"),
        pytest.param("```\none\ntwo\nthree\n```", 8, ["one\ntwo", "three"]),
        pytest.param("```\n\n\nx\n```", 1, ["\n", "x"]),
        pytest.param("> one two\n> three", 10, ["> one two", "> three"]),
        pytest.param("- a\n- b\n- c", 7, ["• a\n• b", "• c"]),
        pytest.param("1. one two three", 10, ["1. one two", "  three"],
                     id="an item that goes on has no second mark"),
        pytest.param("a|b\n-|-\n1|2\n3|4", 16, ["a  b\n-  -\n1  2", "a  b\n-  -\n3  4"],
                     id="a table has its head in every piece"),
        pytest.param("a|b\n-|-\nlong cell|2", 9, ["a | b", "long cell", "| 2"],
                     id="a row that fits nowhere becomes lines"),
    ],
)  # fmt: skip
def test_where_it_is_cut(markdown: str, limit: int, expected: list[str]) -> None:
    assert pieces(markdown, limit) == expected


def test_a_block_that_fits_alone_is_not_broken() -> None:
    assert pieces("start\n\n" + "word " * 10 + "\n\nend", 52) == [
        "start",
        ("word " * 10).strip(),
        "end",
    ]


def test_code_is_opened_again_with_its_language() -> None:
    code = "\n".join(f"line {number}" for number in range(20))

    found = cut(parse(f"```python\n{code}\n```"), within(60))

    blocks = [block for piece in found for block in piece.blocks]
    assert all(isinstance(block, CodeBlock) and block.language == "python" for block in blocks)
    assert "\n".join(block.code for block in blocks if isinstance(block, CodeBlock)) == code


def test_a_language_that_leaves_no_room_is_left_out() -> None:
    def fits(document: Document) -> bool:
        return (
            sum(len(b.language + b.code) for b in document.blocks if isinstance(b, CodeBlock)) < 9
        )

    document = Document(blocks=(CodeBlock(code="one\ntwo\nthree", language="elaborate"),))

    assert [piece.blocks for piece in cut(document, fits)] == [
        (CodeBlock(code="one\ntwo"),),
        (CodeBlock(code="three"),),
    ]


def test_an_opening_line_as_long_as_a_message_costs_no_message_of_its_own_each_time() -> None:
    found = pieces("```" + "q" * 1900 + "\n" + "line\n" * 400 + "```", 2000)

    assert len(found) <= 4
    assert max(map(len, found)) <= 2000


def test_a_long_code_span_stays_code_in_every_piece() -> None:
    found = cut(parse("- run `" + "k " * 1200 + "`"), within(2000))

    assert len(found) == 2
    spans = [span for piece in found for span in _spans(piece.blocks)]
    assert all(span.styles for span in spans if "k" in span.text)


def test_many_short_lines_are_one_piece() -> None:
    assert len(pieces("\n".join(f"l{number}" for number in range(40)), 2000)) == 1


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7])
def test_it_ends_even_where_nothing_fits(limit: int) -> None:
    everything = (
        "# T\n\n- a **b**\n  1. c\n\n> q\n\na|b\n-|-\nc|d\n\n```py\nx\ny\n```\n\n---\n\n- - -"
    )

    assert pieces(everything, limit)


def test_an_item_without_content_is_kept_where_nothing_fits() -> None:
    document = Document(blocks=(ListBlock(items=(ListItem(mark="•", blocks=()),) * 3),))

    assert cut(document, lambda _: False) == tuple(
        Document(blocks=(ListBlock(items=(ListItem(mark="•", blocks=()),)),)) for _ in range(3)
    )


@pytest.mark.parametrize("length", range(4085, 4101))
def test_a_limit_in_utf16_units_is_kept_at_every_length(length: int) -> None:
    text = "x" * length + "😀" + "y" * 10

    found = cut(parse(text), lambda piece: len(plain(piece).encode("utf-16-le")) <= 2 * 4096)

    assert "".join(map(plain, found)) == text
    assert all(len(plain(piece).encode("utf-16-le")) <= 2 * 4096 for piece in found)


TEXTS = st.lists(
    st.sampled_from(
        (
            *("word ", "longer-word ", "Ends. ", "中文，", "。", "😀", "e\u0301", "    ", "\n"),
            *("\n\n", "**b** ", "`code` ", "[l](https://a.b) ", "\n- item\n", "\n1. ", "\n> "),
            *("\n```py\nx = 1\n\n", "\n```\n", "# t\n", "\n---\n", "\n\na|b\n-|-\nc|d\n\n"),
        )
    ),
    max_size=25,
).map("".join)


@given(TEXTS, st.integers(5, 60))
@example("Ends. 。", 5)
@example("word，，", 5)
def test_every_piece_fits_and_nothing_is_lost(markdown: str, limit: int) -> None:
    def fits(document: Document) -> bool:
        return len(list(_characters(document.blocks))) <= limit

    document = parse(markdown)
    found = cut(document, fits)

    whole = list(_characters(document.blocks))
    joined = [character for piece in found for character in _characters(piece.blocks)]
    if any(isinstance(block, Table) for block in _all(document.blocks)):
        rest = iter(joined)
        assert all(character in rest for character in whole)
    else:
        assert joined == whole
    assert all(map(fits, found))
    assert all(piece.blocks for piece in found)


@given(TEXTS, st.integers(0, 6))
def test_it_ends_whatever_fits(markdown: str, limit: int) -> None:
    document = parse(markdown)

    found = cut(document, within(limit))

    shown = "".join("".join(map(plain, found)).split())
    for character in _characters(document.blocks):
        assert character in shown


@pytest.mark.parametrize(
    "markdown",
    [
        pytest.param("`c` word " * 10_000, id="code spans"),
        pytest.param("```\na\n```\n" * 3_000, id="fences"),
        pytest.param("- item\n" * 3_000, id="items"),
        pytest.param("a|b\n-|-\n" + "c|d\n" * 3_000, id="rows"),
    ],
)
def test_long_answers_are_cut_in_short_time(markdown: str) -> None:
    document = parse(markdown)
    start = time.process_time()

    cut(document, within(2000))

    assert time.process_time() - start < 2


def test_it_never_measures_much_more_than_two_pieces() -> None:
    measured: list[int] = []

    def fits(document: Document) -> bool:
        measured.append(len(plain(document)))
        return measured[-1] <= 2000

    found = cut(parse("word " * 20_000 + "\n\n" + "- item\n" * 1_000), fits)

    assert max(measured[1:]) <= 2 * 2000 + 1024
    assert len(measured) < 20 * len(found)


def _all(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, ListBlock):
            for item in block.items:
                yield from _all(item.blocks)
        elif hasattr(block, "blocks"):
            yield from _all(block.blocks)


def _spans(blocks: Sequence[Block]) -> Iterator[Span]:
    for block in _all(blocks):
        if isinstance(block, Paragraph):
            yield from block.spans


def _characters(blocks: Sequence[Block]) -> Iterator[str]:
    """All that is written in *blocks* but white space and marks."""
    for block in _all(blocks):
        match block:
            case CodeBlock():
                text = block.code
            case Table():
                cells = [cell for row in (block.head, *block.rows) for cell in row]
                text = "".join(span.text for cell in cells for span in cell)
            case _:
                text = "".join(span.text for span in getattr(block, "spans", ()))
        yield from (character for character in text if not character.isspace())
