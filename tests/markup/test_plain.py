import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.document import Document, ListBlock, ListItem, Paragraph, Span
from bot.markup.parse import parse
from bot.markup.plain import plain, width


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        pytest.param("one **two**\n\n`three`", "one two\n\nthree"),
        pytest.param("# Title\ntext", "Title\n\ntext"),
        pytest.param("[a](https://ex.test) b", "a (https://ex.test) b"),
        pytest.param("https://ex.test", "https://ex.test", id="an address is not said twice"),
        pytest.param("<me@ex.test>", "me@ex.test"),
        pytest.param("> one\n> two\n>\n> three", "> one\n> two\n>\n> three"),
        pytest.param("> > deep", "> > deep"),
        pytest.param("- a\n- b", "• a\n• b"),
        pytest.param("9. a\n10. b", "9. a\n10. b"),
        pytest.param("- [x] a\n- [ ] b", "☑ a\n☐ b"),
        pytest.param(
            "1. a\n   - b\n     c\n2. d", "1. a\n   • b\n     c\n2. d", id="a list in a list"
        ),
        pytest.param("- ```\n  x\n  y\n  ```", "• x\n  y"),
        pytest.param("-\n- b", "•\n• b"),
        pytest.param("```\n a\n\n  b\n```", " a\n\n  b"),
        pytest.param("a\n\n---\n\nb", "a\n\n---\n\nb"),
        pytest.param("||hid||", "hid"),
        pytest.param(
            "|Name|数量|\n|:-:|--:|\n|茶|2|\n|milk & tea|10|",
            "   Name     数量\n----------  ----\n    茶         2\nmilk & tea    10",
            id="a table's columns stand under each other",
        ),
    ],
)
def test_plain(markdown: str, text: str) -> None:
    assert plain(parse(markdown)) == text


def test_an_item_without_a_mark_goes_on_from_an_earlier_piece() -> None:
    item = ListItem(mark="", blocks=(Paragraph(spans=(Span(text="and more"),)),))

    assert plain(Document(blocks=(ListBlock(items=(item,)),))) == "  and more"


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("茶", 2), ("e\u0301", 1), ("a\u200db", 2), ("😀", 2), ("", 0)],
)
def test_width_counts_what_a_terminal_shows(text: str, columns: int) -> None:
    assert width(text) == columns


@given(st.text())
def test_any_document_can_be_written(text: str) -> None:
    plain(parse(text))
