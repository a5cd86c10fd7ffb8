"""Which session is next: those that are ready, in the order in which they became so."""

import sqlite3
from typing import Final

from bot.contracts.session import SessionKey
from bot.contracts.turn import Arrival, Lane

_RUNS: Final = "SELECT 1 FROM turn WHERE session_key = :key AND state = 'running'"

_JOIN_THE_LINE: Final = """
    INSERT INTO ready (session_key, lane, place)
    SELECT :key, :lane, (SELECT COALESCE(MAX(place), 0) + 1 FROM ready WHERE lane = :lane)
    WHERE NOT EXISTS ({runs})
    ON CONFLICT (session_key, lane) DO NOTHING
"""

_WAITS: Final = (
    "SELECT 1 FROM turn INDEXED BY turn_lane"
    " WHERE session_key = :key AND state = 'waiting' AND lane = :lane"
)

_WAIT: Final = """
    SELECT EXISTS (SELECT 1 FROM turn INDEXED BY turn_lane
      WHERE session_key = :key AND state = 'waiting' AND lane = 'people') AS people,
    EXISTS (SELECT 1 FROM turn INDEXED BY turn_lane
      WHERE session_key = :key AND state = 'waiting' AND lane = 'background') AS background
"""
_GIVE_UP: Final = (
    "DELETE FROM ready WHERE session_key = :key AND lane = :lane AND NOT EXISTS ({waits})"
)


def waits(connection: sqlite3.Connection, arrival: Arrival) -> None:
    """Note that *arrival* waits: its session is ready, unless a turn of it runs."""
    values = {"key": arrival.route.session_key, "lane": arrival.lane}
    connection.execute(_JOIN_THE_LINE.format(runs=_RUNS), values)


def runs(connection: sqlite3.Connection, session_key: SessionKey) -> None:
    """Note that a turn of a session was given out: it is ready no longer."""
    connection.execute("DELETE FROM ready WHERE session_key = ?", (session_key,))


def ended(connection: sqlite3.Connection, session_key: SessionKey) -> None:
    """Note that a turn of a session is over: what waits there gets a place behind the others'."""
    wait = connection.execute(_WAIT, {"key": session_key}).fetchone()
    for lane in Lane:
        if wait[lane]:
            values = {"key": session_key, "lane": lane}
            connection.execute(_JOIN_THE_LINE.format(runs=_RUNS), values)


def left(connection: sqlite3.Connection, session_key: SessionKey) -> None:
    """Note that something waits no longer: a session where nothing does gives up its place."""
    for lane in Lane:
        values = {"key": session_key, "lane": lane}
        connection.execute(_GIVE_UP.format(waits=_WAITS), values)
