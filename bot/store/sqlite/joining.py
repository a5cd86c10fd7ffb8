"""Waiting turns that join a running one."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.session import SessionKey
from bot.contracts.transcript import Entry
from bot.contracts.turn import QueueMode, Turn, TurnId
from bot.store.sqlite import attempts, sessions, transcripts, untold
from bot.store.sqlite.bursts import DUE
from bot.store.sqlite.recent import Added
from bot.store.sqlite.rows import conversation_values, turn_of

_JOINING: Final = """
    SELECT * FROM turn INDEXED BY turn_waiting WHERE session_key = :key AND state = 'waiting'
      AND channel = :channel AND account = :account
      AND conversation_id = :conversation_id AND thread_id IS :thread_id
      AND rank >= :rank AND {due}
      AND (mode IN (SELECT value FROM json_each(:modes))
           OR burst = (SELECT host.burst FROM turn AS host WHERE host.id = :host))
    ORDER BY seq
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The words of those that joined *turn*, and whether nobody waits in its session any more."""

    turn: Turn
    added: Added
    all_joined: bool


def join(
    connection: sqlite3.Connection, turn: Turn, modes: Collection[QueueMode], now: int
) -> Joined:
    """Let those that may join *turn*, recorded as `Received`, in order."""
    joining = _joining(connection, turn, modes, now)
    for one in joining:
        connection.execute(
            "UPDATE turn SET state = 'absorbed', absorbed_by = ? WHERE id = ?", (turn.id, one.id)
        )
    if joining:
        sessions.touch(connection, turn, now)
    told: list[Entry] = []
    for one in joining:
        told += untold.before(connection, one)
        told.append(replace(attempts.received(one), turn_id=one.id))
    if not _is_stopped(connection, turn):
        told += untold.corrections(connection, turn)
    return Joined(
        turn=turn,
        added=transcripts.record(connection, turn, told, now),
        all_joined=not _any_waits(connection, turn.session_key),
    )


def joined_to(connection: sqlite3.Connection, turn: Turn) -> tuple[TurnId, ...]:
    """Return those that joined *turn*, in order."""
    rows = connection.execute(
        "SELECT id FROM turn WHERE absorbed_by = ? ORDER BY seq", (turn.id,)
    ).fetchall()
    return tuple(TurnId(row["id"]) for row in rows)


def _joining(
    connection: sqlite3.Connection, turn: Turn, modes: Collection[QueueMode], now: int
) -> Sequence[Turn]:
    if _is_stopped(connection, turn):
        return ()  # what is said after a stop is not for what was stopped
    values = {
        "host": turn.id,
        "key": turn.session_key,
        "rank": turn.arrival.rank,
        "now": now,
        "modes": json.dumps(list(modes)),
        **conversation_values(turn.arrival.inbound.conversation_key),
    }
    rows = connection.execute(_JOINING.format(due=DUE), values).fetchall()
    return [turn_of(row) for row in rows]


def _is_stopped(connection: sqlite3.Connection, turn: Turn) -> bool:
    row = connection.execute("SELECT cancel_asked FROM turn WHERE id = ?", (turn.id,)).fetchone()
    return bool(row["cancel_asked"])


def _any_waits(connection: sqlite3.Connection, session_key: SessionKey) -> bool:
    row = connection.execute(
        "SELECT 1 FROM turn INDEXED BY turn_waiting"
        " WHERE session_key = ? AND state = 'waiting' LIMIT 1",
        (session_key,),
    ).fetchone()
    return row is not None
