"""What each session remembers: rows are only ever added."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Final

from bot.contracts.clock import Clock
from bot.contracts.messages import AssistantMessage
from bot.contracts.session import SessionKey
from bot.contracts.transcript import CallStarted, Entry, Recorded, Unanswered
from bot.contracts.turn import Turn
from bot.store import codec
from bot.store.sqlite import approvals, spending
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.leases import Boot, require_turn
from bot.store.sqlite.recent import Added, RecentTranscripts, entries, read, recorded_of
from bot.store.sqlite.rows import moment, ticks

_REPLACED: Final = "\ufffd"
"""What the codec writes for characters that no file can hold."""


class SqliteTranscripts:
    """The `Transcripts` of one database."""

    def __init__(
        self, writer: Writer, reader: Reader, clock: Clock, boot: Boot, kept: RecentTranscripts
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._boot = boot
        self._kept = kept

    async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
        """Record entries in the turn's name, in order, in one commit.

        Raises:
            LeaseLost: the turn is somebody else's by now, or over.
        """
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Added:
            require_turn(connection, turn, self._boot)
            return record(connection, turn, entries, now)

        return (await self._writer.write(unit, then=self._kept.add)).recorded

    async def charge(self, turn: Turn, paid: AssistantMessage | Unanswered) -> None:
        """Count what a call of *turn* cost whose session is not written any more."""
        now = ticks(self._clock.now())
        await self._writer.write(partial(spending.charge, turn=turn, entry=paid, now=now))

    async def read(self, session_key: SessionKey, *, after: int = 0) -> Sequence[Recorded]:
        """Return the session's entries after *after*, in order."""

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            return [recorded_of(row) for row in entries(connection, session_key, after)]

        return await self._reader.read(unit)

    async def recent(self, session_key: SessionKey) -> Sequence[Recorded]:
        """Return the session's latest entries, in order, from the beginning of some turn."""
        if (kept := self._kept.get(session_key)) is not None:
            return kept
        self._kept.begin_reading(session_key)
        found = Added(session_key=session_key, recorded=(), chars=0)
        try:
            found = await self._reader.read(partial(read, session_key=session_key))
        finally:
            self._kept.end_reading(found)
        return found.recorded


def record(connection: sqlite3.Connection, turn: Turn, entries: Sequence[Entry], now: int) -> Added:
    """Add *entries* to the transcript of *turn*'s session, in its name."""
    recorded: list[Recorded] = []
    chars = 0
    for entry in entries:
        if isinstance(entry, CallStarted) and entry.settles:
            approvals.begin(connection, turn, entry.settles)
        body = codec.ENTRY.encode(entry)
        (seq,) = connection.execute(
            "INSERT INTO entry (session_key, seq, turn_id, attempt, at, body)"
            " SELECT :key, COALESCE(MAX(seq), 0) + 1, :turn, :attempt, :now, :body"
            " FROM entry WHERE session_key = :key RETURNING seq",
            {
                "key": turn.chapter_key,
                "turn": turn.id,
                "attempt": turn.attempt,
                "now": now,
                "body": body,
            },
        ).fetchone()
        spending.charge(connection, turn, entry, now)
        chars += len(body)
        # What is kept is what stands on the disk.
        kept = codec.ENTRY.decode(body) if _REPLACED in body else entry
        recorded.append(
            Recorded(seq=seq, turn_id=turn.id, attempt=turn.attempt, at=moment(now), entry=kept)
        )
    return Added(session_key=turn.chapter_key, recorded=recorded, chars=chars)
