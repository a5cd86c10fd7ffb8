"""A session that is read again is decoded no second time, and what was forgotten is gone."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.session import SessionKey
from bot.store import codec
from bot.store.sqlite.connect import connect_to_write
from bot.store.sqlite.recent import RecentTranscripts

SESSION = SessionKey("one")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = connect_to_write(tmp_path / "state.sqlite3")
    connection.execute("PRAGMA foreign_keys = OFF")
    yield connection
    connection.close()


def add(
    connection: sqlite3.Connection, seq: int, turn: str, text: str = "", session: str = SESSION
) -> None:
    said = AssistantMessage(text=text or f"said {seq}", stop=StopReason.END)
    connection.execute(
        "INSERT INTO entry (session_key, seq, turn_id, attempt, at, body)"
        " VALUES (?, ?, ?, 1, 0, ?)",
        (session, seq, turn, codec.ENTRY.encode(said)),
    )


def texts(recent: RecentTranscripts, connection: sqlite3.Connection) -> list[str]:
    read = recent.read(connection, SESSION, first=1)
    return [one.entry.text for one in read if isinstance(one.entry, AssistantMessage)]


def test_what_was_added_is_all_that_is_decoded(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    add(connection, 1, "a")
    (first,) = recent.read(connection, SESSION, first=1)
    add(connection, 2, "b")
    again, second = recent.read(connection, SESSION, first=1)
    assert again is first
    assert second.seq == 2


def test_a_turn_that_was_forgotten_is_read_no_more(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    for seq, turn in enumerate("abc", start=1):
        add(connection, seq, turn)
    assert texts(recent, connection) == ["said 1", "said 2", "said 3"]
    connection.execute("DELETE FROM entry WHERE turn_id = 'b'")
    assert texts(recent, connection) == ["said 1", "said 3"]


def test_a_turn_in_the_place_of_a_forgotten_one_is_not_taken_for_it(
    connection: sqlite3.Connection,
) -> None:
    recent = RecentTranscripts()
    add(connection, 1, "a")
    add(connection, 2, "b")
    assert texts(recent, connection) == ["said 1", "said 2"]
    connection.execute("DELETE FROM entry WHERE turn_id = 'b'")
    add(connection, 2, "c", "another")
    assert texts(recent, connection) == ["said 1", "another"]


def test_a_session_that_was_forgotten_whole_begins_anew(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    add(connection, 1, "a")
    assert texts(recent, connection) == ["said 1"]
    connection.execute("DELETE FROM entry")
    assert texts(recent, connection) == []
    add(connection, 1, "b", "new")
    assert texts(recent, connection) == ["new"]


def test_the_session_read_longest_ago_makes_room(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts(most_chars=2_500)
    for session in ("one", "two", "three"):
        add(connection, 1, session, "x" * 1_000, session)
    one, two = SESSION, SessionKey("two")
    (kept,) = recent.read(connection, one, first=1)
    (lost,) = recent.read(connection, two, first=1)
    assert recent.read(connection, one, first=1)[0] is kept
    recent.read(connection, SessionKey("three"), first=1)
    assert recent.read(connection, one, first=1)[0] is kept
    assert recent.read(connection, two, first=1)[0] is not lost


def test_a_session_too_large_to_be_kept_is_read_all_the_same(
    connection: sqlite3.Connection,
) -> None:
    recent = RecentTranscripts(most_chars=100)
    add(connection, 1, "a", "x" * 1_000)
    assert texts(recent, connection) == texts(recent, connection) == ["x" * 1_000]


def test_a_later_beginning_leaves_out_what_is_before_it(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    for seq, text in enumerate("abc", start=1):
        add(connection, seq, text)

    whole = recent.read(connection, SESSION, first=1)
    later = recent.read(connection, SESSION, first=2)

    assert later == whole[1:]
    assert recent.read(connection, SESSION, first=1) == whole
