"""Connections that may be trusted: settings read back, the file checked, the schema known."""

import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

from bot.contracts.errors import StoreUnavailable
from bot.store.sqlite.migrate import migrate, version

_OLDEST_SQLITE: Final = (3, 37, 0)
"""The first with STRICT tables (https://www.sqlite.org/stricttables.html)."""

_PRAGMAS: Final = (
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", 2),
    ("foreign_keys", "ON", 1),
    ("busy_timeout", "5000", 5000),
    ("trusted_schema", "OFF", 0),
)
"""Name, value, and what reading it back must say (https://www.sqlite.org/pragma.html)."""


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open *path* to read, also beside whoever writes.

    Raises:
        StoreUnavailable: there is nothing to read yet, or this version cannot read it.
    """
    if not path.is_file():
        raise _nothing_yet(path)
    uri = f"file:{quote(str(path))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA busy_timeout = 5000")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.create_function("folded", 1, str.casefold, deterministic=True)
        _require_tables(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_tables(connection: sqlite3.Connection, path: Path) -> None:
    if version(connection, path) == 0:
        raise _nothing_yet(path)


def _nothing_yet(path: Path) -> StoreUnavailable:
    return StoreUnavailable(f"there is nothing in {path} yet: start the bot once")


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Open *path* to write: settings that stuck, a sound file, the schema of this version.

    Raises:
        StoreUnavailable: one of these is not so.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreUnavailable(
            f"this Python brings SQLite {sqlite3.sqlite_version}, and the store needs 3.37:"
            " install a newer Python"
        )
    connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    try:
        connection.row_factory = sqlite3.Row
        _set_pragmas(connection, path)
        _check(connection, path)
        migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_pragmas(connection: sqlite3.Connection, path: Path) -> None:
    for name, value, expected in _PRAGMAS:
        connection.execute(f"PRAGMA {name} = {value}")
        (found,) = connection.execute(f"PRAGMA {name}").fetchone()
        if found != expected:
            raise StoreUnavailable(
                f"{path} does not take {name} = {value} (it stays {found!r}):"
                " keep it on a local disk"
            )


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise StoreUnavailable(
            f"{path} is damaged ({found}): restore a backup, or move it aside to begin anew"
        )
