"""The first commit of a message: its claim, its place in the queue, what a stop ends with it."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.admission import Dispatch, Handled
from bot.contracts.delivery import Delivery, OnUnknown
from bot.contracts.inbound import ConversationKey, Source
from bot.contracts.reply import ReplyPayload
from bot.contracts.session import SessionKey
from bot.contracts.store import Duplicate, Full, Opened
from bot.contracts.turn import (
    Arrival,
    Outcome,
    OutcomeKind,
    QueueMode,
    Turn,
    TurnId,
    TurnState,
)
from bot.store import codec
from bot.store.sqlite import attempts, conversations, outbox, sessions, spending
from bot.store.sqlite.attempts import Begun, Start
from bot.store.sqlite.leases import NOBODY, Boot
from bot.store.sqlite.lines import next_seq
from bot.store.sqlite.rows import ticks, ticks_or_none, turn_of

_STOPPED: Final = Outcome(kind=OutcomeKind.INTERRUPTED, reason="stopped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many turns may wait."""

    session: int
    store: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What became of one arrival, and the running turn that it asked to stop."""

    result: Opened | Duplicate | Full
    asked_to_stop: TurnId | None = None
    begun: Begun | None = None
    """If it was taken at once for somebody who had offered to begin it."""


def claim(
    connection: sqlite3.Connection, arrival: Arrival, caps: Caps, now: int, start: Start | None
) -> Claimed:
    """Write *arrival* down, unless it was before or there is no room.

    It is taken for *start* in the same breath where its session is idle and it is due.
    """
    earlier = _claimed(connection, arrival.inbound.conversation_key, arrival.inbound.source)
    if earlier is not None:
        return Claimed(result=Duplicate(turn=turn_of(earlier)))
    if not _turns(arrival):
        return _written(connection, arrival, caps, now, start)
    if isinstance(arrival.admission, Dispatch) and (full := _full(connection, arrival, caps)):
        return Claimed(result=full)
    running, _ = _clear(connection, arrival, now)
    claimed = _written(connection, arrival, caps, now, start)
    return replace(claimed, asked_to_stop=claimed.asked_to_stop or running)


def _turns(arrival: Arrival) -> bool:
    """Whether its session goes elsewhere with it, and leaves behind what runs and waits."""
    return arrival.change is not None and arrival.change.turns_to is not None


def _written(
    connection: sqlite3.Connection, arrival: Arrival, caps: Caps, now: int, start: Start | None
) -> Claimed:
    match arrival.admission:
        case Dispatch():
            if start is not None and _may_begin(connection, arrival, now):
                return _begin(connection, arrival, start, now)
            return _enqueue(connection, arrival, caps, now)
        case Handled() if arrival.mode is QueueMode.INTERRUPT:
            return _stop(connection, arrival, now)
        case _:
            return Claimed(result=_answer(connection, arrival, arrival.replies, now))


def amend(
    connection: sqlite3.Connection,
    conversation: ConversationKey,
    source: Source,
    text: str | None,
    now: int,
) -> bool:
    """Replace the text of a turn that still waits, or end it; say whether one did."""
    row = _claimed(connection, conversation, source)
    if row is None or row["state"] != TurnState.WAITING:
        return False
    if text is None:
        end(connection, row["id"], conversations.FORGOTTEN, now)
        return True
    arrival = codec.ARRIVAL.decode(row["arrival"])
    amended = replace(arrival, inbound=replace(arrival.inbound, text=text))
    connection.execute(
        "UPDATE turn SET arrival = ? WHERE id = ?", (codec.ARRIVAL.encode(amended), row["id"])
    )
    return True


def forget(
    connection: sqlite3.Connection, conversation: ConversationKey, now: int
) -> Sequence[TurnId]:
    """End what waits and runs in *conversation*, then delete its words; return what was ended."""
    ended = conversations.open_turns(connection, conversation)
    for turn_id in ended:
        end(connection, turn_id, conversations.FORGOTTEN, now)
    conversations.wipe(connection, conversation)
    return ended


def end(connection: sqlite3.Connection, turn_id: TurnId, outcome: Outcome, now: int) -> None:
    """Finish a turn that waits or runs."""
    connection.execute(
        "UPDATE turn SET state = 'finished', boot = 0, outcome = ?, ending = ?, ended_at = ?"
        " WHERE id = ?",
        (outcome.kind, codec.OUTCOME.encode(outcome), now, turn_id),
    )


def _claimed(
    connection: sqlite3.Connection, conversation: ConversationKey, source: Source
) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM turn"
        " WHERE channel = ? AND account = ? AND conversation_id = ? AND source = ?",
        (conversation.channel, conversation.account, conversation.conversation_id, source),
    ).fetchone()
    return row


def _may_begin(connection: sqlite3.Connection, arrival: Arrival, now: int) -> bool:
    """Whether nothing of its session runs or waits, and it need not wait itself."""
    if arrival.not_before is not None and ticks(arrival.not_before) > now:
        return False
    key = arrival.route.session_key
    (busy,) = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM turn WHERE session_key = ? AND state = 'running')"
        " OR EXISTS (SELECT 1 FROM turn INDEXED BY turn_waiting"
        " WHERE session_key = ? AND state = 'waiting')",
        (key, key),
    ).fetchone()
    return not busy


def _begin(connection: sqlite3.Connection, arrival: Arrival, start: Start, now: int) -> Claimed:
    turn = _insert(connection, arrival, now, boot=start.boot)
    begun = attempts.begin(connection, turn, start, now)
    return Claimed(result=Opened(turn=turn), begun=begun)


def _enqueue(connection: sqlite3.Connection, arrival: Arrival, caps: Caps, now: int) -> Claimed:
    if (full := _full(connection, arrival, caps)) is not None:
        return Claimed(result=full)
    stopped = None
    if arrival.mode is QueueMode.INTERRUPT:
        stopped = _ask_to_stop(connection, arrival.route.session_key)
    return Claimed(result=Opened(turn=_insert(connection, arrival, now)), asked_to_stop=stopped)


def _full(connection: sqlite3.Connection, arrival: Arrival, caps: Caps) -> Full | None:
    """Say how many wait where there is no room for one more, in its session or in all."""
    (in_session,) = connection.execute(
        "SELECT COUNT(*) FROM turn INDEXED BY turn_waiting"
        " WHERE session_key = ? AND state = 'waiting'",
        (arrival.route.session_key,),
    ).fetchone()
    if in_session >= caps.session and not _turns(arrival):
        return Full(waiting=in_session)
    (in_all,) = connection.execute("SELECT COUNT(*) FROM turn WHERE state = 'waiting'").fetchone()
    return Full(waiting=in_all) if in_all >= caps.store else None


def _stop(connection: sqlite3.Connection, arrival: Arrival, now: int) -> Claimed:
    """Stop what runs and end what waits; the answer is theirs, if there is anything."""
    running, waited = _clear(connection, arrival, now)
    idle = running is None and not waited
    opened = _answer(connection, arrival, arrival.replies if idle else (), now)
    return Claimed(result=opened, asked_to_stop=running)


def _clear(connection: sqlite3.Connection, arrival: Arrival, now: int) -> tuple[TurnId | None, int]:
    """Stop what runs in *arrival*'s session and end what waits; return it, and how many."""
    session_key = arrival.route.session_key
    running = _ask_to_stop(connection, session_key)
    rows = connection.execute(
        "SELECT * FROM turn INDEXED BY turn_waiting"
        " WHERE session_key = ? AND state = 'waiting' ORDER BY seq",
        (session_key,),
    ).fetchall()
    for row in rows:
        turn = turn_of(row)
        end(connection, turn.id, _STOPPED, now)
        if arrival.stopped_notice is not None:
            notice = _reply(turn.arrival, f"{turn.id}!stopped", arrival.stopped_notice)
            outbox.queue(connection, [replace(notice, expires_at=arrival.fresh_until)])
    return running, len(rows)


def _answer(
    connection: sqlite3.Connection, arrival: Arrival, replies: Sequence[ReplyPayload], now: int
) -> Opened:
    """Write down an arrival that needs no worker, with what it is told at the door."""
    outcome = Outcome(
        kind=OutcomeKind.ANSWERED if replies else OutcomeKind.SILENT,
        reason=arrival.admission.reason,
    )
    turn = _insert(connection, arrival, now)
    end(connection, turn.id, outcome, now)
    outbox.queue(
        connection,
        [_reply(arrival, f"{turn.id}!door:{n}", reply) for n, reply in enumerate(replies)],
    )
    return Opened(turn=replace(turn, state=TurnState.FINISHED))


def _ask_to_stop(connection: sqlite3.Connection, session_key: SessionKey) -> TurnId | None:
    row = connection.execute(
        "UPDATE turn SET cancel_asked = 1 WHERE session_key = ? AND state = 'running' RETURNING id",
        (session_key,),
    ).fetchone()
    return None if row is None else TurnId(row["id"])


def _insert(
    connection: sqlite3.Connection, arrival: Arrival, now: int, *, boot: Boot | None = None
) -> Turn:
    """Write *arrival*: a turn that waits or, of a *boot*, one that runs; and what it changes."""
    inbound = arrival.inbound
    turn = Turn(
        id=arrival.turn_id,
        seq=next_seq(connection),
        arrival=arrival,
        state=TurnState.WAITING if boot is None else TurnState.RUNNING,
        attempt=0 if boot is None else 1,
        epoch=0 if boot is None else boot.epoch,
    )
    connection.execute(
        "INSERT INTO turn (seq, id, channel, account, conversation_id, thread_id, source, event,"
        " session_key, rank, mode, lane, not_before, arrival, state, attempt, epoch, boot)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            turn.seq,
            turn.id,
            inbound.channel,
            inbound.account,
            inbound.conversation.id,
            inbound.conversation.thread_id,
            inbound.source,
            inbound.event,
            arrival.route.session_key,
            arrival.rank,
            arrival.mode,
            arrival.lane,
            ticks_or_none(arrival.not_before),
            codec.ARRIVAL.encode(arrival),
            turn.state,
            turn.attempt,
            turn.epoch,
            NOBODY if boot is None else boot.number,
        ),
    )
    conversations.note(connection, turn)
    if arrival.change is not None:
        sessions.change(connection, turn, arrival.change, now)
    elif isinstance(arrival.admission, Dispatch) and sessions.wake(connection, turn, now):
        _say_anew(connection, arrival)
    if arrival.allowances:
        spending.allow(connection, turn, now)
    return turn


def _say_anew(connection: sqlite3.Connection, arrival: Arrival) -> None:
    """Say that the session begins anew, before anything is answered in it."""
    if arrival.anew_notice is not None:
        outbox.queue(connection, [_reply(arrival, f"{arrival.turn_id}!anew", arrival.anew_notice)])


def _reply(arrival: Arrival, delivery_id: str, payload: ReplyPayload) -> Delivery:
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
