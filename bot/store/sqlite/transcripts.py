"""What each session remembers: rows are only ever added."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from bot.contracts.clock import Clock
from bot.contracts.session import SessionKey
from bot.contracts.transcript import Entry, Recorded
from bot.contracts.turn import Turn
from bot.store import codec
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.leases import Boot, require_turn
from bot.store.sqlite.recent import RecentTranscripts, entries, recorded_of
from bot.store.sqlite.rows import moment, ticks

_RECENT: Final = 4_000
_STRIDE: Final = 1_000

_LAST: Final = "SELECT COALESCE(MAX(seq), 0) FROM entry WHERE session_key = ?"

_FIRST_OF_A_TURN: Final = """
    SELECT later.seq FROM entry AS cut JOIN entry AS later
      ON later.session_key = cut.session_key AND later.seq > cut.seq
     AND later.turn_id <> cut.turn_id
    WHERE cut.session_key = ? AND cut.seq = ?
    ORDER BY later.seq LIMIT 1
"""
"""Where the first turn begins after the entries that are left out."""


class SqliteTranscripts:
    """The `Transcripts` of one database."""

    def __init__(self, writer: Writer, reader: Reader, clock: Clock, boot: Boot) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._boot = boot
        self._recent = RecentTranscripts()

    async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
        """Record entries in the turn's name, in order, in one commit.

        Raises:
            LeaseLost: the turn is somebody else's by now, or over.
        """
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            require_turn(connection, turn, self._boot)
            return record(connection, turn, entries, now)

        return await self._writer.write(unit)

    async def read(self, session_key: SessionKey, *, after: int = 0) -> Sequence[Recorded]:
        """Return the session's entries after *after*, in order."""

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            return [recorded_of(row) for row in entries(connection, session_key, after)]

        return await self._reader.read(unit)

    async def recent(self, session_key: SessionKey) -> Sequence[Recorded]:
        """Return the session's latest entries, in order, from the beginning of some turn."""

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            (last,) = connection.execute(_LAST, (session_key,)).fetchone()
            left_out = max(last - _RECENT, 0) // _STRIDE * _STRIDE
            first = connection.execute(_FIRST_OF_A_TURN, (session_key, left_out)).fetchone()
            return self._recent.read(connection, session_key, first=first[0] if first else 1)

        return await self._reader.read(unit)


def record(
    connection: sqlite3.Connection, turn: Turn, entries: Sequence[Entry], now: int
) -> Sequence[Recorded]:
    """Add *entries* to the transcript of *turn*'s session, in its name."""
    (last,) = connection.execute(_LAST, (turn.session_key,)).fetchone()
    recorded = [
        Recorded(seq=seq, turn_id=turn.id, attempt=turn.attempt, at=moment(now), entry=entry)
        for seq, entry in enumerate(entries, start=last + 1)
    ]
    for one in recorded:
        connection.execute(
            "INSERT INTO entry (session_key, seq, turn_id, attempt, at, body)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (turn.session_key, one.seq, turn.id, turn.attempt, now, codec.ENTRY.encode(one.entry)),
        )
    return recorded
