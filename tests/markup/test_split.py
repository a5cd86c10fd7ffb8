import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.document import Document
from bot.markup.parse import parse
from bot.markup.plain import plain
from bot.markup.split import size_of, split


@pytest.mark.parametrize(
    ("markdown", "at", "before", "after"),
    [
        pytest.param("abc", 0, "", "abc"),
        pytest.param("abc", 2, "ab", "c"),
        pytest.param("abc", 3, "abc", ""),
        pytest.param("abc", 9, "abc", ""),
        pytest.param("ab **cd** ef", 4, "ab c", "d ef"),
        pytest.param("ab cd", 3, "ab", "cd", id="white space at the cut goes"),
        pytest.param("ab\n\ncd", 2, "ab", "cd"),
        pytest.param("# ab", 1, "a", "b"),
        pytest.param("a\n\n---\n\nb", 2, "a\n\n---", "b"),
        pytest.param("```\na\nb\n```", 2, "a", "b"),
        pytest.param("> ab\n>\n> cd", 3, "> ab\n>\n> c", "> d"),
        pytest.param("1. ab\n2. cd", 3, "1. ab\n2. c", "  d\n", id="the rest of an item"),
        pytest.param("- ab\n- cd", 2, "• ab", "• cd"),
        pytest.param("-\n- b", 1, "•", "• b"),
        pytest.param("a|b\n-|-\n1|2\n3|4", 4, "a  b\n-  -\n1  2", "a  b\n-  -\n3  4"),
        pytest.param("a|b\n-|-\n1|2", 3, "", "a  b\n-  -\n1  2", id="never within a row"),
    ],
)
def test_split(markdown: str, at: int, before: str, after: str) -> None:
    head, rest = split(parse(markdown).blocks, at)

    assert plain(Document(blocks=head)) == before
    assert plain(Document(blocks=rest)) == after.rstrip("\n")


@given(st.text(alphabet="ab \n-*>`#1.|", max_size=60), st.integers(0, 80))
def test_a_part_is_never_larger_than_was_asked_for(markdown: str, at: int) -> None:
    blocks = parse(markdown).blocks
    head, rest = split(blocks, at)

    assert sum(map(size_of, head)) <= at
    assert rest or head == blocks
