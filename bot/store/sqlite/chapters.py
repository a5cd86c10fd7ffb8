"""The chapters of a session: what stands under its key, and under its key with a number."""

import sqlite3
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from bot.contracts.ledger import Chapter
from bot.contracts.session import SessionKey, chapter_key
from bot.store.sqlite.rows import moment

_FIRST: Final = """
    SELECT substr(json_extract(body, '$.inbound.text'), 1, 200) FROM entry
    WHERE session_key = ? AND json_extract(body, '$.kind') = 'received' ORDER BY seq LIMIT 1
"""
_LAST: Final = "SELECT seq, at FROM entry WHERE session_key = ? ORDER BY seq DESC LIMIT 1"


def chapters(
    connection: sqlite3.Connection, session_key: SessionKey, limit: int
) -> Sequence[Chapter]:
    """Return those in which something was said, what came last first.

    The cost follows the number of chapters, not their length.
    """
    row = connection.execute(
        "SELECT chapters FROM session WHERE key = ?", (session_key,)
    ).fetchone()
    found = [] if row is None else list(_each(connection, session_key, row["chapters"]))
    found.sort(key=attrgetter("last_at", "number"), reverse=True)
    return found[:limit]


def _each(connection: sqlite3.Connection, session_key: SessionKey, count: int) -> Iterator[Chapter]:
    for number in range(count):
        key = chapter_key(session_key, number)
        first = connection.execute(_FIRST, (key,)).fetchone()
        if first is not None:
            last = connection.execute(_LAST, (key,)).fetchone()
            yield Chapter(
                number=number,
                opening=first[0] or "",
                last_at=moment(last["at"]),
                entries=last["seq"],
            )
