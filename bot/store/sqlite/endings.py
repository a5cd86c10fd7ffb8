"""How a turn ends that nobody runs, and what is said in its place."""

import sqlite3

from bot.contracts.delivery import Delivery, OnUnknown
from bot.contracts.reply import ReplyPayload
from bot.contracts.turn import Arrival, Outcome, TurnId
from bot.store import codec


def end(connection: sqlite3.Connection, turn_id: TurnId, outcome: Outcome, now: int) -> None:
    """Finish a turn that waits or runs."""
    connection.execute(
        "UPDATE turn SET state = 'finished', boot = 0, outcome = ?, ending = ?, ended_at = ?"
        " WHERE id = ?",
        (outcome.kind, codec.OUTCOME.encode(outcome), now, turn_id),
    )


def reply(arrival: Arrival, delivery_id: str, payload: ReplyPayload) -> Delivery:
    """Make the delivery of a sentence of our own.

    Its channel's rule is not known here, so it gets the one that suits any
    reply: two copies are better than none, and never three. It is worth sending
    as long as an answer would have been.
    """
    return Delivery(
        id=delivery_id,
        turn_id=arrival.turn_id,
        session_key=arrival.route.session_key,
        target=arrival.target,
        payload=payload,
        on_unknown=OnUnknown.REPEAT_ONCE,
        expires_at=arrival.fresh_until,
    )
