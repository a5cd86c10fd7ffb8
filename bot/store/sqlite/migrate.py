"""Brings a database to the schema of this version, one transaction a step."""

import sqlite3
from importlib import resources
from pathlib import Path
from typing import Final

from bot.contracts.errors import StoreUnavailable

STEPS: Final = (
    "schema.sql",
    "conversations.sql",
    "sessions.sql",
    "budgets.sql",
    "queue.sql",
    "approvals.sql",
)
"""The script that leads to schema 1, to schema 2 and so on. A released one never changes."""


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Run the steps that *connection*'s database has not seen.

    Raises:
        StoreUnavailable: it is some other program's database, or a newer version's.
    """
    known = version(connection, path)
    for number, name in enumerate(STEPS[known:], start=known + 1):
        script = resources.files(__package__).joinpath(name).read_text("utf-8")
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}")
            connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (number,))
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema of *connection*'s database, 0 for an empty one.

    Raises:
        StoreUnavailable: it is some other program's database, or a newer version's.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master").fetchall()}
    if not tables:
        return 0
    row = None
    if {"meta", "turn", "delivery"} <= tables:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    if row is None:
        raise StoreUnavailable(
            f"{path} is the database of some other program: name another file for the store"
        )
    known = int(row[0])
    if known > len(STEPS):
        raise StoreUnavailable(
            f"{path} was written by a newer version (schema {known}, this one knows"
            f" {len(STEPS)}): install that version again, or restore an older backup"
        )
    return known
