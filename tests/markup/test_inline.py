from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.contracts.document import Span, Style
from bot.markup.inline import spans

BOLD = frozenset({Style.BOLD})
ITALIC = frozenset({Style.ITALIC})
STRIKE = frozenset({Style.STRIKE})
SPOILER = frozenset({Style.SPOILER})
CODE = frozenset({Style.CODE})


def plainly(text: str) -> Span:
    return Span(text=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a **b** c", [plainly("a "), Span(text="b", styles=BOLD), plainly(" c")]),
        pytest.param("*a* and _b_", [("a", ITALIC), " and ", ("b", ITALIC)]),
        pytest.param("***both***", [("both", BOLD | ITALIC)]),
        pytest.param("**a *b* c**", [("a ", BOLD), ("b", BOLD | ITALIC), (" c", BOLD)]),
        pytest.param("*a **b***", [("a ", ITALIC), ("b", BOLD | ITALIC)]),
        pytest.param("~~gone~~ 3~5 days, ~1 hour~", [("gone", STRIKE), " 3~5 days, ~1 hour~"]),
        pytest.param("a ** b ** c", ["a ** b ** c"]),
        pytest.param("2*3*4 snake_case_name", ["2", ("3", ITALIC), "4 snake_case_name"]),
        pytest.param("**never closed", ["**never closed"]),
        pytest.param("**a*", ["*", ("a", ITALIC)]),
        pytest.param("*a**b*", [("a**b", ITALIC)], id="a run that does both closes no odd partner"),
        pytest.param(r"not \*bold\* \\ \[x\](y)", [r"not *bold* \ [x](y)"]),
        pytest.param(
            "提醒：**时间：**周五，她说**「准时」**就好。~~旧（a）~~新",
            [
                "提醒：",
                ("时间：", BOLD),
                "周五，她说",
                ("「准时」", BOLD),
                "就好。",
                ("旧（a）", STRIKE),
                "新",
            ],
            id="emphasis closes beside Chinese punctuation",
        ),
    ],
)
def test_emphasis(text: str, expected: list[Span | str | tuple[str, frozenset[Style]]]) -> None:
    assert list(spans(text)) == [_span(part) for part in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hit ` ` now", ["hit ", (" ", CODE), " now"], id="one space is code too"),
        pytest.param("`` `q` ``", [("`q`", CODE)], id="one space of padding goes"),
        pytest.param("`a || b || c`", [("a || b || c", CODE)], id="nothing inside is read"),
        pytest.param("`**a**` `<b>`", [("**a**", CODE), " ", ("<b>", CODE)]),
        pytest.param("`a\nb`", [("a b", CODE)], id="a line break is a space"),
        pytest.param("**`a`**", [("a", BOLD | CODE)]),
        pytest.param("it's ` alone", ["it's ` alone"]),
        pytest.param("``a`", ["``a`"], id="only as many ticks close it"),
        pytest.param(r"`a\`", [("a\\", CODE)], id="a backslash is a character of the code"),
        pytest.param(r"\`a`", ["`a`"], id="an escaped tick opens nothing"),
        pytest.param("*a `b* c`", ["*a ", ("b* c", CODE)], id="code binds before emphasis"),
    ],
)
def test_code(text: str, expected: list[Span | str | tuple[str, frozenset[Style]]]) -> None:
    assert list(spans(text)) == [_span(part) for part in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("shown ||hid|| end", ["shown ", ("hid", SPOILER), " end"]),
        pytest.param("||\nsecret\n||", [("secret", SPOILER)], id="marks on lines of their own"),
        pytest.param("a || b || c", ["a || b || c"], id="between spaces it says or"),
        pytest.param("||a **b**||", [("a ", SPOILER), ("b", SPOILER | BOLD)]),
        pytest.param("||open", ["||open"]),
    ],
)
def test_spoilers(text: str, expected: list[Span | str | tuple[str, frozenset[Style]]]) -> None:
    assert list(spans(text)) == [_span(part) for part in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("[a](https://ex.test)", [Span(text="a", link="https://ex.test")]),
        pytest.param(
            "See [Pole](https://ex.test/wiki/Pole_(place)?a=1&b=2) and [x](https://ex.test/a_(b_(c))).",
            [
                "See ",
                Span(text="Pole", link="https://ex.test/wiki/Pole_(place)?a=1&b=2"),
                " and ",
                Span(text="x", link="https://ex.test/a_(b_(c))"),
                ".",
            ],
            id="parentheses in the address",
        ),
        pytest.param('[a](https://ex.test "a :) title")', [Span(text="a", link="https://ex.test")]),
        pytest.param("[a](<https://ex.test/x>)", [Span(text="a", link="https://ex.test/x")]),
        pytest.param("[a](mailto:b@ex.test)", [Span(text="a", link="mailto:b@ex.test")]),
        pytest.param(
            "[a **b**](https://ex.test)",
            [
                Span(text="a ", link="https://ex.test"),
                Span(text="b", styles=BOLD, link="https://ex.test"),
            ],
        ),
        pytest.param(
            "*[a*](https://ex.test)",
            ["*", Span(text="a*", link="https://ex.test")],
            id="emphasis does not cross the edge of a link",
        ),
        pytest.param("![a *cat*](https://ex.test/c.png) x",
                     [Span(text="a cat", link="https://ex.test/c.png"), " x"],
                     id="an image is a link to it"),
        pytest.param("![](https://ex.test/c.png)",
                     [Span(text="https://ex.test/c.png", link="https://ex.test/c.png")],
                     id="an image without a description shows where it is"),
        pytest.param("![a *b*](https://a.test) *c* d",
                     [Span(text="a b", link="https://a.test"), " ", ("c", ITALIC), " d"],
                     id="what stands after an image keeps its own look"),
        pytest.param("[![i](https://a.test/i)](https://a.test)",
                     [Span(text="i", link="https://a.test")]),
        pytest.param(
            "ask [Plan](Plan draft) or [run](javascript:alert(1)) or [ok](https://ex.test)",
            ["ask Plan or run or ", Span(text="ok", link="https://ex.test")],
            id="a target nobody could follow is left out",
        ),
        pytest.param("[the report](reports/q3.md)", ["the report (reports/q3.md)"],
                     id="a path of the workspace is worth reading"),
        pytest.param("[q3.md](q3.md)", ["q3.md"]),
        pytest.param("call names[0](x, y)", ["call names[0](x, y)"], id="a call is no link"),
        pytest.param("[a][1] and [ ] and [x", ["[a][1] and [ ] and [x"]),
        pytest.param("[a](https://ex.te", ["[a](https://ex.te"], id="half a link links nowhere"),
        pytest.param("[a](b\nc)", ["[a](b\nc)"]),
    ],
)  # fmt: skip
def test_links(text: str, expected: list[Span | str | tuple[str, frozenset[Style]]]) -> None:
    assert list(spans(text)) == [_span(part) for part in expected]


@pytest.mark.parametrize(
    ("text", "address", "after"),
    [
        ("https://ex.test/?a=1&b=2 now", "https://ex.test/?a=1&b=2", " now"),
        ("https://ex.test/a_b_c.", "https://ex.test/a_b_c", "."),
        ("https://ex.test/a_(b))", "https://ex.test/a_(b)", ")"),
        ("https://ex.test/路径。好", "https://ex.test/路径", "。好"),
        ("https://ex.test/x，好", "https://ex.test/x", "，好"),
    ],
)
def test_a_bare_address_ends_before_the_punctuation_of_its_sentence(
    text: str, address: str, after: str
) -> None:
    assert spans(text) == (Span(text=address, link=address), Span(text=after))


def test_a_bare_address_may_be_bold() -> None:
    assert spans("**https://ex.test/**") == (
        Span(text="https://ex.test/", styles=BOLD, link="https://ex.test/"),
    )


def test_an_address_in_angles_is_a_link() -> None:
    assert spans("<https://ex.test> <me@ex.test>") == (
        Span(text="https://ex.test", link="https://ex.test"),
        Span(text=" "),
        Span(text="me@ex.test", link="mailto:me@ex.test"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q&A <ok> <br> a<b", "Q&A <ok> <br> a<b"),
        ("&amp; &lt;b&gt; &#65; &#x4E2D;", "& <b> A 中"),
        ("&nosuch; &notit; &#0; &#xD800; &#9999999;", "&nosuch; &notit; \ufffd \ufffd \ufffd"),
        ("one\ntwo  \nthree\\\n  four", "one\ntwo\nthree\nfour"),
    ],
)
def test_characters(text: str, expected: str) -> None:
    assert spans(text) == (Span(text=expected),)


COMMONMARK = st.lists(
    st.sampled_from(
        (
            *("*", "**", "***", "_", "__", "~~ ", " ~~", "`", "``", "a", "b", "é", " ", " a ", "."),
            *("(", "[", "]", "\\", "[a](https://a.test)"),
        )
    ),
    max_size=14,
).map(lambda parts: "".join(parts).strip())


@given(COMMONMARK.filter(lambda text: "~~~" not in text))
def test_where_the_rules_are_commonmarks_it_reads_as_another_parser_does(text: str) -> None:
    assert list(spans(text)) == list(_read_by_markdown_it(text))


MARKUP = st.lists(
    st.sampled_from(
        [
            *"*_`[]()!\\ \naé中：<>1|",
            "**",
            "~~",
            "||",
            "``",
            "](https://a.test)",
            "&amp;",
            "https://b.c",
        ]
    ),
    max_size=40,
).map("".join)


@given(st.one_of(st.text(), MARKUP))
def test_any_text_can_be_read(text: str) -> None:
    read = spans(text)

    assert all(span.text for span in read)
    assert all((one.styles, one.link) != (two.styles, two.link) for one, two in pairwise(read))


@given(st.text(alphabet="ab中 \n.,:"))
def test_words_without_marks_stay_as_they_are(text: str) -> None:
    shown = "".join(span.text for span in spans(text))

    assert shown.split() == text.split()


@pytest.mark.parametrize(
    "pattern",
    [
        *("[", "]", "![", "[](", "](", "(", "[a](b", "[x](y)", "![a](", "![a](b)", '[a](b "'),
        *("*a ", "**a", "_a_", "~~a", "||a", "* _ ", "`", "``a`", "<a", "&a;", "\\", " "),
        "https://a) ",
    ],
)
def test_a_long_text_of_one_mark_is_read_to_its_end(pattern: str) -> None:
    """What takes time by the square of the length meets the limit of every test."""
    read = spans(pattern * (120_000 // len(pattern)))

    assert all(span.text for span in read)


def test_a_paragraph_no_person_wrote_is_shown_as_it_is() -> None:
    text = "[" * 1_000_000

    assert spans(text) == (Span(text=text),)


def _read_by_markdown_it(text: str) -> Iterator[Span]:
    opened = {"strong_open": Style.BOLD, "em_open": Style.ITALIC, "s_open": Style.STRIKE}
    parser = MarkdownIt("commonmark").disable("html_inline").enable("strikethrough")
    styles: list[Style] = []
    link: str | None = None
    looks: list[tuple[str, frozenset[Style], str | None]] = []
    for token in parser.parseInline(text)[0].children or []:
        match token.type:
            case "link_open":
                link = str(token.attrs["href"])
            case "link_close":
                link = None
            case "code_inline":
                looks.append((token.content, frozenset([*styles, Style.CODE]), link))
            case start if start in opened:
                styles.append(opened[start])
            case end if end.endswith("_close"):
                styles.pop()
            case _:
                looks.append((token.content, frozenset(styles), link))
    for (look, target), same in groupby(looks, key=itemgetter(1, 2)):
        if joined := "".join(content for content, _, _ in same):
            yield Span(text=joined, styles=look, link=target)


def _span(part: Span | str | tuple[str, frozenset[Style]]) -> Span:
    if isinstance(part, Span):
        return part
    return Span(text=part) if isinstance(part, str) else Span(text=part[0], styles=part[1])
