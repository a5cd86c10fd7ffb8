"""One turn, from the queue to its outcome. Read this first."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from bot.contracts import faults
from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery
from bot.contracts.errors import (
    AgentGone,
    BotError,
    LeaseLost,
    StoreUnavailable,
    TurnInterrupted,
)
from bot.contracts.events import Bus, Delivered, TurnEnded, TurnFinishing, TurnStarted
from bot.contracts.store import Finished, Turns
from bot.contracts.transcript import Ending, Stopped
from bot.contracts.turn import Failure, Outcome, OutcomeKind, QueueMode, Turn
from bot.kernel.absorb import absorb
from bot.kernel.lease import Lease

_log = structlog.get_logger(__name__)

_STORE_PAUSE_SECONDS: Final = 1.0
_JOIN: Final = frozenset({QueueMode.COLLECT, QueueMode.STEER, QueueMode.INTERRUPT})
"""What joins a turn that begins: it has waited as long. A message that interrupted the turn before
has nothing left to interrupt; only who asked for a turn of their own gets one."""

Answer = Callable[[Turn], Coroutine[Any, Any, Ending]]
Compose = Callable[[Turn, Ending], Sequence[Delivery]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Carries turns to their outcomes."""

    turns: Turns
    answer: Answer
    compose: Compose
    bus: Bus
    clock: Clock

    async def run(self, turn: Turn, lease: Lease) -> None:
        """Carry *turn* to its outcome, whatever happens on the way.

        The outcome and the deliveries that tell it are committed together.
        With that the turn is over: whether the words arrive is the courier's
        business, and a failed delivery never runs the turn again.

        Raises:
            LeaseLost: the turn is somebody else's by now; nothing was written.
        """
        conversation = turn.arrival.target.conversation_key
        self.bus.publish(
            TurnStarted(conversation=conversation, turn_id=turn.id, attempt=turn.attempt)
        )
        ending = await self._ending(turn, lease)
        self.bus.publish(TurnFinishing(conversation=conversation, turn_id=turn.id))
        told = await self._finish(turn, ending)
        outcome, finished = told.outcome, told.finished
        for delivery in told.deliveries:
            if (seq := finished.arrived.get(delivery.id)) is not None:
                self.bus.publish(
                    Delivered(
                        conversation=delivery.target.conversation_key,
                        turn_id=turn.id,
                        delivery_id=delivery.id,
                        seq=seq,
                    )
                )
        for turn_id in (turn.id, *finished.absorbed):
            self.bus.publish(
                TurnEnded(
                    conversation=conversation,
                    turn_id=turn_id,
                    outcome=outcome.kind,
                    reason=outcome.reason,
                )
            )
        _log.info("turn ended", outcome=outcome.kind, reason=outcome.reason)

    async def _ending(self, turn: Turn, lease: Lease) -> Ending:
        try:
            if turn.attempt == 1 and self.clock.now() <= turn.arrival.fresh_until:
                # Later attempts go on from the record, which may already hold the last word;
                # and one that is too late to begin takes no younger message with it.
                await absorb(turn, _JOIN, turns=self.turns, bus=self.bus)
            return await lease.carry(self.answer(turn))
        except LeaseLost:
            raise
        except TurnInterrupted as error:
            return Ending(outcome=_outcome_of(error), words=(Stopped(said=error.said),))
        except Exception as error:  # noqa: BLE001 - the home of the unexpected: a bug costs one turn
            return Ending(outcome=_outcome_of(error))

    async def _finish(self, turn: Turn, ending: Ending) -> "_Told":
        """End *turn* as *ending* says or, if that cannot be told, as a fault of ours."""
        outcome = ending.outcome
        try:
            return await self._record(turn, ending, self.compose(turn, ending))
        except LeaseLost:
            raise
        except Exception as error:  # noqa: BLE001 - a turn that nobody runs would hold its session for good
            broken = Ending(outcome=replace(_outcome_of(error), usage=outcome.usage))
            return await self._record(turn, broken, self.compose(turn, broken))

    async def _record(self, turn: Turn, ending: Ending, deliveries: Sequence[Delivery]) -> "_Told":
        """Commit the end; a store that cannot write is waited for, since nothing may be lost."""
        while True:
            try:
                with faults.commit("run.finish"):
                    finished = await self.turns.finish(turn, ending, deliveries)
                return _Told(outcome=ending.outcome, deliveries=deliveries, finished=finished)
            except StoreUnavailable as error:
                _log.error("outcome not recorded yet", error=str(error))
                await self.clock.sleep(_STORE_PAUSE_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """How a turn ended, and what told of it."""

    outcome: Outcome
    deliveries: Sequence[Delivery]
    finished: Finished


def _outcome_of(error: Exception) -> Outcome:
    """Say what becomes of a turn that *error* ended, and log it."""
    match error:
        case TurnInterrupted(said=said, usage=usage):
            reason = "it was stopped"
            return Outcome(kind=OutcomeKind.INTERRUPTED, text=said, reason=reason, usage=usage)
        case AgentGone():
            _log.warning("turn failed", error=str(error))
            failure = Failure.AGENT_GONE
            return Outcome(kind=OutcomeKind.FAILED, reason=str(error), failure=failure)
        case StoreUnavailable():
            _log.warning("turn failed", error=str(error))
            failure = Failure.NOT_RECORDED
            return Outcome(kind=OutcomeKind.FAILED, reason=str(error), failure=failure)
        case BotError():
            _log.warning("turn failed", error=str(error))
            return Outcome(kind=OutcomeKind.FAILED, reason=str(error))
        case _:
            _log.error("turn failed unexpectedly", exc_info=error)
            reason = "a fault of the bot; its log has the traceback"
            return Outcome(kind=OutcomeKind.FAILED, reason=reason, failure=Failure.BROKEN)
