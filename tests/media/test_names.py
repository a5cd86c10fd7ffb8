"""A name is what a stranger called a file, until it was cleaned."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.media.names import LONGEST, clean_name


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        pytest.param("report.csv", "report.csv", id="as it is"),
        pytest.param("../../etc/passwd", "passwd", id="a path up"),
        pytest.param("..\\..\\boot.ini", "boot.ini", id="a path of Windows"),
        pytest.param("photo\u202egpj.exe", "photogpj.exe", id="turned direction of writing"),
        pytest.param("a\0b\nc\x1b.txt", "ab c.txt", id="control characters"),
        pytest.param(".env", "env", id="hidden"),
        pytest.param("..", "file", id="only dots"),
        pytest.param("", "file", id="nothing"),
        pytest.param(" \t ", "file", id="only spaces"),
        pytest.param("\ud800", "file", id="half a letter"),
        pytest.param("会议 纪要.md", "会议 纪要.md", id="Chinese"),
        pytest.param("a" * 300 + ".csv", "a" * 96 + ".csv", id="300 letters"),
        pytest.param("字" * 300 + ".csv", "字" * 65 + ".csv", id="300 letters of three bytes"),
        pytest.param("C:report.csv", "Creport.csv", id="a drive"),
    ],
)
def test_what_is_left_of_a_name(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned


@given(st.text())
def test_any_name_becomes_one_harmless_part_of_a_path(name: str) -> None:
    cleaned = clean_name(name)

    assert cleaned
    assert len(cleaned) <= LONGEST
    assert len(cleaned.encode()) <= 200
    assert not cleaned.startswith(".")
    assert "/" not in cleaned
    assert "\\" not in cleaned
    assert all(unicodedata.category(letter)[0] != "C" for letter in cleaned)
    assert clean_name(cleaned) == cleaned
