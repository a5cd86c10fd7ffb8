"""A database is brought to this version's schema, or left alone with a sentence."""

import sqlite3
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from bot.contracts.errors import StoreUnavailable
from bot.store.sqlite.migrate import STEPS, migrate, version

PATH = Path("/state/stone.db")


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def test_an_empty_file_gets_every_step(database: sqlite3.Connection) -> None:
    assert version(database, PATH) == 0
    migrate(database, PATH)
    assert version(database, PATH) == len(STEPS)


def test_a_second_time_changes_nothing(database: sqlite3.Connection) -> None:
    migrate(database, PATH)
    database.execute("UPDATE meta SET value = 41 WHERE key = 'seq'")
    migrate(database, PATH)
    assert database.execute("SELECT value FROM meta WHERE key = 'seq'").fetchone() == (41,)


def test_a_database_of_the_first_schema_keeps_its_conversations(
    database: sqlite3.Connection,
) -> None:
    first = resources.files("bot.store.sqlite").joinpath(STEPS[0]).read_text("utf-8")
    database.executescript(first)
    rows = [
        (1, None, "message"),
        (2, "7", "message"),
        (3, None, "interaction"),
        (4, "7", "command"),
    ]
    for seq, thread, event in rows:
        database.execute(
            "INSERT INTO turn (seq, id, channel, account, conversation_id, thread_id, source,"
            " event, session_key, rank, mode, lane, arrival, state) VALUES"
            " (?1, ?1, 'page', 'a', 'c', ?2, ?1, ?3, 'k', 4, 'steer', 'people', '{}', 'waiting')",
            (seq, thread, event),
        )
    migrate(database, PATH)
    listed = database.execute("SELECT first_seq, last_seq, thread_id, title FROM conversation")
    assert listed.fetchall() == [(1, 1, None, None), (2, 4, "7", None)]


def test_what_was_recorded_before_spending_was_is_counted_in_tokens(
    database: sqlite3.Connection,
) -> None:
    before = STEPS.index("budgets.sql")
    for step in STEPS[:before]:
        database.executescript(resources.files("bot.store.sqlite").joinpath(step).read_text())
    database.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (before,))
    arrival = '{"inbound": {"sender": {"id": "anna"}}, "route": {"agent_id": "main"}}'
    database.execute(
        "INSERT INTO turn (seq, id, channel, account, conversation_id, source, event, session_key,"
        " rank, mode, lane, arrival, state) VALUES"
        " (1, 't', 'page', 'a', 'c', 's', 'message', 'k', 2, 'steer', 'people', ?, 'waiting')",
        (arrival,),
    )
    said = '{"kind": "assistant", "model": "m", "usage": {"input_tokens": 5, "output_tokens": 2}}'
    for seq, body in enumerate([said, said, '{"kind": "nudge"}'], start=1):
        database.execute("INSERT INTO entry VALUES ('k', ?, 't', 1, 0, ?)", (seq, body))

    migrate(database, PATH)

    spending = database.execute(
        "SELECT person, rank, agent_id, session_key, model, turns, model_calls, input_tokens,"
        " output_tokens, micro_usd FROM spending"
    )
    assert spending.fetchall() == [("page:anna", 2, "main", "k", "m", 1, 2, 10, 4, 0)]


def test_every_table_is_strict(database: sqlite3.Connection) -> None:
    migrate(database, PATH)
    tables = database.execute("PRAGMA table_list").fetchall()
    ours = [table for table in tables if not table[1].startswith("sqlite_")]
    assert len(ours) == 13
    assert all(table[5] for table in ours)


def test_a_newer_version_is_left_alone(database: sqlite3.Connection) -> None:
    migrate(database, PATH)
    database.execute("UPDATE meta SET value = 99 WHERE key = 'schema'")
    with pytest.raises(StoreUnavailable, match="written by a newer version"):
        migrate(database, PATH)


@pytest.mark.parametrize("table", ["CREATE TABLE photo (id)", "CREATE TABLE meta (key, value)"])
def test_another_programs_database_is_left_alone(database: sqlite3.Connection, table: str) -> None:
    database.execute(table)
    with pytest.raises(StoreUnavailable, match="some other program"):
        migrate(database, PATH)
    assert len(database.execute("SELECT * FROM sqlite_master").fetchall()) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE turn SET state = 'dreaming'",
        "UPDATE turn SET state = 'finished'",
        "UPDATE turn SET outcome = 'answered'",
        "UPDATE turn SET state = 'running'",
        "UPDATE turn SET state = 'absorbed'",
        "UPDATE turn SET boot = 1",
        "UPDATE turn SET rank = 9",
        "UPDATE turn SET attempt = 'many'",
        "UPDATE delivery SET state = 'sent'",
        "UPDATE delivery SET seq = 1",
        "UPDATE delivery SET boot = 1",
        "UPDATE delivery SET state = 'sending'",
        "UPDATE delivery SET on_unknown = 'often'",
        "UPDATE delivery SET repeats = 2",
        "UPDATE delivery SET repeats = 1, on_unknown = 'never'",
    ],
)
def test_the_schema_refuses_what_cannot_be(database: sqlite3.Connection, statement: str) -> None:
    migrate(database, PATH)
    database.execute(
        "INSERT INTO turn (seq, id, channel, account, conversation_id, source, event, session_key,"
        " rank, mode, lane, arrival, state) VALUES (1, 't', 'page', 'a', 'c', 's', 'message', 'k',"
        " 4, 'steer', 'people', '{}', 'waiting')"
    )
    database.execute(
        "INSERT INTO delivery (id, turn_id, session_key, channel, account, conversation_id, target,"
        " payload, on_unknown, state) VALUES ('t:0', 't', 'k', 'page', 'a', 'c', '{}', '{}',"
        " 'repeat_once', 'pending')"
    )
    with pytest.raises(sqlite3.IntegrityError):
        database.execute(statement)


def test_a_step_that_fails_leaves_nothing_behind(database: sqlite3.Connection) -> None:
    def refuse(action: int, *_: str | None) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_CREATE_INDEX else sqlite3.SQLITE_OK

    database.set_authorizer(refuse)
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        migrate(database, PATH)
    database.set_authorizer(None)
    assert version(database, PATH) == 0
    migrate(database, PATH)
