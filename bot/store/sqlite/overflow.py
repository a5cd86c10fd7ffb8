"""A full queue: what gives way to the message that found it so."""

import sqlite3
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.store import Full
from bot.contracts.turn import Arrival, DropPolicy, Outcome, OutcomeKind, TurnId
from bot.store.sqlite import endings, outbox, ready
from bot.store.sqlite.rows import conversation_values, turn_of

_DISPLACED: Final = Outcome(kind=OutcomeKind.INTERRUPTED, reason="displaced")

_OLDEST: Final = """
    SELECT * FROM turn INDEXED BY turn_lane
    WHERE session_key = :key AND state = 'waiting' AND lane = :lane AND rank <= :rank
    ORDER BY seq LIMIT 1
"""
_FIRST_HERE: Final = """
    SELECT id, seq, rank FROM turn INDEXED BY turn_lane
    WHERE session_key = :key AND state = 'waiting' AND lane = :lane
      AND channel = :channel AND account = :account
      AND conversation_id = :conversation_id AND thread_id IS :thread_id
    ORDER BY seq LIMIT 1
"""
_NEXT_HERE: Final = """
    SELECT id FROM turn INDEXED BY turn_lane
    WHERE session_key = :key AND state = 'waiting' AND lane = :lane AND seq > :first
      AND rank BETWEEN :least AND :rank
      AND channel = :channel AND account = :account
      AND conversation_id = :conversation_id AND thread_id IS :thread_id
    ORDER BY seq LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many turns may wait."""

    session: int
    store: int


def make_room(
    connection: sqlite3.Connection,
    arrival: Arrival,
    caps: Caps,
    now: int,
    *,
    clears: bool = False,
) -> Full | None:
    """Let something give way to *arrival* if its queue is full; say so if nothing may.

    What *clears* its session's queue finds room there.
    """
    (in_session,) = connection.execute(
        "SELECT COUNT(*) FROM turn INDEXED BY turn_waiting"
        " WHERE session_key = ? AND state = 'waiting'",
        (arrival.route.session_key,),
    ).fetchone()
    over = not clears and in_session >= (caps.session if arrival.cap is None else arrival.cap)
    (in_all,) = connection.execute("SELECT COUNT(*) FROM turn WHERE state = 'waiting'").fetchone()
    if in_all - over >= caps.store:
        return Full(waiting=in_all)
    if over and not _give_way(connection, arrival, now):
        return Full(waiting=in_session)
    return None


def _give_way(connection: sqlite3.Connection, arrival: Arrival, now: int) -> bool:
    """Make room by the arrival's policy, and say whether there is some. Rank never gives way."""
    values = {
        "key": arrival.route.session_key,
        "lane": arrival.lane,
        "rank": arrival.rank,
        **conversation_values(arrival.inbound.conversation_key),
    }
    match arrival.drop:
        case DropPolicy.NEW:
            return False
        case DropPolicy.OLD:
            return _displace(connection, arrival, values, now)
        case DropPolicy.SUMMARIZE:
            return _fold_together(connection, values)


def _displace(
    connection: sqlite3.Connection, arrival: Arrival, values: dict[str, object], now: int
) -> bool:
    row = connection.execute(_OLDEST, values).fetchone()
    if row is None:
        return False
    turn = turn_of(row)
    endings.end(connection, turn.id, _DISPLACED, now)
    rehome(connection, turn.id)
    ready.left(connection, turn.session_key)
    if arrival.displaced_notice is not None:
        notice = endings.reply(turn.arrival, f"{turn.id}!displaced", arrival.displaced_notice)
        outbox.queue(connection, [replace(notice, expires_at=arrival.fresh_until)])
    return True


def _fold_together(connection: sqlite3.Connection, values: dict[str, object]) -> bool:
    """Let the second that waits here join the first, which the model is told of in one line."""
    first = connection.execute(_FIRST_HERE, values).fetchone()
    if first is None:
        return False
    second = connection.execute(
        _NEXT_HERE, {**values, "first": first["seq"], "least": first["rank"]}
    ).fetchone()
    if second is None:
        return False
    connection.execute(
        "UPDATE turn SET state = 'absorbed', absorbed_by = ? WHERE id = ?",
        (first["id"], second["id"]),
    )
    return True


def rehome(connection: sqlite3.Connection, gone: TurnId) -> None:
    """Let what had joined a turn that never began wait again: the first, with the others in it."""
    row = connection.execute(
        "SELECT id FROM turn WHERE absorbed_by = ? ORDER BY seq LIMIT 1", (gone,)
    ).fetchone()
    if row is not None:
        connection.execute(
            "UPDATE turn SET state = 'waiting', absorbed_by = NULL WHERE id = ?", (row["id"],)
        )
        connection.execute(
            "UPDATE turn SET absorbed_by = ? WHERE absorbed_by = ?", (row["id"], gone)
        )
