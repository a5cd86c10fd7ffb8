"""Waits for a turn: what is known stands in the store, the news only say when to look again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery, DeliveryState
from bot.contracts.events import Bus, DeliveryEvent, Event, TurnAbsorbed, TurnEnded
from bot.contracts.ledger import Ledger, TurnRecord
from bot.contracts.turn import TurnId
from bot.contracts.waiting import DeliverySeen, Waited, WaitFor, WaitState

_LOOK_SECONDS: Final = 1.0
"""How often the store is looked into without news: a lost one costs so much and no more."""

_OPEN: Final = frozenset({DeliveryState.PENDING, DeliveryState.SENDING, DeliveryState.UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waits for turns. Nothing of a wait is kept: after a restart it is asked anew."""

    ledger: Ledger
    bus: Bus
    clock: Clock

    async def wait(self, turn_id: TurnId, seconds: float, until: WaitFor = WaitFor.ENDED) -> Waited:
        """Return what is known of a turn once it is over, or after *seconds*.

        It changes nothing, and it may be asked before, during and after the turn, by several at
        once and again. With 0 it only looks. An id that is none is said to be none at once.

        Raises:
            StoreUnavailable: it cannot be looked up.
        """
        deadline = self.clock.monotonic() + seconds
        known = await self._known(turn_id)
        if known is None:
            return Waited(turn_id=turn_id, wait=WaitState.NOT_FOUND)
        conversation = known.turn.arrival.target.conversation_key
        with self.bus.follow(conversation) as news:
            while True:
                known = await self._known(turn_id)
                if known is None:
                    return Waited(turn_id=turn_id, wait=WaitState.NOT_FOUND)
                if is_over(known, until):
                    return waited(known, WaitState.ENDED)
                left = deadline - self.clock.monotonic()
                if left <= 0:
                    late = WaitState.WAIT_EXPIRED if seconds > 0 else WaitState.PENDING
                    return waited(known, late)
                await self._news_of(news, min(left, _LOOK_SECONDS))

    async def _known(self, turn_id: TurnId) -> TurnRecord | None:
        """Return its record, with the deliveries of the turn that it joined, if it did."""
        record = await self.ledger.turn(turn_id)
        if record is None or record.absorbed_by is None:
            return record
        host = await self.ledger.turn(record.absorbed_by)
        return record if host is None else with_host(record, host)

    async def _news_of(self, news: AsyncIterator[Event], seconds: float) -> None:
        """Return when a turn of the conversation has ended, something arrived, or after a while."""
        hearing = asyncio.ensure_future(_end_of_something(news))
        sleeping = asyncio.ensure_future(self.clock.sleep(seconds))
        try:
            await asyncio.wait({hearing, sleeping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hearing.cancel()
            sleeping.cancel()
            await asyncio.gather(hearing, sleeping, return_exceptions=True)


def with_host(record: TurnRecord, host: TurnRecord) -> TurnRecord:
    """Return *record* with what the turn it joined has of outcome and deliveries (pure)."""
    return replace(
        record,
        outcome=host.outcome,
        ended_at=host.ended_at,
        deliveries=(*record.deliveries, *host.deliveries),
    )


def is_over(record: TurnRecord, until: WaitFor) -> bool:
    """Whether what is waited for has come (pure)."""
    if record.outcome is None:
        return False
    return until is WaitFor.ENDED or not any(one.state in _OPEN for one in record.deliveries)


def waited(record: TurnRecord, wait: WaitState) -> Waited:
    """Say what is known of a turn (pure)."""
    turn, outcome = record.turn, record.outcome
    known = Waited(
        turn_id=turn.id,
        wait=wait,
        state=turn.state,
        absorbed_by=record.absorbed_by,
        ended_at=record.ended_at,
        deliveries=tuple(_seen(one) for one in record.deliveries),
    )
    if outcome is None:
        return known
    return replace(
        known,
        outcome=outcome.kind,
        reason=outcome.reason,
        text=outcome.text,
        usage=outcome.usage,
    )


def _seen(delivery: Delivery) -> DeliverySeen:
    return DeliverySeen(
        id=delivery.id, state=delivery.state, receipt=delivery.receipt, reason=delivery.reason
    )


async def _end_of_something(news: AsyncIterator[Event]) -> None:
    while not isinstance(await anext(news), TurnEnded | TurnAbsorbed | DeliveryEvent):
        pass
