"""Which turn is taken next, and when one will be: the order of the queue."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.contracts.errors import RecordUnreadable
from bot.contracts.session import SessionKey
from bot.contracts.turn import Lane, Outcome, OutcomeKind, Turn
from bot.store.sqlite import attempts, endings, ready
from bot.store.sqlite.attempts import Begun, Start
from bot.store.sqlite.bursts import DUE
from bot.store.sqlite.leases import Boot
from bot.store.sqlite.rows import turn_of

LOOK_SECONDS: Final = 1.0
"""How long a missed wake-up may cost."""

_LEFT_BEHIND: Final = """
    SELECT * FROM turn
    WHERE state = 'running' AND boot <> :boot AND lane IN (SELECT value FROM json_each(:lanes))
    ORDER BY lane = 'background', seq LIMIT 1
"""
"""A turn that ran and has no worker: its process is gone, or it was put back."""

_DUE: Final = """
    SELECT one.* FROM ready JOIN turn AS one ON one.seq = (
      SELECT seq FROM turn INDEXED BY turn_lane
      WHERE session_key = ready.session_key AND state = 'waiting' AND lane = :lane AND {due}
      ORDER BY seq LIMIT 1)
    WHERE ready.lane = :lane AND NOT EXISTS (
      SELECT 1 FROM turn AS other
      WHERE other.session_key = ready.session_key AND other.state = 'running')
    ORDER BY ready.place LIMIT 1
"""
"""The oldest due turn of the session that has been ready for longest."""


def candidate(
    connection: sqlite3.Connection, lanes: Collection[Lane], now: int, boot: Boot
) -> sqlite3.Row | None:
    """Return the row of the turn that is to be taken next, if any may be taken."""
    row: sqlite3.Row | None = connection.execute(
        _LEFT_BEHIND, {"boot": boot.number, "lanes": json.dumps(list(lanes))}
    ).fetchone()
    for lane in Lane:
        if row is None and lane in lanes:
            row = connection.execute(_DUE.format(due=DUE), {"lane": lane, "now": now}).fetchone()
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a look for work found; if nothing, and in every lane, the sessions where some waits."""

    returned: Collection[Turn] = ()
    """Those that it had to put back first."""
    begun: Begun | None = None
    waiting: Sequence[SessionKey] | None = None


def take(
    connection: sqlite3.Connection,
    *,
    start: Start,
    lanes: Collection[Lane],
    now: int,
    returning: Collection[Turn] = (),
) -> Found:
    """Give out the turn that is next, once those that are *returning* are put back."""
    put_back(connection, returning=returning, now=now)
    while (row := candidate(connection, lanes, now, start.boot)) is not None:
        try:
            turn_of(row)
        except RecordUnreadable as error:  # it must not hold up those behind it
            unreadable = Outcome(kind=OutcomeKind.FAILED, reason=str(error))
            endings.end(connection, row["id"], unreadable, now)
            ready.left(connection, row["session_key"])
            ready.ended(connection, row["session_key"])
            continue
        return Found(begun=attempts.take(connection, row, start, now), returned=returning)
    waiting = sessions_that_wait(connection) if set(Lane) <= set(lanes) else None
    return Found(waiting=waiting, returned=returning)


def put_back(connection: sqlite3.Connection, *, returning: Collection[Turn], now: int) -> None:
    """Leave turns that nobody began to run to whoever comes next."""
    for turn in returning:
        attempts.put_back(connection, turn, "nobody was there to run it", now)


def sessions_that_wait(connection: sqlite3.Connection) -> Sequence[SessionKey]:
    """Return every session in which a turn waits."""
    rows = connection.execute(
        "SELECT DISTINCT session_key FROM turn INDEXED BY turn_waiting WHERE state = 'waiting'"
    ).fetchall()
    return [SessionKey(row["session_key"]) for row in rows]


def seconds_until_due(connection: sqlite3.Connection, *, now: int, boot: Boot) -> float:
    """Return how long until a turn may be taken; a second if nothing says that it is sooner."""
    if candidate(connection, tuple(Lane), now, boot) is not None:
        return 0.0
    (later,) = connection.execute(
        "SELECT MIN(not_before) FROM turn INDEXED BY turn_later"
        " WHERE state = 'waiting' AND not_before > ?",
        (now,),
    ).fetchone()
    return LOOK_SECONDS if later is None else (later - now) / 1e6
