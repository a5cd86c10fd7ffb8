"""Takes messages over from a channel: classify, admit, route, open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, assert_never

from bot.contracts import faults
from bot.contracts.admission import Drop, Handled, Observe
from bot.contracts.budget import Allowance
from bot.contracts.channel import Accepted
from bot.contracts.clock import Clock, Ids
from bot.contracts.errors import StoreUnavailable
from bot.contracts.events import Bus, TurnQueued
from bot.contracts.inbound import ConversationKind, Inbound
from bot.contracts.moved import move_of
from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.store import Cursor, Duplicate, Full, Opened, Turns
from bot.contracts.turn import Arrival, DropPolicy, Lane, QueueMode, StopMade, TurnId, TurnState
from bot.kernel.commands import CommandDoor
from bot.kernel.doorkeeper import Doorkeeper, Judged
from bot.kernel.queueing import QueueRules
from bot.kernel.route import Router
from bot.reply import notices

_FRESH: Final = {
    ConversationKind.DIRECT: timedelta(hours=24),
    ConversationKind.GROUP: timedelta(hours=2),
    ConversationKind.ROOM: timedelta(hours=2),
}
"""How late a turn may begin: a person waits a day for an answer, a room has moved on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The first commit of every message."""

    turns: Turns
    router: Router
    doorkeeper: Doorkeeper
    door: CommandDoor
    queue: QueueRules
    allow: Callable[[Allowance], None]
    """Takes what the owner allows beyond limits, once it is recorded."""
    bus: Bus
    clock: Clock
    ids: Ids
    idle: Callable[[ConversationKind], timedelta | None]
    """After how long without a word a session begins anew; None is never."""

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> Sequence[Accepted]:
        """Take messages over, in order, all in one commit.

        When this returns they are ours; when it raises none is. A message that
        finds the queue full is answered so, in a commit of its own.

        Raises:
            StoreUnavailable: nothing was recorded.
        """
        faults.reach("in.recv")
        told_of = [self.doorkeeper.told_of(inbound) for inbound in inbounds]
        judged = [
            await self.doorkeeper.judge(inbound)
            for inbound, row in zip(inbounds, told_of, strict=True)
            if row is None
        ]
        opened = iter(await self._opened(judged, cursor) if judged or cursor else ())
        return [next(opened) if row is None else row for row in told_of]

    async def _opened(self, judged: Sequence[Judged], cursor: Cursor | None) -> Sequence[Accepted]:
        async with self.doorkeeper.in_order(judged):
            arrivals = [await self._arrival(one) for one in judged]
            try:
                with faults.commit("in.commit"):
                    results = await self.turns.open(*arrivals, cursor=cursor, tell_stop=_tell_stop)
            except StoreUnavailable:
                self.doorkeeper.failed(judged)
                raise
            accepted = [
                await self._accepted(arrival, result)
                for arrival, result in zip(arrivals, results, strict=True)
            ]
            for arrival, one, row in zip(arrivals, judged, accepted, strict=True):
                await self.doorkeeper.opened(arrival, one, row)
            return accepted

    async def _arrival(self, judged: Judged) -> Arrival:
        inbound = judged.inbound
        moved = self._room_moved(inbound)
        admission = moved or judged.admission
        if isinstance(admission, Observe) and not self.queue.keep_observed:
            admission = Drop(reason=f"{admission.reason}:not-kept")
            inbound = replace(inbound, text="", attachments=())
        stops = isinstance(admission, Handled) and admission.reason == "command:stop"
        language = notices.language_of(inbound.text)
        now = self.clock.now()
        rule = self.queue.of(inbound.channel)
        idle = self.idle(inbound.conversation.kind)
        arrival = Arrival(
            turn_id=TurnId(self.ids.new()),
            inbound=inbound,
            admission=admission,
            route=self.router.route(inbound, judged.rank),
            rank=judged.rank,
            mode=QueueMode.INTERRUPT if stops else rule.mode,
            lane=Lane.PEOPLE,
            target=_target(inbound),
            received_at=now,
            fresh_until=now + _FRESH[inbound.conversation.kind],
            pacing=self.queue.pacing(inbound),
            cap=rule.cap,
            drop=rule.drop,
            replies=(notices.nothing_to_stop(language),) if stops else (),
            stopped_notice=notices.not_started(language) if stops else None,
            displaced_notice=notices.displaced(language) if rule.drop is DropPolicy.OLD else None,
            unused_since=now - idle if idle else None,
            anew_notice=notices.anew(idle.days, language) if idle else None,
        )
        answered = await self.door.answer(arrival)
        if (
            moved or answered.admission is not admission
        ):  # a command, which passes the gate of a room
            return answered
        return await self.doorkeeper.answer(answered, judged)

    def _room_moved(self, inbound: Inbound) -> Handled | None:
        """Know a room under its new id from here on: what comes with it in a batch, too.

        Who did it is asked for no rank, since it is the platform that says so. If this is not
        recorded after all, the platform says it again.
        """
        move = move_of(inbound)
        if move is None:
            return None
        self.router.moved.note(move)
        return Handled(reason="room:moved")

    async def _accepted(self, arrival: Arrival, result: Opened | Duplicate | Full) -> Accepted:
        match result:
            case Opened(turn=turn, decided=decided):
                if decided is not None:
                    there = decided.arrival.target.conversation_key
                    self.bus.publish(TurnQueued(conversation=there, turn_id=decided.id))
                for allowance in arrival.allowances:
                    self.allow(allowance)
                if turn.state in {TurnState.WAITING, TurnState.RUNNING}:
                    conversation = turn.arrival.target.conversation_key
                    self.bus.publish(TurnQueued(conversation=conversation, turn_id=turn.id))
                return Accepted(source=arrival.inbound.source, turn_id=turn.id, seq=turn.seq)
            case Duplicate(turn=turn):
                return Accepted(
                    source=arrival.inbound.source, turn_id=turn.id, seq=turn.seq, duplicate=True
                )
            case Full(waiting=waiting):
                language = notices.language_of(arrival.inbound.text)
                refused = replace(
                    arrival,
                    admission=Drop(reason="queue:full"),
                    replies=(notices.queue_full(waiting, language),),
                    change=None,
                    allowances=(),
                )
                return await self._accepted(refused, (await self.turns.open(refused))[0])
            case _:
                assert_never(result)


def _tell_stop(inbound: Inbound, made: StopMade) -> Sequence[ReplyPayload]:
    """Say what a stop did, unless the turn that it stopped says it all itself."""
    language = notices.language_of(inbound.text)
    cancelled = made.cancelled + made.elsewhere
    if cancelled:
        return (notices.cancelled(cancelled, language, running=made.running),)
    if made.running:
        return ()
    if made.not_theirs:
        return (notices.not_yours_to_stop(language),)
    return (notices.nothing_to_stop(language),)


def _target(inbound: Inbound) -> Target:
    return Target(
        channel=inbound.channel,
        account=inbound.account,
        conversation_id=inbound.conversation.id,
        thread_id=inbound.conversation.thread_id,
        reply_to=inbound.native_id,
    )
