"""The transcripts used last, decoded: to read a session again costs nothing.

One process holds the file, and all it writes passes here after its commit. So what is
kept is what the table holds.
"""

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
"""How much of all sessions' JSON is kept decoded; what was not used for longest goes first."""

_RECENT: Final = 4_000
_STRIDE: Final = 1_000

_FIRST_OF_A_TURN: Final = """
    SELECT later.seq FROM entry AS cut JOIN entry AS later
      ON later.session_key = cut.session_key AND later.seq > cut.seq
     AND later.turn_id <> cut.turn_id
    WHERE cut.session_key = ? AND cut.seq = ?
    ORDER BY later.seq LIMIT 1
"""
"""Where the first turn begins after the entries that are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """Entries of one session, in order, and how many characters their JSON has."""

    session_key: SessionKey
    recorded: Sequence[Recorded]
    chars: int

    def and_then(self, later: "Added") -> "Added":
        """Return these with those that were added right after them (pure)."""
        return Added(
            session_key=self.session_key,
            recorded=[*self.recorded, *later.recorded],
            chars=self.chars + later.chars,
        )


@dataclass(slots=True, kw_only=True)
class _Session:
    recorded: list[Recorded]
    chars: int

    @property
    def last(self) -> int:
        return self.recorded[-1].seq


class RecentTranscripts:
    """What was read and written of the table `entry`. Lives in the event loop's thread."""

    def __init__(self, most_chars: int = MOST_CHARS) -> None:
        self._most_chars = most_chars
        self._sessions: dict[SessionKey, _Session] = {}
        self._chars = 0
        self._reading: dict[SessionKey, bool] = {}
        """Sessions that are being read, and whether something was written there meanwhile."""

    def get(self, session_key: SessionKey) -> Sequence[Recorded] | None:
        """Return a session's latest entries, as `read` would, if they are kept."""
        session = self._sessions.get(session_key)
        if session is None:
            return None
        self._sessions[session_key] = self._sessions.pop(session_key)  # used last
        return tuple(session.recorded)

    def add(self, added: Added) -> None:
        """Take in what was committed. Its place shows whether it follows what is kept."""
        if not added.recorded:
            return
        key, first = added.session_key, added.recorded[0].seq
        session = self._sessions.get(key)
        if key in self._reading:
            self._reading[key] = True
        if session is None and first > 1:
            return
        if session is None:
            session = self._sessions[key] = _Session(recorded=[], chars=0)
        elif first != session.last + 1 or _left_out(session.last) != _left_out(
            added.recorded[-1].seq
        ):
            self._let_go(key)  # forgotten in between, or it begins later from now on: read anew
            return
        session.recorded += added.recorded
        session.chars += added.chars
        self._chars += added.chars
        self._make_room()

    def begin_reading(self, session_key: SessionKey) -> None:
        """Note that `read` was sent for."""
        self._reading.setdefault(session_key, False)

    def end_reading(self, read: Added) -> None:
        """Keep what was *read*, unless the table has changed since."""
        changed = self._reading.pop(read.session_key, True)
        if read.recorded and not changed and read.session_key not in self._sessions:
            self._sessions[read.session_key] = _Session(
                recorded=list(read.recorded), chars=read.chars
            )
            self._chars += read.chars
            self._make_room()

    def forget(self) -> None:
        """Let go of everything: entries were deleted."""
        self._sessions.clear()
        self._chars = 0
        self._reading = dict.fromkeys(self._reading, True)

    def _make_room(self) -> None:
        while self._chars > self._most_chars:
            self._let_go(next(iter(self._sessions)))

    def _let_go(self, session_key: SessionKey) -> None:
        self._chars -= self._sessions.pop(session_key).chars


def read(connection: sqlite3.Connection, session_key: SessionKey) -> Added:
    """Read a session's latest entries, from the beginning of some turn."""
    (last,) = connection.execute(
        "SELECT COALESCE(MAX(seq), 0) FROM entry WHERE session_key = ?", (session_key,)
    ).fetchone()
    first = connection.execute(_FIRST_OF_A_TURN, (session_key, _left_out(last))).fetchone()
    rows = entries(connection, session_key, first[0] - 1 if first else 0)
    return Added(
        session_key=session_key,
        recorded=[recorded_of(row) for row in rows],
        chars=sum(len(row["body"]) for row in rows),
    )


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


def _left_out(last: int) -> int:
    """Return how many entries are left out of a session whose last one is *last*."""
    return max(last - _RECENT, 0) // _STRIDE * _STRIDE
