"""Which turn is taken next, and when one will be: the order of the queue."""

import json
import sqlite3
from collections.abc import Collection
from typing import Final

from bot.contracts.turn import Lane
from bot.store.sqlite.leases import Boot

LOOK_SECONDS: Final = 1.0
"""How long a missed wake-up may cost."""

_LEFT_BEHIND: Final = """
    SELECT * FROM turn
    WHERE state = 'running' AND boot <> :boot AND lane IN (SELECT value FROM json_each(:lanes))
    ORDER BY lane = 'background', seq LIMIT 1
"""
"""A turn that ran and has no worker: its process is gone, or it was put back."""

_DUE: Final = """
    SELECT * FROM turn AS one INDEXED BY turn_due
    WHERE state = 'waiting' AND lane = :lane AND (not_before IS NULL OR not_before <= :now)
      AND NOT EXISTS (
        SELECT 1 FROM turn AS other
        WHERE other.session_key = one.session_key AND other.state = 'running')
    ORDER BY seq LIMIT 1
"""


def candidate(
    connection: sqlite3.Connection, lanes: Collection[Lane], now: int, boot: Boot
) -> sqlite3.Row | None:
    """Return the row of the turn that is to be taken next, if any may be taken."""
    row: sqlite3.Row | None = connection.execute(
        _LEFT_BEHIND, {"boot": boot.number, "lanes": json.dumps(list(lanes))}
    ).fetchone()
    for lane in Lane:
        if row is None and lane in lanes:
            row = connection.execute(_DUE, {"lane": lane, "now": now}).fetchone()
    return row


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
