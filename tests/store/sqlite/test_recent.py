"""What was used last is kept decoded, is what the table holds, and goes when it is forgotten."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.session import SessionKey
from bot.contracts.transcript import Recorded
from bot.contracts.turn import TurnId
from bot.store import codec
from bot.store.sqlite.connect import connect_to_write
from bot.store.sqlite.recent import Added, RecentTranscripts, read

SESSION = SessionKey("one")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = connect_to_write(tmp_path / "state.sqlite3")
    connection.execute("PRAGMA foreign_keys = OFF")
    yield connection
    connection.close()


def said(seq: int, turn: str, session: str = SESSION) -> Added:
    """An entry that was just committed."""
    entry = AssistantMessage(text=f"said {seq}", stop=StopReason.END)
    recorded = Recorded(seq=seq, turn_id=TurnId(turn), attempt=1, at=EPOCH, entry=entry)
    return Added(session_key=SessionKey(session), recorded=[recorded], chars=1_000)


def put(connection: sqlite3.Connection, added: Added) -> Added:
    for one in added.recorded:
        connection.execute(
            "INSERT INTO entry (session_key, seq, turn_id, attempt, at, body)"
            " VALUES (?, ?, ?, 1, 0, ?)",
            (added.session_key, one.seq, one.turn_id, codec.ENTRY.encode(one.entry)),
        )
    return added


def kept(recent: RecentTranscripts, session: str = SESSION) -> list[int] | None:
    found = recent.get(SessionKey(session))
    return None if found is None else [one.seq for one in found]


def looked_up(recent: RecentTranscripts, connection: sqlite3.Connection) -> Sequence[Recorded]:
    recent.begin_reading(SESSION)
    found = read(connection, SESSION)
    recent.end_reading(found)
    return found.recorded


def test_a_session_from_its_first_entry_on_is_never_read(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    for seq in (1, 2, 3):
        recent.add(put(connection, said(seq, "a")))
    assert recent.get(SESSION) == tuple(read(connection, SESSION).recorded)


def test_a_session_that_was_read_is_read_once(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    put(connection, said(1, "a"))
    assert kept(recent) is None
    looked_up(recent, connection)
    recent.add(put(connection, said(2, "b")))
    assert recent.get(SESSION) == tuple(read(connection, SESSION).recorded)


def test_what_was_given_out_does_not_change_afterwards(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    recent.add(put(connection, said(1, "a")))
    before = recent.get(SESSION)
    recent.add(put(connection, said(2, "b")))
    assert before is not None
    assert [one.seq for one in before] == [1]


def test_what_was_written_while_it_was_read_is_not_lost(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    put(connection, said(1, "a"))
    recent.begin_reading(SESSION)
    found = read(connection, SESSION)
    recent.add(put(connection, said(2, "b")))
    recent.end_reading(found)
    assert kept(recent) is None


def test_what_was_forgotten_is_kept_no_more(connection: sqlite3.Connection) -> None:
    recent = RecentTranscripts()
    recent.add(put(connection, said(1, "a")))
    recent.begin_reading(SessionKey("two"))
    recent.forget()
    recent.end_reading(said(1, "b", "two"))
    assert (kept(recent), kept(recent, "two")) == (None, None)


def test_an_entry_that_does_not_follow_what_is_kept_lets_go_of_it(
    connection: sqlite3.Connection,
) -> None:
    recent = RecentTranscripts()
    recent.add(put(connection, said(1, "a")))
    recent.add(put(connection, said(3, "c")))
    assert kept(recent) is None


def test_a_session_that_begins_later_from_now_on_is_read_anew(
    connection: sqlite3.Connection,
) -> None:
    recent = RecentTranscripts(most_chars=10**9)
    for seq in range(1, 5_000):
        recent.add(put(connection, said(seq, str(seq // 2))))
    assert recent.get(SESSION) == tuple(read(connection, SESSION).recorded)
    recent.add(put(connection, said(5_000, "new")))
    assert kept(recent) is None
    assert looked_up(recent, connection)[0].seq == 1_002
    assert recent.get(SESSION) == tuple(read(connection, SESSION).recorded)


def test_the_session_used_longest_ago_makes_room() -> None:
    recent = RecentTranscripts(most_chars=2_500)
    for session in ("one", "two"):
        recent.add(said(1, "a", session))
    assert kept(recent, "one") == [1]
    recent.add(said(1, "a", "three"))
    assert [kept(recent, session) for session in ("one", "two", "three")] == [[1], None, [1]]


def test_a_session_too_large_to_be_kept_is_read_all_the_same(
    connection: sqlite3.Connection,
) -> None:
    recent = RecentTranscripts(most_chars=10)
    put(connection, said(1, "a"))
    assert len(looked_up(recent, connection)) == 1
    assert kept(recent) is None
