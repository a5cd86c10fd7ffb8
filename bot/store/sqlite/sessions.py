"""What each session has chosen and spent."""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, assert_never

from bot.contracts.chapters import BackTo, NewChapter
from bot.contracts.errors import RecordUnreadable
from bot.contracts.ledger import Session
from bot.contracts.session import SessionKey
from bot.contracts.transcript import Reset
from bot.contracts.turn import SessionChange, SessionChoices, Turn, Usage
from bot.store import codec
from bot.store.sqlite import approvals, transcripts
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.rows import session_of, ticks

_NEW: Final = (
    "INSERT INTO session (key, agent_id, started_at, last_interaction_at, usage, version)"
    " VALUES (?, ?, ?, ?, ?, 1)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a session stands when a turn begins in it."""

    chapter: int
    choices: SessionChoices


class SqliteSessions:
    """The `Sessions` of one database."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def get(self, session_key: SessionKey) -> Session | None:
        """Return it, or None before its first turn."""
        return await self._reader.read(partial(one_session, session_key=session_key))

    async def put(self, session: Session, *, version: int) -> bool:
        """Replace it if it still has *version* (0: it does not exist yet); say whether it did.

        Its turns change it too, and count as versions, so that none is lost.
        """

        def unit(connection: sqlite3.Connection) -> bool:
            row = _row(connection, session.key)
            if (0 if row is None else row["version"]) != version:
                return False
            connection.execute(
                "REPLACE INTO session (key, agent_id, choices, chapter, chapters, started_at,"
                " last_interaction_at, usage, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    session.key,
                    session.agent_id,
                    codec.CHOICES.encode(session.choices),
                    session.chapter,
                    session.chapters,
                    ticks(session.started_at),
                    ticks(session.last_interaction_at),
                    codec.USAGE.encode(session.usage),
                    version + 1,
                ),
            )
            return True

        return await self._writer.write(unit)


def one_session(connection: sqlite3.Connection, session_key: SessionKey) -> Session | None:
    """Return a session, or None before its first turn."""
    row = _row(connection, session_key)
    return None if row is None else session_of(row)


def touch(connection: sqlite3.Connection, turn: Turn, now: int) -> Standing:
    """Note that somebody said something in *turn*'s session, which may be new."""
    row = connection.execute(
        f"{_NEW} ON CONFLICT (key) DO UPDATE"
        " SET last_interaction_at = excluded.last_interaction_at, version = version + 1"
        " RETURNING chapter, choices",
        _first(turn, now),
    ).fetchone()
    return Standing(chapter=row["chapter"], choices=_choices(row))


def choices(connection: sqlite3.Connection, session_key: SessionKey) -> SessionChoices:
    """Return what is chosen in a session."""
    row = _row(connection, session_key)
    return SessionChoices() if row is None else _choices(row)


def change(connection: sqlite3.Connection, turn: Turn, change: SessionChange, now: int) -> None:
    """Do to *turn*'s session what its command says. Where a chapter begins, *turn* begins it."""
    key = turn.session_key
    connection.execute(f"{_NEW} ON CONFLICT (key) DO NOTHING", _first(turn, now))
    row = connection.execute(
        "UPDATE session SET choices = ?, version = version + 1 WHERE key = ? RETURNING *",
        (codec.CHOICES.encode(change.of(choices(connection, key))), key),
    ).fetchone()
    if change.turns_to is not None:
        approvals.withdraw(connection, key)
    match change.turns_to:
        case NewChapter(reason=reason):
            begin_chapter(connection, turn, row, reason, now)
        case BackTo(chapter=chapter) if 0 <= chapter < row["chapters"]:
            connection.execute("UPDATE session SET chapter = ? WHERE key = ?", (chapter, key))
        case BackTo() | None:
            pass
        case _:
            assert_never(change.turns_to)


def wake(connection: sqlite3.Connection, turn: Turn, now: int) -> bool:
    """Let *turn* begin a chapter if nobody said anything for long; say whether it does."""
    since = turn.arrival.unused_since
    row = None if since is None else _row(connection, turn.session_key)
    if since is None or row is None or row["last_interaction_at"] >= ticks(since):
        return False
    connection.execute(
        "UPDATE session SET last_interaction_at = ?, version = version + 1 WHERE key = ?",
        (now, turn.session_key),
    )
    begin_chapter(connection, turn, row, "idle", now)
    return True


def begin_chapter(
    connection: sqlite3.Connection, turn: Turn, session: sqlite3.Row, reason: str, now: int
) -> None:
    """Let *turn*'s session go on in a new chapter; what was before stays and is linked."""
    chapter = session["chapters"]
    connection.execute(
        "UPDATE session SET chapter = ?, chapters = ? WHERE key = ?",
        (chapter, chapter + 1, turn.session_key),
    )
    connection.execute("UPDATE turn SET chapter = ? WHERE id = ?", (chapter, turn.id))
    beginning = Reset(before=session["chapter"], reason=reason)
    transcripts.record(connection, replace(turn, chapter=chapter), [beginning], now)


def _first(turn: Turn, now: int) -> tuple[object, ...]:
    return (turn.session_key, turn.arrival.route.agent_id, now, now, codec.USAGE.encode(Usage()))


def _choices(row: sqlite3.Row) -> SessionChoices:
    """Read what is chosen; what cannot be read is not chosen: no turn may wait for its sake."""
    with suppress(RecordUnreadable):
        return codec.CHOICES.decode(row["choices"])
    return SessionChoices()


def charge(connection: sqlite3.Connection, session_key: SessionKey, usage: Usage) -> None:
    """Add *usage* to what the session has spent; a sum that cannot be read begins anew."""
    row = _row(connection, session_key)
    if row is not None:
        total = usage
        with suppress(RecordUnreadable):  # it is for eyes: no turn may fail to end for its sake
            total += codec.USAGE.decode(row["usage"])
        connection.execute(
            "UPDATE session SET usage = ?, version = version + 1 WHERE key = ?",
            (codec.USAGE.encode(total), session_key),
        )


def _row(connection: sqlite3.Connection, session_key: SessionKey) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM session WHERE key = ?", (session_key,)
    ).fetchone()
    return row
