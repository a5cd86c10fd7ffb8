"""Waiting turns that join a running one."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from bot.contracts.session import SessionKey
from bot.contracts.turn import QueueMode, Turn, TurnId
from bot.store.sqlite import attempts, sessions, transcripts
from bot.store.sqlite.recent import Added
from bot.store.sqlite.rows import turn_of


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
    received = [replace(attempts.received(one), turn_id=one.id) for one in joining]
    return Joined(
        turn=turn,
        added=transcripts.record(connection, turn, received, now),
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
    conversation = turn.arrival.inbound.conversation_key
    rows = connection.execute(
        "SELECT * FROM turn INDEXED BY turn_waiting WHERE session_key = ? AND state = 'waiting'"
        " AND channel = ? AND account = ? AND conversation_id = ? AND thread_id IS ?"
        " AND rank >= ? AND (not_before IS NULL OR not_before <= ?)"
        " AND mode IN (SELECT value FROM json_each(?)) ORDER BY seq",
        (
            turn.session_key,
            conversation.channel,
            conversation.account,
            conversation.conversation_id,
            conversation.thread_id,
            turn.arrival.rank,
            now,
            json.dumps(list(modes)),
        ),
    ).fetchall()
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
