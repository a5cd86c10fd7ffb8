"""The queue, which is also the session lane."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bot.contracts.admission import Dispatch
from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery
from bot.contracts.inbound import ConversationKey, Source
from bot.contracts.session import SessionKey
from bot.contracts.signals import Offer, Signal, Taken, WorkWaiting
from bot.contracts.store import Cursor, Duplicate, Finished, Full, Opened, Renewal
from bot.contracts.transcript import Ending, Recorded
from bot.contracts.turn import (
    Arrival,
    Lane,
    QueueMode,
    TellStop,
    Turn,
    TurnId,
    TurnState,
)
from bot.store.sqlite import (
    approvals,
    attempts,
    claims,
    due,
    joining,
    outbox,
    sessions,
    transcripts,
    untold,
)
from bot.store.sqlite.attempts import Begun, Start
from bot.store.sqlite.bell import Bell
from bot.store.sqlite.claims import Claimed, Rules
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.due import Found
from bot.store.sqlite.joining import Joined
from bot.store.sqlite.known import KnownQueue
from bot.store.sqlite.leases import Boot, require_turn
from bot.store.sqlite.listeners import Listener, Listeners, withdraw
from bot.store.sqlite.overflow import Caps
from bot.store.sqlite.recent import Added, RecentTranscripts
from bot.store.sqlite.records import move_cursor
from bot.store.sqlite.rows import ticks
from bot.store.sqlite.wiping import wipe_session


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the parts of one open store know together, in the event loop's thread."""

    queue: KnownQueue
    transcripts: RecentTranscripts
    outbox_bell: Bell


class SqliteTurns:
    """The `Turns` of one database."""

    def __init__(
        self, writer: Writer, reader: Reader, clock: Clock, boot: Boot, caps: Caps, memory: Memory
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._boot = boot
        self._caps = caps
        self._known = memory.queue
        self._transcripts = memory.transcripts
        self._outbox_bell = memory.outbox_bell
        self._listeners = Listeners()

    async def open(
        self,
        *arrivals: Arrival,
        cursor: Cursor | None = None,
        tell_stop: TellStop | None = None,
    ) -> Sequence[Opened | Duplicate | Full]:
        """Claim every arrival, in order, and move the cursor, in one commit."""
        rules = Rules(caps=self._caps, now=ticks(self._clock.now()), tell_stop=tell_stop)
        listener, starts = self._promised(arrivals)

        def unit(connection: sqlite3.Connection) -> Sequence[Claimed]:
            claimed = [
                claims.claim(connection, arrival, rules, start)
                for arrival, start in zip(arrivals, starts, strict=True)
            ]
            if cursor is not None and not any(isinstance(one.result, Full) for one in claimed):
                move_cursor(connection, cursor)
            return claimed

        claimed = await self._writer.write(
            unit,
            then=partial(self._tell_opened, listener, starts),
            otherwise=partial(withdraw, listener, starts),
        )
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

        unit = partial(claims.forget, conversation=conversation, now=now)
        return await self._writer.write(unit, then=self._tell_forgotten)

    async def forget_observed(self, before: datetime) -> int:
        """Forget what was overheard *before* and is not told yet; return how many that were."""
        return await self._writer.write(partial(untold.forget, before=before))

    async def forget_session(
        self, session_key: SessionKey, *, unused_since: datetime | None = None
    ) -> Sequence[TurnId] | None:
        """Delete a session, unless somebody spoke in it since *unused_since*."""
        now = ticks(self._clock.now())
        unit = partial(wipe_session, key=session_key, unused_since=unused_since, now=now)
        return await self._writer.write(unit, then=lambda ended: self._tell_forgotten(ended or ()))

    async def take(self, worker: str, lanes: Collection[Lane]) -> Turn | None:
        """Give out the oldest due turn of a session that has none running."""
        if self._known.is_empty:
            return None
        unit = partial(
            due.take,
            start=Start(worker=worker, boot=self._boot),
            lanes=frozenset(lanes),
            now=ticks(self._clock.now()),
            returning=self._known.returning,
        )
        then = partial(self._tell_taken, frozenset(lanes))
        found = await self._writer.write(unit, then=then, undo=self._untake)
        return found.begun.turn if found.begun else None

    async def absorb(self, turn: Turn, modes: Collection[QueueMode]) -> Sequence[Recorded]:
        """Let waiting turns of *modes* join *turn*, recorded as `Received`, in order."""
        if self._known.nobody_waits_beside(turn):
            return ()
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Joined:
            require_turn(connection, turn, self._boot)
            return joining.join(connection, turn, modes, now)

        return (await self._writer.write(unit, then=self._tell_absorbed)).added.recorded

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

        return await self._writer.write(unit)

    async def release(self, turn: Turn) -> None:
        """Put a running turn back, to be taken again: a graceful stop, which is no crash."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> None:
            require_turn(connection, turn, self._boot)
            attempts.put_back(connection, turn, "released", now)

        await self._writer.write(unit, then=lambda _: self._tell_put_back(turn))

    async def finish(self, turn: Turn, ending: Ending, deliveries: Sequence[Delivery]) -> Finished:
        """End *turn*, record its last words and queue what tells of it, in one commit."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> _Ended:
            outcome = ending.outcome
            attempts.finish(connection, turn, outcome, self._boot, now)
            sessions.charge(connection, turn.session_key, outcome.usage)
            approvals.ask(connection, turn, ending.questions)
            return _Ended(
                added=transcripts.record(connection, turn, ending.words, now),
                finished=Finished(
                    arrived=outbox.queue(connection, deliveries),
                    absorbed=joining.joined_to(connection, turn),
                ),
            )

        def then(ended: _Ended) -> None:
            self._tell_ended(turn, ended, deliveries)

        return (await self._writer.write(unit, then=then)).finished

    async def signals(self, offer: Offer | None = None) -> AsyncGenerator[Signal, None]:
        """Hints about work, of which a lost one costs a second; and turns, to who offers places."""
        listener = self._listeners.add(offer)
        nap: asyncio.Future[None] | None = None
        try:
            while True:
                for signal in listener.heard():
                    yield signal
                if nap is None or nap.done():
                    seconds = 0.0 if self._known.returning else await self._seconds_until_due()
                    if seconds <= 0:
                        self._known.anything_may_be_due()
                        yield WorkWaiting()
                        seconds = due.LOOK_SECONDS
                    nap = listener.nap(self._clock, min(seconds, due.LOOK_SECONDS))
                await listener.wait(nap)
        finally:
            self._listeners.remove(listener)
            if nap is not None:
                nap.cancel()
            for turn in listener.unheard_turns():
                self._put_back(turn)

    async def _seconds_until_due(self) -> float:
        now = ticks(self._clock.now())
        return await self._reader.read(partial(due.seconds_until_due, now=now, boot=self._boot))

    def _promised(
        self, arrivals: Sequence[Arrival]
    ) -> tuple[Listener | None, Sequence[Start | None]]:
        """Say for whom each of *arrivals* may be taken at once, and keep the places."""
        listener = self._listeners.with_places()
        if listener is None or listener.offer is None:
            return None, [None] * len(arrivals)
        start = Start(worker=listener.offer.worker, boot=self._boot)
        fits = [
            isinstance(arrival.admission, Dispatch)
            and arrival.lane in listener.offer.lanes
            and not self._known.may_be_due_in(arrival.lane)
            for arrival in arrivals
        ]
        return listener, [start if kept else None for kept in listener.keep_places(fits)]

    def _tell_opened(
        self,
        listener: Listener | None,
        starts: Sequence[Start | None],
        claimed: Sequence[Claimed],
    ) -> None:
        withdraw(listener, starts)
        for one in claimed:
            if isinstance(one.result, Opened) and one.result.decided is not None:
                self._known.waits(one.result.decided)
            if one.begun is not None and listener is not None:
                self._give(listener, one.begun)
            elif isinstance(one.result, Opened) and one.result.turn.state is TurnState.WAITING:
                self._known.waits(one.result.turn)
                if one.result.turn.arrival.not_before is not None:
                    self._listeners.look_again()
            elif isinstance(one.result, Opened):
                self._outbox_bell.ring()  # answered at the door, perhaps
            if one.corrected is not None:
                self._known.is_corrected(one.corrected)
            if one.asked_to_stop is not None:
                self._listeners.stop_asked(one.asked_to_stop)
        if self._known.may_be_due:
            self._listeners.work_waits()

    def _give(self, listener: Listener, begun: Begun) -> None:
        self._note_begun(begun)
        if listener in self._listeners:
            listener.promise(1)
            listener.tell(Taken(turn=begun.turn))
        else:
            self._put_back(begun.turn)

    def _note_begun(self, begun: Begun) -> None:
        self._known.runs(begun.turn)
        if begun.added is not None:
            self._transcripts.add(begun.added)

    def _tell_taken(self, lanes: Collection[Lane], found: Found) -> None:
        for turn in found.returned:
            self._known.put_back(turn)
        if found.begun is not None:
            self._note_begun(found.begun)
        else:
            self._known.found_nothing_due(lanes, found.waiting)

    def _tell_absorbed(self, absorbed: Joined) -> None:
        self._transcripts.add(absorbed.added)
        if absorbed.all_joined:
            self._known.found_nobody_beside(absorbed.turn)

    def _tell_ended(self, turn: Turn, ended: "_Ended", deliveries: Sequence[Delivery]) -> None:
        self._transcripts.add(ended.added)
        self._known.ended(turn)
        if self._known.may_be_due:
            self._listeners.work_waits()
        if len(ended.finished.arrived) < len(deliveries):
            self._outbox_bell.ring()

    def _tell_put_back(self, turn: Turn) -> None:
        self._known.put_back(turn)
        self._listeners.work_waits()

    def _tell_forgotten(self, turn_ids: Sequence[TurnId]) -> None:
        self._transcripts.forget()
        self._known.forgot(turn_ids)
        for turn_id in turn_ids:
            self._listeners.stop_asked(turn_id)
        self._listeners.work_waits()
        self._outbox_bell.ring()

    def _untake(self, found: Found) -> None:
        """Give back what was taken for a worker that had gone."""
        if found.begun is not None:
            self._put_back(found.begun.turn)

    def _put_back(self, turn: Turn) -> None:
        """Leave *turn*, which nobody began to run, to whoever comes next; written now or then."""
        unit = partial(due.put_back, returning=(turn,), now=ticks(self._clock.now()))
        self._known.is_returning(turn)
        self._writer.write_unheard(
            unit,
            then=lambda _: self._tell_put_back(turn),
            otherwise=self._listeners.work_waits,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    added: Added
    finished: Finished
