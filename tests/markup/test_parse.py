import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from bot.markup.parse import MarkdownStream, parse
from bot.markup.plain import plain


def para(text: str) -> Paragraph:
    return Paragraph(spans=(Span(text=text),))


def bold_in(before: str, bold: str, after: str) -> Paragraph:
    inside = Span(text=bold, styles=frozenset({Style.BOLD}))
    return Paragraph(spans=(Span(text=before), inside, Span(text=after)))


def bullets(*texts: str) -> ListBlock:
    return ListBlock(items=tuple(ListItem(mark="•", blocks=(para(text),)) for text in texts))


def numbers(*points: tuple[str, str]) -> ListBlock:
    items = tuple(ListItem(mark=mark, blocks=(para(text),)) for mark, text in points)
    return ListBlock(items=items, ordered=True)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        pytest.param("", []),
        pytest.param("one\ntwo\n\nthree", [para("one\ntwo"), para("three")]),
        pytest.param("### Plan & scope\ntext",
                     [Heading(level=3, spans=(Span(text="Plan & scope"),)), para("text")]),
        pytest.param("#hash", [para("#hash")]),
        pytest.param("a\n\n***\n\nb", [para("a"), Rule(), para("b")]),
        pytest.param("a\n---\nb", [para("a"), Rule(), para("b")], id="a line across is no heading"),
        pytest.param("```py\nx = 1\n\ny\n```", [CodeBlock(code="x = 1\n\ny", language="py")]),
        pytest.param("~~~\nx || y\n~~~", [CodeBlock(code="x || y")]),
        pytest.param("```\nstill open", [CodeBlock(code="still open")], id="an open fence is code"),
        pytest.param("```python title=a.py\nx\n```", [CodeBlock(code="x", language="python")]),
        pytest.param("```{.r}\nx\n```", [CodeBlock(code="x", language="r")]),
        pytest.param("```" + "q" * 50 + "\nx\n```", [CodeBlock(code="q" * 50 + "\nx")],
                     id="words that are no language are code"),
        pytest.param("```print('x')\n```", [CodeBlock(code="print('x')")]),
        pytest.param("    indented", [CodeBlock(code="indented")]),
        pytest.param("> one **b**\n> two", [Quote(blocks=(bold_in("one ", "b", "\ntwo"),))]),
        pytest.param("> > deep", [Quote(blocks=(Quote(blocks=(para("deep"),)),))]),
        pytest.param("<div>\n<b>x</b>\n</div>", [para("<div>\n<b>x</b>\n</div>")],
                     id="HTML is text"),
        pytest.param("<!-- a -->", [para("<!-- a -->")]),
        pytest.param("[a][1]\n\n[1]: x", [para("[a][1]"), para("[1]: x")],
                     id="a definition is text"),
        pytest.param("a\r\nb\rc", [para("a\nb\nc")]),
        pytest.param("a\0b", [para("a\ufffdb")]),
        pytest.param("[](x y)", [], id="an empty paragraph is none"),
    ],
)  # fmt: skip
def test_blocks(markdown: str, expected: list[Block]) -> None:
    assert parse(markdown) == Document(blocks=tuple(expected))


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        pytest.param("- a\n- b", [bullets("a", "b")]),
        pytest.param("3. c\n4. d", [numbers(("3.", "c"), ("4.", "d"))], id="numbers are kept"),
        pytest.param("1) c\n5) d", [numbers(("1)", "c"), ("5)", "d"))], id="even if they jump"),
        pytest.param("1. a\n1. b\n1. c", [numbers(("1.", "a"), ("2.", "b"), ("3.", "c"))],
                     id="equal numbers leave the counting to us"),
        pytest.param("1. Install\n- get it\n2. Run\n\n```sh\nrun --now\n```\n\n3. Check",
                     [numbers(("1.", "Install")), bullets("get it"), numbers(("2.", "Run")),
                      CodeBlock(code="run --now", language="sh"), numbers(("3.", "Check"))],
                     id="an interrupted list goes on counting"),
        pytest.param("- [ ] open\n- [x] done\n- [X] done\n- [y] no",
                     [ListBlock(items=(ListItem(mark="☐", blocks=(para("open"),)),
                                       ListItem(mark="☑", blocks=(para("done"),)),
                                       ListItem(mark="☑", blocks=(para("done"),)),
                                       ListItem(mark="•", blocks=(para("[y] no"),))))]),
        pytest.param("2. [ ] a", [numbers(("2. ☐", "a"))]),
        pytest.param("- a\n  1. b", [ListBlock(items=(ListItem(
                         mark="•", blocks=(para("a"), numbers(("1.", "b")))),))],
                     id="a list in a list"),
        pytest.param("- a\n\n  b",
                     [ListBlock(items=(ListItem(mark="•", blocks=(para("a"), para("b"))),))]),
        pytest.param("-\n- b", [ListBlock(items=(ListItem(mark="•", blocks=()),
                                                  ListItem(mark="•", blocks=(para("b"),))))]),
        pytest.param("- ```\n  x\n  ```",
                     [ListBlock(items=(ListItem(mark="•", blocks=(CodeBlock(code="x"),)),))]),
        pytest.param("- - a", [ListBlock(items=(ListItem(mark="•", blocks=(bullets("a"),)),))]),
    ],
)  # fmt: skip
def test_lists(markdown: str, expected: list[Block]) -> None:
    assert parse(markdown) == Document(blocks=tuple(expected))


def test_a_table() -> None:
    document = parse(
        "Costs:\n| Item | Qty | x |\n|:--|--:|:-:|\n| Tea & milk | 2 |\n| `a\\|b` | 10 | c |"
    )

    assert document.blocks == (
        para("Costs:"),
        Table(
            head=((Span(text="Item"),), (Span(text="Qty"),), (Span(text="x"),)),
            rows=(
                ((Span(text="Tea & milk"),), (Span(text="2"),), ()),
                (
                    (Span(text="a|b", styles=frozenset({Style.CODE})),),
                    (Span(text="10"),),
                    (Span(text="c"),),
                ),
            ),
            align=(Align.LEFT, Align.RIGHT, Align.CENTER),
        ),
    )


def test_pipes_alone_make_no_table() -> None:
    assert parse("Done | not a table\n\n---").blocks == (para("Done | not a table"), Rule())


def test_what_is_nested_too_deeply_is_shown_as_it_was_written() -> None:
    assert "treasure" in plain(parse("> " * 2000 + "treasure"))
    assert "treasure" in plain(parse("- " * 2000 + "treasure"))
    assert "treasure" in plain(parse("".join("  " * n + "- x\n" for n in range(300)) + "treasure"))


MARKDOWN = st.lists(
    st.sampled_from(
        (
            *("\n", "\n\n", "- ", "  ", "    ", "\t", "\r", "1. ", "2) ", "> ", "# ", "[ ] "),
            *("```", "```py\n", "~~~", "---", "***", "|", "a|b", "|-|-|", "-|-", "*", "`"),
            *("word", "中", "="),
        )
    ),
    max_size=30,
).map("".join)


@given(st.one_of(st.text(), MARKDOWN), st.data())
def test_a_text_in_pieces_is_the_text(markdown: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(markdown)), max_size=6).map(sorted))
    stream = MarkdownStream()
    for start, end in zip([0, *places], [*places, len(markdown)], strict=True):
        stream.feed(markdown[start:end])
        assert stream.document() == parse(markdown[:end])


@given(MARKDOWN)
def test_a_text_that_comes_by_the_character_is_the_text(markdown: str) -> None:
    stream = MarkdownStream()
    for character in markdown:
        stream.feed(character)
        stream.document()

    assert stream.document() == parse(markdown)


def test_a_closed_block_is_never_parsed_again() -> None:
    stream = MarkdownStream()
    stream.feed("# title\n\none\n\n> two\n\n- three\n- four\n\nfive")
    closed = stream.document().blocks[:3]  # the list may yet grow

    stream.feed(" and more\n")

    assert all(one is two for one, two in zip(stream.document().blocks, closed, strict=False))


@pytest.mark.parametrize(
    ("so_far", "expected"),
    [
        ("Run **all", [para("Run **all")]),
        ("Run **all** of:\n```sh\nls ",
         [bold_in("Run ", "all", " of:"), CodeBlock(code="ls ", language="sh")]),
        ("ok [li", [para("ok [li")]),
        ("ok [link](https://ex.te", [para("ok [link](https://ex.te")]),
    ],
)  # fmt: skip
def test_what_is_half_written_reads_well(so_far: str, expected: list[Block]) -> None:
    assert list(parse(so_far).blocks) == expected


@pytest.mark.parametrize(
    "pattern", ["a\n", "> a\n", "- a\n", "a|b\n", "|", "- ", "> ", "\n", "\t", "```\n"]
)
def test_a_long_text_of_one_mark_is_read_to_its_end(pattern: str) -> None:
    """What takes time by the square of the length meets the limit of every test."""
    assert parse(pattern * (60_000 // len(pattern))) is not None


def test_a_megabyte_of_brackets_holds_up_nobody() -> None:
    text = "[" * 500_000 + "]" * 500_000

    assert parse(text) == Document(blocks=(Paragraph(spans=(Span(text=text),)),))
