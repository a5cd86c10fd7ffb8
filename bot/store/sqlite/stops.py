"""What a stop or an interrupting message ends: one's own; an admin's, anybody's."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.reply import ReplyPayload
from bot.contracts.turn import (
    Arrival,
    Outcome,
    OutcomeKind,
    Rank,
    StopMade,
    TellStop,
    Turn,
    TurnId,
)
from bot.store.sqlite import endings, outbox, ready
from bot.store.sqlite.rows import turn_of

_STOPPED: Final = Outcome(kind=OutcomeKind.INTERRUPTED, reason="stopped")

_MAY_END: Final = """
    (:any
     OR (one.channel = :channel AND one.account = :account
         AND json_extract(one.arrival, '$.inbound.sender.id') = :sender)
     OR EXISTS (
        SELECT 1 FROM turn AS joined WHERE joined.absorbed_by = one.id
          AND joined.channel = :channel AND joined.account = :account
          AND json_extract(joined.arrival, '$.inbound.sender.id') = :sender))
"""
"""A turn is somebody's own if it answers something that they said."""

_ASK: Final = """
    UPDATE turn AS one SET cancel_asked = 1
    WHERE session_key = :key AND state = 'running' AND {may_end} RETURNING id
"""
_WAITING: Final = """
    SELECT one.*, {may_end} AS may_end FROM turn AS one INDEXED BY turn_waiting
    WHERE session_key = :key AND state = 'waiting' ORDER BY seq
"""
_RUNS: Final = "SELECT 1 FROM turn WHERE session_key = :key AND state = 'running'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """What was running and waiting in a session, as far as somebody may end it."""

    asked: TurnId | None
    """The running turn that was asked to stop."""
    ended: Sequence[Turn]
    """Those that waited."""
    others: int
    """How many go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a stop did: the answer to it, and the running turn that it asked to stop."""

    replies: Sequence[ReplyPayload]
    asked: TurnId | None


def ask_to_stop(connection: sqlite3.Connection, arrival: Arrival) -> TurnId | None:
    """Ask the running turn of the arrival's session to stop, if its sender may."""
    row = connection.execute(_ASK.format(may_end=_MAY_END), _values(arrival)).fetchone()
    return None if row is None else TurnId(row["id"])


def clear(connection: sqlite3.Connection, arrival: Arrival, now: int) -> Cleared:
    """Stop what runs and end what waits, as far as the sender may; each that waited is told."""
    cleared = _cleared(connection, arrival, now)
    _tell(connection, arrival, cleared.ended)
    return cleared


def stop(connection: sqlite3.Connection, arrival: Arrival, now: int, tell: TellStop | None) -> Made:
    """Stop what runs and end what waits, as far as the sender may; say what it is answered."""
    cleared = _cleared(connection, arrival, now)
    here = [turn for turn in cleared.ended if _is_here(turn, arrival)]
    made = StopMade(
        running=int(cleared.asked is not None),
        cancelled=len(here),
        elsewhere=len(cleared.ended) - len(here),
        not_theirs=cleared.others,
    )
    idle = not (made.running or cleared.ended)
    replies = tell(arrival.inbound, made) if tell else (arrival.replies if idle else ())
    told = {turn.id for turn in here} if tell and replies else set[TurnId]()
    _tell(connection, arrival, [turn for turn in cleared.ended if turn.id not in told])
    return Made(replies=replies, asked=cleared.asked)


def _cleared(connection: sqlite3.Connection, arrival: Arrival, now: int) -> Cleared:
    values = _values(arrival)
    asked = ask_to_stop(connection, arrival)
    rows = connection.execute(_WAITING.format(may_end=_MAY_END), values).fetchall()
    ended = [turn_of(row) for row in rows if row["may_end"]]
    for turn in ended:
        endings.end(connection, turn.id, replace(_STOPPED, reference=arrival.turn_id), now)
    if ended:
        ready.left(connection, arrival.route.session_key)
    others_run = asked is None and connection.execute(_RUNS, values).fetchone() is not None
    return Cleared(asked=asked, ended=ended, others=len(rows) - len(ended) + others_run)


def _tell(connection: sqlite3.Connection, arrival: Arrival, ended: Sequence[Turn]) -> None:
    if arrival.stopped_notice is not None:
        for turn in ended:
            notice = endings.reply(turn.arrival, f"{turn.id}!stopped", arrival.stopped_notice)
            outbox.queue(connection, [replace(notice, expires_at=arrival.fresh_until)])


def _values(arrival: Arrival) -> dict[str, object]:
    inbound = arrival.inbound
    return {
        "key": arrival.route.session_key,
        "any": arrival.rank >= Rank.ADMIN,
        "channel": inbound.channel,
        "account": inbound.account,
        "sender": inbound.sender.id,
    }


def _is_here(turn: Turn, arrival: Arrival) -> bool:
    return turn.arrival.inbound.conversation_key == arrival.inbound.conversation_key
