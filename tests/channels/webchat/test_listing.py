"""The list and the search as JSON, and the page that documents them."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.contracts.ledger import Listed
from channels.webchat.listing import (
    Answer,
    SearchWish,
    encode,
    excerpt,
    read_rename,
    read_search,
    result_of,
    title_of,
)
from channels.webchat.places import PAGE, conversation_in, name_of, thread_of

_PAGE = Path(__file__).parents[3] / "docs" / "webchat-protocol.md"
_PART = _PAGE.read_text("utf-8").partition("\n## The list\n")[2].partition("\n## ")[0]
_EXAMPLES = re.findall(r"```json\n(.*?)\n```", _PART, re.DOTALL)
_ID = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)


def listed(opening: str, *, title: str | None = None) -> Listed:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Listed(key=PAGE, title=title, opening=opening, first_seq=1, last_at=at)


def test_what_is_documented_is_what_is_spoken() -> None:
    told, search, found, rename = _EXAMPLES

    for answer in (told, found):
        assert json.loads(encode(_ANSWER.validate_json(answer))) == json.loads(answer)
    assert read_search(search.encode()) == SearchWish(words="half past")
    assert read_rename(rename.encode()) is not None


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"words":1}',
        b'{"words":"a","x":1}',
        b'{"words":"\\ud800"}',
        b'{"title":1}',
        b"\xff",
    ],
)
def test_what_is_no_wish_is_none(sent: bytes) -> None:
    assert read_search(sent) is None
    assert read_rename(sent) is None


def test_a_wish_that_is_too_long_is_none() -> None:
    assert read_search(json.dumps({"words": "x" * 201}).encode()) is None
    assert read_rename(json.dumps({"title": "x" * 121}).encode()) is None


def test_a_conversation_is_called_by_its_beginning_until_it_has_a_name() -> None:
    assert title_of(listed("Read  it\nand list")) == "Read it and list"
    assert title_of(listed("Read it", title="The roof")) == "The roof"
    assert title_of(listed("word " * 40)) == "word " * 11 + "word…"
    assert title_of(listed("x" * 100)) == "x" * 60 + "…"
    assert title_of(listed(" \n ")) == "…"


def test_an_excerpt_stands_around_the_first_word_that_was_found() -> None:
    text = "before " * 30 + "the LADDER\nis here " + "after " * 60

    shown = excerpt(text, ["here", "ladder"])

    assert shown.startswith("… ")
    assert "LADDER is here" in shown
    assert shown.endswith("…")
    assert len(shown) < 170
    assert excerpt("all of it", ["nothing"]) == "all of it"


@given(st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_an_excerpt_is_short_and_on_one_line(text: str, words: list[str]) -> None:
    shown = excerpt(text, words)

    assert len(shown) <= 163
    assert len(shown.splitlines()) <= 1


@given(st.text(max_size=200))
def test_a_title_is_short_and_never_empty(opening: str) -> None:
    assert 1 <= len(title_of(listed(opening))) <= 61


def test_a_given_title_is_found_by_every_word_of_the_search() -> None:
    rows = [listed("x", title="The old Roof"), listed("roof old")]

    assert [row.title for row in result_of(["ROOF", "old"], rows, []).conversations] == [
        "The old Roof"
    ]
    assert result_of(["roof", "new"], rows, []).conversations == ()


def test_a_name_stands_for_one_conversation_and_nothing_else_does() -> None:
    assert conversation_in(PAGE, "main") == PAGE
    assert conversation_in(PAGE, _ID) == thread_of(_ID)
    assert [name_of(one) for one in (PAGE, thread_of(_ID))] == ["main", _ID]
    for name in ("", "terminal", _ID.upper(), f"{_ID}x", f"{_ID}\n", "../main"):
        assert conversation_in(PAGE, name) is None
