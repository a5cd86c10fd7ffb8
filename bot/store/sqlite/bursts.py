"""Messages of one breath: each moves the due time of those before it, within bounds."""

import sqlite3
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.contracts.turn import Arrival, Pacing
from bot.store.sqlite import sessions
from bot.store.sqlite.rows import conversation_values, moment, ticks

LONGEST_SECONDS: Final = 300
"""No message waits for more of the same for longer. A due time that lies farther ahead was made
by a clock that has been set back since, and has come."""

DUE: Final = (
    "(not_before IS NULL OR not_before <= :now"
    f" OR (burst IS NOT NULL AND not_before > :now + {LONGEST_SECONDS * 1_000_000}))"
)
"""Whether a turn that waits is due."""

_STILL_WAITING: Final = """
    SELECT burst, burst_ends FROM turn INDEXED BY turn_burst
    WHERE session_key = :key AND state = 'waiting' AND burst IS NOT NULL AND not_before > :now
      AND channel = :channel AND account = :account
      AND conversation_id = :conversation_id AND thread_id IS :thread_id
      AND json_extract(arrival, '$.inbound.sender.id') = :sender
    LIMIT 1
"""
"""One sender has one burst in a place at a time."""

_MOVE: Final = """
    UPDATE turn INDEXED BY turn_burst SET not_before = :due
    WHERE session_key = :key AND state = 'waiting' AND burst IS NOT NULL AND burst = :burst
      AND not_before > :now
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """What several messages are together, and until when the first of them waits at most."""

    id: str
    ends: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paced:
    """An arrival whose mode and due time are settled, and the burst it belongs to."""

    arrival: Arrival
    burst: Burst | None = None


def settle(connection: sqlite3.Connection, arrival: Arrival, now: int) -> Arrival:
    """Return *arrival* in the mode, and due when, its session chose; as if it came alone."""
    chosen = sessions.choices(connection, arrival.route.session_key).under(arrival.directives)
    if chosen.queue_mode not in {None, arrival.mode}:
        arrival = replace(arrival, mode=chosen.queue_mode)
    if arrival.pacing is None or arrival.not_before is not None:
        return arrival  # it waits for nobody, or was told when it is due
    wait = _wait(arrival.pacing, chosen.debounce_seconds)
    return replace(arrival, not_before=moment(now + wait)) if wait else arrival


def gather(connection: sqlite3.Connection, arrival: Arrival, now: int) -> Paced:
    """Find the burst that *arrival*, settled, belongs to, and let it all be due together.

    What its sender said just before and that still waits for more becomes due with it: later,
    if more may come, and now, if nothing is missing any more.
    """
    values = {
        "key": arrival.route.session_key,
        "now": now,
        "sender": arrival.inbound.sender.id,
        **conversation_values(arrival.inbound.conversation_key),
    }
    due = now if arrival.not_before is None else ticks(arrival.not_before)
    before = connection.execute(_STILL_WAITING, values).fetchone()
    if before is None:
        if due <= now or arrival.pacing is None:
            return Paced(arrival=arrival)
        ends = now + _ticks(arrival.pacing.longest_seconds)
        return Paced(arrival=arrival, burst=Burst(id=arrival.turn_id, ends=ends))
    burst = Burst(id=before["burst"], ends=before["burst_ends"])
    due = max(min(due, burst.ends), now)
    connection.execute(_MOVE, {**values, "due": due, "burst": burst.id})
    not_before = moment(due) if due > now else None
    return Paced(arrival=replace(arrival, not_before=not_before), burst=burst)


def _wait(pacing: Pacing, chosen_seconds: float | None) -> int:
    """Return how long a message is to wait for more after it."""
    quiet = pacing.quiet_seconds if chosen_seconds is None else chosen_seconds
    return _ticks(min(max(quiet, pacing.part_seconds), pacing.longest_seconds, LONGEST_SECONDS))


def _ticks(seconds: float) -> int:
    return timedelta(seconds=seconds) // timedelta(microseconds=1)
