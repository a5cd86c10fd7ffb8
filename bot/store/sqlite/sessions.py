"""What each session has chosen and spent."""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass

from bot.contracts.errors import RecordUnreadable
from bot.contracts.ledger import Session
from bot.contracts.session import SessionKey
from bot.contracts.turn import QueueMode, Turn, Usage
from bot.store import codec
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.rows import session_of, ticks


class SqliteSessions:
    """The `Sessions` of one database."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def get(self, session_key: SessionKey) -> Session | None:
        """Return it, or None before its first turn."""

        def unit(connection: sqlite3.Connection) -> Session | None:
            row = _row(connection, session_key)
            return None if row is None else session_of(row)

        return await self._reader.read(unit)

    async def put(self, session: Session, *, version: int) -> bool:
        """Replace it if it still has *version* (0: it does not exist yet); say whether it did.

        Its turns change it too, and count as versions, so that none is lost.
        """

        def unit(connection: sqlite3.Connection) -> bool:
            row = _row(connection, session.key)
            if (0 if row is None else row["version"]) != version:
                return False
            connection.execute(
                "REPLACE INTO session (key, agent_id, queue_mode, started_at,"
                " last_interaction_at, usage, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    session.key,
                    session.agent_id,
                    session.queue_mode,
                    ticks(session.started_at),
                    ticks(session.last_interaction_at),
                    codec.USAGE.encode(session.usage),
                    version + 1,
                ),
            )
            return True

        return await self._writer.write(unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueChoices:
    """What a session chose about its queue; None is: not chosen."""

    mode: QueueMode | None = None
    debounce_seconds: float | None = None


def queue_choices(connection: sqlite3.Connection, session_key: SessionKey) -> QueueChoices:
    """Return what a session chose about its queue."""
    row = connection.execute(
        "SELECT queue_mode FROM session WHERE key = ?", (session_key,)
    ).fetchone()
    if row is None or row["queue_mode"] is None:
        return QueueChoices()
    return QueueChoices(mode=QueueMode(row["queue_mode"]))


def touch(connection: sqlite3.Connection, turn: Turn, now: int) -> None:
    """Note that somebody said something in *turn*'s session, which may be new."""
    connection.execute(
        "INSERT INTO session (key, agent_id, started_at, last_interaction_at, usage, version)"
        " VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT (key) DO UPDATE"
        " SET last_interaction_at = excluded.last_interaction_at, version = version + 1",
        (turn.session_key, turn.arrival.route.agent_id, now, now, codec.USAGE.encode(Usage())),
    )


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
