import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reply.marks import Marks, beginnings

MARK = re.compile(r"<x>")
UNFINISHED = re.compile(r"<x?\Z")


def found(*pieces: str) -> str:
    """The text with every mark that was found written as ``!``."""
    marks = Marks(MARK, UNFINISHED, "<")
    shown = []
    for at, piece in enumerate(pieces):
        marks.feed(piece)
        while True:
            text, mark = marks.next(final=at == len(pieces) - 1)
            shown.append(text)
            if mark is None:
                break
            shown.append("!")
    return "".join(shown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a <x> b", "a ! b"),
        pytest.param("`<x>` <x>", "`<x>` !", id="a code span"),
        pytest.param("``a ` <x>`` <x>", "``a ` <x>`` !", id="closed by as many ticks"),
        pytest.param("it's ` alone <x>", "it's ` alone !", id="a tick alone opens nothing"),
        pytest.param("` a\n\n<x> `", "` a\n\n! `", id="a span ends with its paragraph"),
        pytest.param("` a\n- <x> `", "` a\n- ! `", id="or where a list begins"),
        pytest.param("` a\n<x> `", "` a\n<x> `", id="but not with its line"),
        pytest.param(r"\` <x> `", r"\` ! `", id="an escaped tick is no tick"),
        pytest.param(r"\<x>", r"\<x>", id="an escaped mark is no mark"),
        pytest.param("```\n<x>\n```\n<x>", "```\n<x>\n```\n!", id="a fence"),
        pytest.param("~~~ py\n<x>\n~~~\n<x>", "~~~ py\n<x>\n~~~\n!"),
        pytest.param("````\n```\n<x>\n````\n<x>", "````\n```\n<x>\n````\n!"),
        pytest.param("```\n<x>\n``` a\n<x>", "```\n<x>\n``` a\n<x>", id="words do not close it"),
        pytest.param("```\n<x>", "```\n<x>", id="an open fence lasts to the end"),
        pytest.param("- ```\n  <x>\n  ```\n<x>", "- ```\n  <x>\n  ```\n!", id="in a list"),
        pytest.param("> ```\n> <x>\n> ```\n<x>", "> ```\n> <x>\n> ```\n!", id="in a quote"),
        pytest.param("1. ```\n<x>\n```", "1. ```\n<x>\n```"),
        pytest.param("a ```<x>``` <x>", "a ```<x>``` !", id="ticks within a line are a span"),
        pytest.param("```<x>``` <x>", "```<x>``` !", id="also at its head, if they close there"),
        pytest.param("a ~~~ <x>", "a ~~~ !", id="waves within a line are text"),
        pytest.param("a ` b\n```\n<x>\n\n```\n<x>", "a ` b\n```\n<x>\n\n```\n!",
                     id="a fence ends the paragraph of a lone tick"),
    ],
)  # fmt: skip
def test_marks_count_only_outside_of_code(text: str, expected: str) -> None:
    assert found(text) == expected
    assert found(*text) == expected


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <", "<"),
        ("a <x", "<x"),
        ("a <y", ""),
        ("a `b", ""),
        ("a `b <x>", "<x>"),
        ("a `", "`"),
        ("a `b <x>` c", ""),
        ("```py", "```py"),
        ("```py\nx <x> y", ""),
    ],
)
def test_only_what_cannot_be_decided_is_kept(text: str, kept: str) -> None:
    marks = Marks(MARK, UNFINISHED, "<")
    marks.feed(text)

    shown, mark = marks.next(final=False)

    assert mark is None
    assert shown + kept == text


def test_the_line_before_the_place_is_known_without_the_marks() -> None:
    marks = Marks(MARK, UNFINISHED, "<")
    marks.feed("one\n <x> two")

    marks.next(final=False)

    assert marks.line == " "


def test_all_is_let_go_that_is_behind() -> None:
    marks = Marks(MARK, UNFINISHED, "<")
    for _ in range(1000):
        marks.feed("some words and `code` ")
        marks.next(final=False)

    assert len(marks._text) < 200


def test_beginnings_are_all_that_a_word_begins_with() -> None:
    pattern = re.compile(beginnings(["ab", "c"]))

    assert [text for text in ("a", "ab", "c", "b", "") if pattern.fullmatch(text)] == [
        "a",
        "ab",
        "c",
    ]


@given(
    st.lists(st.text("ab.:", min_size=1, max_size=5), min_size=1, max_size=6),
    st.text("ab.:", max_size=6),
)
def test_nothing_else_is_a_beginning(words: list[str], text: str) -> None:
    begins = bool(text) and any(word.startswith(text) for word in words)

    assert bool(re.fullmatch(beginnings(words), text)) is begins


@given(
    st.lists(
        st.sampled_from(
            ("<x>", "`", "``", "```", "~~~", "\n", "\n\n", "\\", "- ", "> ", "1. ", "a", "<", " ")
        )
    ),
    st.data(),
)
def test_the_same_marks_are_found_however_the_text_is_cut(
    parts: list[str], data: st.DataObject
) -> None:
    text = "".join(parts)
    place = data.draw(st.integers(0, len(text)))

    assert found(text[:place], text[place:]) == found(text) == found(*text, "")
