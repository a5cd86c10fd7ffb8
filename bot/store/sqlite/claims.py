"""The first commit of a message: its claim, and its place in the queue."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.admission import Dispatch, Handled, Observe
from bot.contracts.decision import Decides
from bot.contracts.inbound import ConversationKey, EventClass, Source
from bot.contracts.moved import move_of
from bot.contracts.reply import ReplyPayload
from bot.contracts.session import SessionKey
from bot.contracts.store import Duplicate, Full, Opened
from bot.contracts.turn import (
    Arrival,
    Outcome,
    OutcomeKind,
    QueueMode,
    TellStop,
    Turn,
    TurnId,
    TurnState,
)
from bot.store import codec
from bot.store.sqlite import (
    approvals,
    attempts,
    bursts,
    conversations,
    edits,
    endings,
    outbox,
    overflow,
    ready,
    sessions,
    spending,
    stops,
)
from bot.store.sqlite.attempts import Begun, Start
from bot.store.sqlite.bursts import Paced
from bot.store.sqlite.edits import Change
from bot.store.sqlite.leases import NOBODY, Boot
from bot.store.sqlite.lines import next_seq
from bot.store.sqlite.overflow import Caps
from bot.store.sqlite.records import note_move
from bot.store.sqlite.rows import ticks, ticks_or_none, turn_of

_CHANGES: Final = frozenset({EventClass.EDIT, EventClass.DELETION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds for every claim of one call."""

    caps: Caps
    now: int
    tell_stop: TellStop | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What became of one arrival, and the running turn that it asked to stop."""

    result: Opened | Duplicate | Full
    asked_to_stop: TurnId | None = None
    begun: Begun | None = None
    """If it was taken at once for somebody who had offered to begin it."""
    corrected: SessionKey | None = None
    """Where a turn runs that is to be told of it."""


def claim(
    connection: sqlite3.Connection, arrival: Arrival, rules: Rules, start: Start | None
) -> Claimed:
    """Write *arrival* down, unless it was before or there is no room.

    It is taken for *start* in the same breath where its session is idle and it is due.
    """
    now = rules.now
    earlier = edits.claimed(connection, arrival.inbound.conversation_key, arrival.inbound.source)
    if earlier is not None:
        return Claimed(result=Duplicate(turn=turn_of(earlier)))
    if arrival.decides is not None and arrival.decided is not None:
        return Claimed(result=_decide(connection, arrival, arrival.decides, arrival.decided, now))
    if not _turns(arrival):
        return _written(connection, arrival, rules, start)
    if isinstance(arrival.admission, Dispatch):
        full = overflow.make_room(connection, arrival, rules.caps, now, clears=True)
        if full is not None:
            return Claimed(result=full)
    asked = stops.clear(connection, arrival, now).asked
    claimed = _written(connection, arrival, rules, start)
    return replace(claimed, asked_to_stop=claimed.asked_to_stop or asked)


def _turns(arrival: Arrival) -> bool:
    """Whether its session goes elsewhere with it, and leaves behind what runs and waits."""
    return arrival.change is not None and arrival.change.turns_to is not None


def _written(
    connection: sqlite3.Connection, arrival: Arrival, rules: Rules, start: Start | None
) -> Claimed:
    now, inbound = rules.now, arrival.inbound
    match arrival.admission:
        case Dispatch():
            settled = bursts.settle(connection, arrival, now)
            if start is not None and _may_begin(connection, settled, now):
                return _begin(connection, settled, start, now)
            return _enqueue(connection, bursts.gather(connection, settled, now), rules)
        case Handled() if arrival.mode is QueueMode.INTERRUPT:
            made = stops.stop(connection, arrival, now, rules.tell_stop)
            opened = _answer(connection, arrival, made.replies, now)
            return Claimed(result=opened, asked_to_stop=made.asked)
        case Handled() if inbound.event in _CHANGES:
            change = edits.apply(connection, arrival, now)
            opened = _answer(connection, arrival, (), now, change)
            return Claimed(result=opened, corrected=change.session_key)
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
    row = edits.claimed(connection, conversation, source)
    if row is None or row["state"] != TurnState.WAITING:
        return False
    if text is None:
        edits.cancel(connection, turn_of(row), now)
    else:
        edits.replace_text(connection, turn_of(row), text)
    return True


def forget(
    connection: sqlite3.Connection, conversation: ConversationKey, now: int
) -> Sequence[TurnId]:
    """End what waits and runs in *conversation*, then delete its words; return what was ended."""
    sessions = conversations.open_sessions(connection, conversation)
    ended = conversations.open_turns(connection, conversation)
    for turn_id in ended:
        endings.end(connection, turn_id, conversations.FORGOTTEN, now)
        attempts.end(connection, turn_id, conversations.FORGOTTEN.reason, now)
    for session_key in sessions:
        ready.left(connection, session_key)
        ready.ended(connection, session_key)
    conversations.wipe(connection, conversation)
    return ended


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


def _enqueue(connection: sqlite3.Connection, paced: Paced, rules: Rules) -> Claimed:
    arrival = paced.arrival
    full = overflow.make_room(connection, arrival, rules.caps, rules.now)
    if full is not None:
        return Claimed(result=full)
    stopped = None
    if arrival.mode is QueueMode.INTERRUPT:
        stopped = stops.ask_to_stop(connection, arrival)
    turn = _insert(connection, arrival, rules.now)
    if paced.burst is not None:
        connection.execute(
            "UPDATE turn SET burst = ?, burst_ends = ? WHERE seq = ?",
            (paced.burst.id, paced.burst.ends, turn.seq),
        )
    ready.waits(connection, arrival)
    return Claimed(result=Opened(turn=turn), asked_to_stop=stopped)


def _answer(
    connection: sqlite3.Connection,
    arrival: Arrival,
    replies: Sequence[ReplyPayload],
    now: int,
    change: Change | None = None,
) -> Opened:
    """Write down an arrival that needs no worker, with what it is told at the door."""
    outcome = Outcome(
        kind=OutcomeKind.ANSWERED if replies else OutcomeKind.SILENT,
        reason=change.reason if change else arrival.admission.reason,
    )
    turn = _insert(connection, arrival, now)
    if isinstance(arrival.admission, Handled) and (move := move_of(arrival.inbound)) is not None:
        note_move(connection, move)
    endings.end(connection, turn.id, outcome, now)
    if isinstance(arrival.admission, Observe):
        connection.execute("UPDATE turn SET untold = 1, kept = 1 WHERE seq = ?", (turn.seq,))
    elif change is not None and change.tells:
        connection.execute(
            "UPDATE turn SET untold = 1, corrects = ? WHERE seq = ?", (change.corrects, turn.seq)
        )
    outbox.queue(
        connection,
        [endings.reply(arrival, f"{turn.id}!door:{n}", reply) for n, reply in enumerate(replies)],
    )
    return Opened(turn=replace(turn, state=TurnState.FINISHED))


def _decide(
    connection: sqlite3.Connection, arrival: Arrival, decides: Decides, decided: Arrival, now: int
) -> Opened:
    """Make the decision of *arrival* and open its turn, or say that it comes too late.

    Its turn waits for its session like any other, whatever the caps say: it was asked for.
    """
    heard = replace(arrival, decides=None, decided=None)
    if not approvals.decide(connection, decides, decided, now):
        return _answer(connection, heard, decides.too_late, now)
    opened = _answer(connection, heard, arrival.replies, now)
    turn = _insert(connection, decided, now)
    ready.waits(connection, decided)
    return replace(opened, decided=turn)


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
        outbox.queue(
            connection, [endings.reply(arrival, f"{arrival.turn_id}!anew", arrival.anew_notice)]
        )
