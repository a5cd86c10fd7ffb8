"""The transcripts read last, decoded: reading a session again costs what was added to it."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.contracts.session import SessionKey
from bot.contracts.transcript import Recorded
from bot.contracts.turn import TurnId
from bot.store import codec
from bot.store.sqlite.rows import moment

MOST_CHARS: Final = 4 * 1024 * 1024
"""How much of all sessions' JSON is kept decoded; what was not read for longest goes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    recorded: Sequence[Recorded]
    chars: int


class RecentTranscripts:
    """What one thread has read of the table `entry`. Not for two threads at once."""

    def __init__(self, most_chars: int = MOST_CHARS) -> None:
        self._most_chars = most_chars
        self._sessions: dict[SessionKey, _Session] = {}

    def read(
        self, connection: sqlite3.Connection, session_key: SessionKey, *, first: int
    ) -> Sequence[Recorded]:
        """Return a session from entry *first* on, as it stands in the snapshot of *connection*."""
        known = self._sessions.pop(session_key, None)
        if (
            known is None
            or known.recorded[0].seq > first
            or not _stands(connection, session_key, known.recorded)
        ):
            known = _Session(recorded=[], chars=0)
        rows = entries(
            connection, session_key, known.recorded[-1].seq if known.recorded else first - 1
        )
        session = _Session(
            recorded=[*known.recorded, *(recorded_of(row) for row in rows)],
            chars=known.chars + sum(len(row["body"]) for row in rows),
        )
        if session.recorded:
            self._keep(session_key, session)
        return [one for one in session.recorded if one.seq >= first]

    def _keep(self, session_key: SessionKey, session: _Session) -> None:
        self._sessions[session_key] = session
        chars = sum(each.chars for each in self._sessions.values())
        while chars > self._most_chars:
            oldest = next(iter(self._sessions))
            chars -= self._sessions.pop(oldest).chars


def entries(
    connection: sqlite3.Connection, session_key: SessionKey, after: int
) -> Sequence[sqlite3.Row]:
    """Return the rows of a session after *after*, in order."""
    return connection.execute(
        "SELECT * FROM entry WHERE session_key = ? AND seq > ? ORDER BY seq", (session_key, after)
    ).fetchall()


def recorded_of(row: sqlite3.Row) -> Recorded:
    """Read a row of `entry`."""
    return Recorded(
        seq=row["seq"],
        turn_id=TurnId(row["turn_id"]),
        attempt=row["attempt"],
        at=moment(row["at"]),
        entry=codec.ENTRY.decode(row["body"]),
    )


def _stands(
    connection: sqlite3.Connection, session_key: SessionKey, known: Sequence[Recorded]
) -> bool:
    """Say whether none of *known* was forgotten since.

    Rows are added at the end and taken away by whole turns. So they are the
    same if they are as many as before, and the last one is of the same turn:
    another turn's in its place would be a new one's.
    """
    last = known[-1]
    (count,) = connection.execute(
        "SELECT COUNT(*) FROM entry WHERE session_key = ? AND seq BETWEEN ? AND ?",
        (session_key, known[0].seq, last.seq),
    ).fetchone()
    row = connection.execute(
        "SELECT turn_id FROM entry WHERE session_key = ? AND seq = ?", (session_key, last.seq)
    ).fetchone()
    return count == len(known) and row is not None and row["turn_id"] == last.turn_id
