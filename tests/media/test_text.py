"""The words of a file, in whatever letters they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.media.text import MOST_CHARACTERS, Words, shortened, words_of

_CHINESE = "今天下午三点开会，请大家准时参加。"


def read(data: bytes) -> Words | None:
    return words_of(data, len(data))


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        pytest.param(b"plain", "plain", "", id="ASCII"),
        pytest.param("naïve 会".encode(), "naïve 会", "", id="UTF-8"),
        pytest.param(b"\xef\xbb\xbfa,b", "a,b", "", id="UTF-8 with a mark"),
        pytest.param("会a".encode("utf-16"), "会a", "", id="UTF-16"),
        pytest.param(
            b"\xfe\xff" + "会a".encode("utf-16-be"), "会a", "", id="UTF-16, big end first"
        ),
        pytest.param(_CHINESE.encode("gb18030"), _CHINESE, "GB18030", id="Chinese of Windows"),
        pytest.param("la préférence".encode("latin-1"), "la pr\ufffdf", "not UTF-8", id="Latin-1"),
        pytest.param(b"a\xffb", "a\ufffdb", "not UTF-8", id="a broken byte"),
    ],
)
def test_its_letters_are_found_out(data: bytes, text: str, note: str) -> None:
    words = read(data)

    assert words is not None
    assert words.text.startswith(text)
    assert note in words.note
    assert bool(note) == bool(words.note)


def test_what_holds_a_nul_is_no_text() -> None:
    assert read(b"MZ\x90\0\x03") is None


def test_a_long_one_is_cut_and_says_so() -> None:
    words = read(b"x" * 100_000)

    assert words == Words("x" * MOST_CHARACTERS, "only its first 16,000 characters are shown")


def test_a_letter_that_the_cut_would_halve_is_left_out() -> None:
    data = "字".encode() * 100_000
    words = words_of(data[:64_001], len(data))

    assert words is not None
    assert words.text == "字" * MOST_CHARACTERS
    assert "\ufffd" not in words.text


def test_less_may_be_left_for_it() -> None:
    assert shortened(Words("abc", "a note"), 3) == Words("abc", "a note")
    assert shortened(Words("abc"), 2) == Words("ab", "only its first 2 characters are shown")


@given(st.binary(max_size=300))
def test_any_bytes_are_words_or_none(data: bytes) -> None:
    words = read(data)

    assert words is None or "\0" not in words.text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=300))
def test_utf_8_is_read_as_it_was_written(text: str) -> None:
    words = read(text.encode())

    assert words == Words(text.removeprefix("\ufeff"))
