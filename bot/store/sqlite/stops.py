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
class Made:
    """What a stop did: the answer to it, and the running turn that it asked to stop."""

    replies: Sequence[ReplyPayload]
    asked: TurnId | None


def ask_to_stop(connection: sqlite3.Connection, arrival: Arrival) -> TurnId | None:
    """Ask the running turn of the arrival's session to stop, if its sender may."""
    row = connection.execute(_ASK.format(may_end=_MAY_END), _values(arrival)).fetchone()
    return None if row is None else TurnId(row["id"])


def stop(connection: sqlite3.Connection, arrival: Arrival, now: int, tell: TellStop | None) -> Made:
    """Stop what runs and end what waits, as far as the sender may; say what it is answered."""
    values = _values(arrival)
    asked = ask_to_stop(connection, arrival)
    rows = connection.execute(_WAITING.format(may_end=_MAY_END), values).fetchall()
    ended = [turn_of(row) for row in rows if row["may_end"]]
    here = [turn for turn in ended if _is_here(turn, arrival)]
    others_run = asked is None and connection.execute(_RUNS, values).fetchone() is not None
    made = StopMade(
        running=int(asked is not None),
        cancelled=len(here),
        elsewhere=len(ended) - len(here),
        not_theirs=len(rows) - len(ended) + others_run,
    )
    idle = not (made.running or ended)
    replies = tell(arrival.inbound, made) if tell else (arrival.replies if idle else ())
    told = {turn.id for turn in here} if tell and replies else set[TurnId]()
    for turn in ended:
        endings.end(connection, turn.id, replace(_STOPPED, reference=arrival.turn_id), now)
        if arrival.stopped_notice is not None and turn.id not in told:
            notice = endings.reply(turn.arrival, f"{turn.id}!stopped", arrival.stopped_notice)
            outbox.queue(connection, [replace(notice, expires_at=arrival.fresh_until)])
    if ended:
        ready.left(connection, arrival.route.session_key)
    return Made(replies=replies, asked=asked)


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
