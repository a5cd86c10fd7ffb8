"""One worker's taking of one turn: how it begins, is put back, and ends."""

import sqlite3
from dataclasses import dataclass, replace

from bot.contracts.errors import LeaseLost
from bot.contracts.transcript import Received
from bot.contracts.turn import Outcome, SessionChoices, Turn, TurnId
from bot.store import codec
from bot.store.sqlite import ready, sessions, transcripts, untold
from bot.store.sqlite.leases import NOBODY, Boot
from bot.store.sqlite.recent import Added
from bot.store.sqlite.rows import turn_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Who would begin a turn, and on which opening of the store."""

    worker: str
    boot: Boot


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A turn that was taken, with its words as they were recorded, on its first attempt."""

    turn: Turn
    added: Added | None = None


def take(connection: sqlite3.Connection, row: sqlite3.Row, start: Start, now: int) -> Begun:
    """Give out the turn of *row*, which waits or was left behind."""
    crashed = row["boot"] not in (NOBODY, start.boot.number)
    if crashed:
        end(connection, row["id"], "its process ended", now)
    turn = turn_of(
        connection.execute(
            "UPDATE turn SET state = 'running', attempt = attempt + 1, crashes = crashes + ?,"
            " epoch = CASE attempt WHEN 0 THEN ? ELSE epoch END, boot = ? WHERE id = ? RETURNING *",
            (crashed, start.boot.epoch, start.boot.number, row["id"]),
        ).fetchone()
    )
    ready.runs(connection, turn.session_key)
    begun = begin(connection, turn, start, now)
    if turn.attempt > 1 or begun.added is None:
        return begun
    joined = transcripts.record(connection, begun.turn, untold.summarized(connection, turn), now)
    return replace(begun, added=begun.added.and_then(joined))


def begin(connection: sqlite3.Connection, turn: Turn, start: Start, now: int) -> Begun:
    """Write down that the attempt of *turn*, whose row says that it runs, has begun."""
    connection.execute(
        "INSERT INTO attempt (turn_id, number, worker, started_at) VALUES (?, ?, ?, ?)",
        (turn.id, turn.attempt, start.worker, now),
    )
    if turn.attempt > 1:
        chosen = sessions.choices(connection, turn.session_key)
        return Begun(turn=_choosing(turn, chosen))
    standing = sessions.touch(connection, turn, now)
    turn = _choosing(_in_chapter(connection, turn, standing.chapter), standing.choices)
    told = [*untold.before(connection, turn), received(turn)]
    return Begun(turn=turn, added=transcripts.record(connection, turn, told, now))


def received(turn: Turn) -> Received:
    """Return *turn*'s words as the model is told them: without their directives (pure)."""
    arrival = turn.arrival
    told = arrival.inbound.text if arrival.told is None else arrival.told
    return Received(inbound=replace(arrival.inbound, text=told), rank=arrival.rank)


def _choosing(turn: Turn, chosen: SessionChoices) -> Turn:
    return replace(turn, choices=chosen.under(turn.arrival.directives))


def _in_chapter(connection: sqlite3.Connection, turn: Turn, chapter: int) -> Turn:
    """Let *turn* write to *chapter* to its end, wherever its session goes meanwhile."""
    if chapter != turn.chapter:
        connection.execute("UPDATE turn SET chapter = ? WHERE id = ?", (chapter, turn.id))
    return replace(turn, chapter=chapter)


def finish(
    connection: sqlite3.Connection, turn: Turn, outcome: Outcome, boot: Boot, now: int
) -> None:
    """End *turn*, unless it is somebody else's by now, or over.

    Raises:
        LeaseLost: it is; nothing was written.
    """
    ended = connection.execute(
        "UPDATE turn SET state = 'finished', boot = 0, outcome = ?, ending = ?, ended_at = ?"
        " WHERE id = ? AND attempt = ? AND state = 'running' AND boot = ?",
        (outcome.kind, codec.OUTCOME.encode(outcome), now, turn.id, turn.attempt, boot.number),
    )
    if ended.rowcount == 0:
        raise LeaseLost(f"turn {turn.id!r} is no longer run by its attempt {turn.attempt}")
    end(connection, turn.id, outcome.kind, now)
    ready.ended(connection, turn.session_key)


def put_back(connection: sqlite3.Connection, turn: Turn, reason: str, now: int) -> None:
    """Leave *turn* running by nobody: it keeps its session's lane, and is taken first of all."""
    connection.execute(
        "UPDATE turn SET boot = ? WHERE id = ? AND attempt = ? AND state = 'running'",
        (NOBODY, turn.id, turn.attempt),
    )
    end(connection, turn.id, reason, now)


def end(connection: sqlite3.Connection, turn_id: TurnId, reason: str, now: int) -> None:
    """Write down when and why the attempt of a turn ended, if one had begun."""
    connection.execute(
        "UPDATE attempt SET ended_at = ?, reason = ? WHERE turn_id = ? AND ended_at IS NULL",
        (now, reason, turn_id),
    )
