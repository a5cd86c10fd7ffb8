"""The one count of all lines, heard and said."""

import sqlite3


def next_seq(connection: sqlite3.Connection) -> int:
    """Count one more line and return its number."""
    (seq,) = connection.execute(
        "UPDATE meta SET value = value + 1 WHERE key = 'seq' RETURNING value"
    ).fetchone()
    return int(seq)
