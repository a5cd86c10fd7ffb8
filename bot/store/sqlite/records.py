"""Small facts under names."""

import sqlite3
from collections.abc import Sequence

from bot.contracts.moved import MOVED, Move, read_record, record_key
from bot.contracts.store import Cursor, Record
from bot.store.sqlite.db import Reader, Writer

_LAST = "\U0010ffff"
"""No key goes on with this: it stands behind every character."""


class SqliteRecords:
    """The `Records` of one database."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def get(self, key: str) -> Record | None:
        """Return it, or None."""

        def unit(connection: sqlite3.Connection) -> Record | None:
            row = connection.execute("SELECT * FROM record WHERE key = ?", (key,)).fetchone()
            return None if row is None else _record(row)

        return await self._reader.read(unit)

    async def swap(self, key: str, value: bytes, *, version: int) -> bool:
        """Write it if it still has *version* (0: it does not exist yet); say whether it did."""

        def unit(connection: sqlite3.Connection) -> bool:
            if version == 0:
                written = connection.execute(
                    "INSERT INTO record (key, value, version) VALUES (?, ?, 1)"
                    " ON CONFLICT (key) DO NOTHING RETURNING 1",
                    (key, value),
                )
            else:
                written = connection.execute(
                    "UPDATE record SET value = ?, version = version + 1"
                    " WHERE key = ? AND version = ? RETURNING 1",
                    (value, key, version),
                )
            return bool(written.fetchall())

        return await self._writer.write(unit)

    async def delete(self, key: str) -> None:
        """Forget it."""

        def unit(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM record WHERE key = ?", (key,))

        await self._writer.write(unit)

    async def scan(self, prefix: str) -> Sequence[Record]:
        """Return all whose key begins with *prefix*, sorted."""

        def unit(connection: sqlite3.Connection) -> Sequence[Record]:
            rows = connection.execute(
                "SELECT * FROM record WHERE key >= ? AND key < ? ORDER BY key",
                (prefix, prefix + _LAST),
            ).fetchall()
            return [_record(row) for row in rows]

        return await self._reader.read(unit)


def move_cursor(connection: sqlite3.Connection, cursor: Cursor) -> None:
    """Write *cursor* as the record ``cursor:<key>``: its value in decimal digits."""
    connection.execute(
        "INSERT INTO record (key, value, version) VALUES (?, ?, 1)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = version + 1",
        (f"cursor:{cursor.key}", str(cursor.value).encode()),
    )


def note_move(connection: sqlite3.Connection, move: Move) -> None:
    """Write *move* as a record; a room that has one keeps it."""
    connection.execute(
        "INSERT INTO record (key, value, version) VALUES (?, ?, 1) ON CONFLICT (key) DO NOTHING",
        (record_key(move), move.before.encode()),
    )


def moves(connection: sqlite3.Connection) -> Sequence[Move]:
    """Return every move that `note_move` wrote."""
    rows = connection.execute(
        "SELECT key, value FROM record WHERE key >= ? AND key < ? ORDER BY key",
        (MOVED, MOVED + _LAST),
    ).fetchall()
    return [read_record(row["key"], row["value"]) for row in rows]


def _record(row: sqlite3.Row) -> Record:
    return Record(key=row["key"], value=row["value"], version=row["version"])
