"""Finds the turn that a person names: by the beginning of its id, or by its message's own ids."""

import sqlite3
from typing import Final

_LAST: Final = "\U0010ffff"
"""No id goes on with this: it stands behind every character."""

_BY_ID: Final = "WHERE one.id >= :name AND one.id < :end ORDER BY one.id DESC LIMIT :limit"

_WINDOW: Final = 50_000
"""Events among which a message's own ids are looked for: an index of them would cost every
message, for a question that is asked of what happened lately. 50,000 take about 0.2 seconds."""

_BY_MESSAGE: Final = """
    WHERE one.seq IN (
      SELECT seq FROM (SELECT seq, source, arrival FROM turn ORDER BY seq DESC LIMIT :window)
      WHERE source = :name OR json_extract(arrival, '$.inbound.native_id') = :name
    )
    ORDER BY one.seq DESC LIMIT :limit
"""


def found(connection: sqlite3.Connection, select: str, name: str, limit: int) -> list[sqlite3.Row]:
    """Return the rows of *select* that *name* may mean, newest first; its table is ``one``.

    An id wins: only where none begins so are the ids of messages looked through.
    """
    if not name:
        return []
    values = {"name": name, "end": name + _LAST, "limit": limit, "window": _WINDOW}
    rows = connection.execute(f"{select} {_BY_ID}", values).fetchall()
    rows = rows or connection.execute(f"{select} {_BY_MESSAGE}", values).fetchall()
    return sorted(rows, key=lambda row: int(row["seq"]), reverse=True)
