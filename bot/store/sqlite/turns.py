"""The queue, which is also the session lane."""

import json
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from functools import partial

from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery
from bot.contracts.errors import RecordUnreadable
from bot.contracts.inbound import ConversationKey, Source
from bot.contracts.store import (
    Cursor,
    Duplicate,
    Full,
    Opened,
    Renewal,
    StopAsked,
    WorkWaiting,
)
from bot.contracts.transcript import Received, Recorded
from bot.contracts.turn import (
    Arrival,
    Lane,
    Outcome,
    OutcomeKind,
    QueueMode,
    Turn,
    TurnId,
)
from bot.store.sqlite import claims, conversations, due, outbox, sessions, transcripts
from bot.store.sqlite.bell import Bell
from bot.store.sqlite.claims import Caps, Claimed
from bot.store.sqlite.db import Reader, Unit, Writer
from bot.store.sqlite.leases import NOBODY, Boot, require_turn
from bot.store.sqlite.records import move_cursor
from bot.store.sqlite.rows import ticks, turn_of


class SqliteTurns:
    """The `Turns` of one database."""

    def __init__(
        self,
        writer: Writer,
        reader: Reader,
        clock: Clock,
        boot: Boot,
        caps: Caps,
        outbox_bell: Bell,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._boot = boot
        self._caps = caps
        self._bell = Bell(clock)
        self._outbox_bell = outbox_bell
        self._listeners: list[deque[TurnId]] = []

    async def open(
        self, *arrivals: Arrival, cursor: Cursor | None = None
    ) -> Sequence[Opened | Duplicate | Full]:
        """Claim every arrival, in order, and move the cursor, in one commit."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Sequence[Claimed]:
            claimed = [claims.claim(connection, arrival, self._caps, now) for arrival in arrivals]
            if cursor is not None and not any(isinstance(one.result, Full) for one in claimed):
                move_cursor(connection, cursor)
            return claimed

        claimed = await self._writer.write(unit, then=self._tell_opened)
        return [one.result for one in claimed]

    async def amend(self, conversation: ConversationKey, source: Source, text: str | None) -> bool:
        """Replace the text of a turn that still waits, or end it as `interrupted` (None)."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> bool:
            return claims.amend(connection, conversation, source, text, now)

        return await self._writer.write(unit)

    async def forget(self, conversation: ConversationKey) -> Sequence[TurnId]:
        """Delete what was said in *conversation*, and end what waits and runs in it."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Sequence[TurnId]:
            ended = claims.forget(connection, conversation, now)
            for turn_id in ended:
                _end_attempt(connection, turn_id, conversations.FORGOTTEN.reason, now)
            return ended

        return await self._writer.write(unit, then=self._tell_stops)

    async def take(self, worker: str, lanes: Collection[Lane]) -> Turn | None:
        """Give out the oldest due turn of a session that has none running."""
        unit = partial(
            _take, worker=worker, lanes=lanes, now=ticks(self._clock.now()), boot=self._boot
        )
        return await self._writer.write(unit, undo=self._untake)

    async def absorb(self, turn: Turn, modes: Collection[QueueMode]) -> Sequence[Recorded]:
        """Let waiting turns of *modes* join *turn*, recorded as `Received`, in order."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            require_turn(connection, turn, self._boot)
            joining = _joining(connection, turn, modes, now)
            if not joining:
                return []
            for one in joining:
                connection.execute(
                    "UPDATE turn SET state = 'absorbed', absorbed_by = ? WHERE id = ?",
                    (turn.id, one.id),
                )
            sessions.touch(connection, turn, now)
            return transcripts.record(connection, turn, [_joined(one) for one in joining], now)

        return await self._writer.write(unit)

    async def renew(self, turn: Turn) -> Renewal:
        """Keep the lease, and learn whether a stop was asked for."""

        def unit(connection: sqlite3.Connection) -> Renewal:
            row = connection.execute(
                "SELECT cancel_asked FROM turn"
                " WHERE id = ? AND attempt = ? AND state = 'running' AND boot = ?",
                (turn.id, turn.attempt, self._boot.number),
            ).fetchone()
            if row is None:
                return Renewal.LOST
            return Renewal.STOP_ASKED if row["cancel_asked"] else Renewal.HELD

        return await self._reader.read(unit)

    async def release(self, turn: Turn) -> None:
        """Put a running turn back, to be taken again at once: a graceful stop."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> None:
            require_turn(connection, turn, self._boot)
            _put_back(connection, turn, "released", now)

        await self._writer.write(unit, then=self._ring)

    async def finish(
        self, turn: Turn, outcome: Outcome, deliveries: Sequence[Delivery]
    ) -> Sequence[TurnId]:
        """End *turn* and queue what tells of it, in one commit; return whom it had absorbed."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Sequence[TurnId]:
            require_turn(connection, turn, self._boot)
            claims.end(connection, turn.id, outcome, now)
            _end_attempt(connection, turn.id, outcome.kind, now)
            sessions.charge(connection, turn.session_key, outcome.usage)
            outbox.queue(connection, deliveries)
            return _absorbed(connection, turn)

        return await self._writer.write(unit, then=self._ring_all)

    async def signals(self) -> AsyncIterator[WorkWaiting | StopAsked]:
        """Hints about work; a lost one costs a second."""
        stops: deque[TurnId] = deque()
        self._listeners.append(stops)
        rung = False
        try:
            while True:
                heard = self._bell.rings
                while stops:
                    yield StopAsked(turn_id=stops.popleft())
                # After a ring `take` looks anyway, so that we need not.
                seconds = 0.0 if rung else await self._seconds_until_due()
                if seconds <= 0:
                    yield WorkWaiting()
                    seconds = due.LOOK_SECONDS
                await self._bell.wait(heard, min(seconds, due.LOOK_SECONDS))
                rung = self._bell.rings != heard
        finally:
            self._listeners.remove(stops)

    async def _seconds_until_due(self) -> float:
        now = ticks(self._clock.now())
        return await self._reader.read(partial(due.seconds_until_due, now=now, boot=self._boot))

    def _tell_opened(self, claimed: Sequence[Claimed]) -> None:
        if all(one.waits for one in claimed):
            self._bell.ring()  # nobody is told anything yet
        else:
            stops = [one.asked_to_stop for one in claimed if one.asked_to_stop is not None]
            self._tell_stops(stops)

    def _tell_stops(self, turn_ids: Sequence[TurnId]) -> None:
        for stops in self._listeners:
            stops.extend(turn_ids)
        self._ring_all(None)

    def _untake(self, turn: Turn | None) -> Unit[None]:
        """Give back what was taken for a worker that had gone."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> None:
            if turn is not None:
                _put_back(connection, turn, "nobody was there to run it", now)

        return unit

    def _ring(self, _: object) -> None:
        self._bell.ring()

    def _ring_all(self, _: object) -> None:
        self._bell.ring()
        self._outbox_bell.ring()


def _take(
    connection: sqlite3.Connection, *, worker: str, lanes: Collection[Lane], now: int, boot: Boot
) -> Turn | None:
    while (row := due.candidate(connection, lanes, now, boot)) is not None:
        try:
            turn_of(row)
        except RecordUnreadable as error:  # it must not hold up those behind it
            claims.end(connection, row["id"], _unreadable(error), now)
            continue
        return _begin(connection, row, worker, now, boot)
    return None


def _begin(
    connection: sqlite3.Connection, row: sqlite3.Row, worker: str, now: int, boot: Boot
) -> Turn:
    crashed = row["boot"] not in (NOBODY, boot.number)
    if crashed:
        _end_attempt(connection, row["id"], "its process ended", now)
    turn = turn_of(
        connection.execute(
            "UPDATE turn SET state = 'running', attempt = attempt + 1, crashes = crashes + ?,"
            " epoch = CASE attempt WHEN 0 THEN ? ELSE epoch END, boot = ? WHERE id = ? RETURNING *",
            (crashed, boot.epoch, boot.number, row["id"]),
        ).fetchone()
    )
    connection.execute(
        "INSERT INTO attempt (turn_id, number, worker, started_at) VALUES (?, ?, ?, ?)",
        (turn.id, turn.attempt, worker, now),
    )
    if turn.attempt == 1:
        sessions.touch(connection, turn, now)
        transcripts.record(connection, turn, [_received(turn)], now)
    return turn


def _joining(
    connection: sqlite3.Connection, turn: Turn, modes: Collection[QueueMode], now: int
) -> Sequence[Turn]:
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


def _absorbed(connection: sqlite3.Connection, turn: Turn) -> Sequence[TurnId]:
    rows = connection.execute(
        "SELECT id FROM turn WHERE absorbed_by = ? ORDER BY seq", (turn.id,)
    ).fetchall()
    return [TurnId(row["id"]) for row in rows]


def _put_back(connection: sqlite3.Connection, turn: Turn, reason: str, now: int) -> None:
    """Leave *turn* running by nobody: it keeps its session's lane, and is taken first of all."""
    connection.execute(
        "UPDATE turn SET boot = ? WHERE id = ? AND attempt = ? AND state = 'running'",
        (NOBODY, turn.id, turn.attempt),
    )
    _end_attempt(connection, turn.id, reason, now)


def _end_attempt(connection: sqlite3.Connection, turn_id: TurnId, reason: str, now: int) -> None:
    connection.execute(
        "UPDATE attempt SET ended_at = ?, reason = ? WHERE turn_id = ? AND ended_at IS NULL",
        (now, reason, turn_id),
    )


def _received(turn: Turn) -> Received:
    return Received(inbound=turn.arrival.inbound, rank=turn.arrival.rank)


def _joined(turn: Turn) -> Received:
    return replace(_received(turn), turn_id=turn.id)


def _unreadable(error: RecordUnreadable) -> Outcome:
    return Outcome(kind=OutcomeKind.FAILED, reason=str(error))
