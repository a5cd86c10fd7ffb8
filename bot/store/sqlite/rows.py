"""Between rows and our dataclasses."""

import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.contracts.delivery import Delivery, DeliveryState, OnUnknown
from bot.contracts.inbound import ConversationKey
from bot.contracts.ledger import Attempt, Direction, Line, Session
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Turn, TurnId, TurnState
from bot.store import codec

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)

CHAPTER_KEY: Final = "session_key || CASE chapter WHEN 0 THEN '' ELSE '#' || chapter END"
"""Where a row of `turn` has its entries: `bot.contracts.session.chapter_key`, said in SQL."""


def ticks(moment: datetime) -> int:
    """Return *moment* in microseconds, exactly."""
    return (moment - _EPOCH) // _TICK


def moment(ticks: int) -> datetime:
    """Return the time that `ticks` wrote, in UTC."""
    return _EPOCH + ticks * _TICK


def ticks_or_none(moment: datetime | None) -> int | None:
    """Return *moment* as `ticks` does, if there is one."""
    return None if moment is None else ticks(moment)


def moment_or_none(ticks: int | None) -> datetime | None:
    """Return the time that `ticks_or_none` wrote, if there was one."""
    return None if ticks is None else moment(ticks)


def turn_of(row: sqlite3.Row) -> Turn:
    """Read a row of `turn`."""
    return Turn(
        id=TurnId(row["id"]),
        seq=row["seq"],
        arrival=codec.ARRIVAL.decode(row["arrival"]),
        state=TurnState(row["state"]),
        attempt=row["attempt"],
        crashes=row["crashes"],
        epoch=row["epoch"],
        cancel_asked=bool(row["cancel_asked"]),
        chapter=row["chapter"],
    )


def delivery_of(row: sqlite3.Row) -> Delivery:
    """Read a row of `delivery`."""
    receipt = row["receipt"]
    return Delivery(
        id=row["id"],
        turn_id=TurnId(row["turn_id"]),
        session_key=SessionKey(row["session_key"]),
        target=codec.TARGET.decode(row["target"]),
        payload=codec.PAYLOAD.decode(row["payload"]),
        on_unknown=OnUnknown(row["on_unknown"]),
        state=DeliveryState(row["state"]),
        attempt=row["attempt"],
        repeats=row["repeats"],
        not_before=moment_or_none(row["not_before"]),
        expires_at=moment_or_none(row["expires_at"]),
        replaces=row["replaces"],
        started_at=moment_or_none(row["started_at"]),
        seq=row["seq"],
        receipt=None if receipt is None else codec.RECEIPT.decode(receipt),
        reason=row["reason"],
    )


def session_of(row: sqlite3.Row) -> Session:
    """Read a row of `session`."""
    return Session(
        key=SessionKey(row["key"]),
        agent_id=AgentId(row["agent_id"]),
        choices=codec.CHOICES.decode(row["choices"]),
        chapter=row["chapter"],
        chapters=row["chapters"],
        started_at=moment(row["started_at"]),
        last_interaction_at=moment(row["last_interaction_at"]),
        usage=codec.USAGE.decode(row["usage"]),
        version=row["version"],
    )


def attempt_of(row: sqlite3.Row) -> Attempt:
    """Read a row of `attempt`."""
    return Attempt(
        number=row["number"],
        worker=row["worker"],
        started_at=moment(row["started_at"]),
        ended_at=moment_or_none(row["ended_at"]),
        reason=row["reason"],
    )


def heard_line(row: sqlite3.Row) -> Line:
    """Read a row of `turn` as what was heard."""
    turn = turn_of(row)
    return Line(
        seq=turn.seq,
        direction=Direction.HEARD,
        turn_id=turn.id,
        at=turn.arrival.received_at,
        text=turn.arrival.inbound.text,
        source=turn.arrival.inbound.source,
        edited_source=turn.arrival.inbound.edited_source,
        attachments=turn.arrival.inbound.attachments,
    )


def said_line(row: sqlite3.Row) -> Line:
    """Read a row of `delivery` that has arrived, with its turn's `tool_calls`, as what was said."""
    payload = codec.PAYLOAD.decode(row["payload"])
    return Line(
        seq=row["seq"],
        direction=Direction.SAID,
        turn_id=TurnId(row["turn_id"]),
        at=codec.RECEIPT.decode(row["receipt"]).at,
        text=payload.fallback,
        tool_calls=row["tool_calls"] or 0,
        delivery_id=row["id"],
        payload=payload,
    )


def conversation_values(conversation: ConversationKey) -> dict[str, object]:
    """Return *conversation* as the values of a query, under the names of the columns."""
    return {
        "channel": conversation.channel,
        "account": conversation.account,
        "conversation_id": conversation.conversation_id,
        "thread_id": conversation.thread_id,
    }
