"""Takes deliveries from the outbox to the platform, one a conversation at a time."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, assert_never

import structlog

from bot.contracts import faults
from bot.contracts.channel import Channel
from bot.contracts.clock import Chance, Clock
from bot.contracts.delivery import Delivery, DeliveryState, GivenUp, OnUnknown, Receipt
from bot.contracts.errors import (
    ChannelUnavailable,
    LeaseLost,
    RateLimited,
    SendRejected,
    SendUncertain,
    StoreUnavailable,
)
from bot.contracts.events import Bus, Delivered, DeliveryGivenUp
from bot.contracts.store import Outbox
from bot.delivery.backoff import pause

_log = structlog.get_logger(__name__)

_AT_ONCE: Final = 16
"""Conversations of one account that may be sent to at the same time."""
_YOUNG: Final = timedelta(minutes=10)
"""How old a send with an unknown end may be to be repeated blindly: later, a second copy would
surprise more than a notice."""
_STORE_PAUSE_SECONDS: Final = 1.0

NoticeOf = Callable[[Delivery, str], Sequence[Delivery]]
"""Gives what tells of a delivery that was given up, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Courier:
    """The courier of one account."""

    channel: Channel
    outbox: Outbox
    notice_of: NoticeOf
    bus: Bus
    clock: Clock
    chance: Chance

    async def work(self, stopping: asyncio.Event) -> None:
        """Deliver until *stopping* is set; every send that began is awaited to its end."""
        under_way: set[asyncio.Task[None]] = set()
        while not stopping.is_set():
            if len(under_way) >= _AT_ONCE:
                await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            delivery = await self._lease()
            if delivery is None:
                await self._wait(stopping)
                continue
            task = asyncio.create_task(self._deliver(delivery), name=f"send {delivery.id}")
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        if under_way:
            await asyncio.wait(under_way)

    async def _wait(self, stopping: asyncio.Event) -> None:
        waits = (
            asyncio.create_task(self.outbox.wait(self.channel.name, self.channel.account)),
            asyncio.create_task(stopping.wait()),
        )
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _lease(self) -> Delivery | None:
        try:
            with faults.commit("ob.start"):
                return await self.outbox.lease(self.channel.name, self.channel.account)
        except StoreUnavailable as error:
            _log.error("cannot read the outbox", error=str(error))
            await self.clock.sleep(_STORE_PAUSE_SECONDS)
            return None

    async def _deliver(self, delivery: Delivery) -> None:
        try:
            if self._is_late(delivery):
                await self._give_up(delivery, GivenUp.CANCELLED, "it was too old to be sent")
            elif delivery.state is DeliveryState.UNKNOWN:
                await self._clear_up(delivery)
            else:
                await self._send(delivery)
        except LeaseLost as error:
            _log.warning("delivery left to somebody else", delivery=delivery.id, error=str(error))
        except StoreUnavailable as error:
            _log.error("end of a send not recorded", delivery=delivery.id, error=str(error))

    async def _clear_up(self, delivery: Delivery) -> None:
        """Do what may be done after a send with an unknown end."""
        match delivery.on_unknown:
            case OnUnknown.REPEAT:
                await self._send(await self.outbox.repeat(delivery))
            case OnUnknown.REPEAT_ONCE:
                started = delivery.started_at or self.clock.now()
                if delivery.repeats == 0 and self.clock.now() - started <= _YOUNG:
                    await self._send(await self.outbox.repeat(delivery))
                else:
                    await self._unresolved(delivery)
            case OnUnknown.LOOK_UP | OnUnknown.NEVER:
                await self._unresolved(delivery)
            case _:
                assert_never(delivery.on_unknown)

    async def _send(self, delivery: Delivery) -> None:
        now = self.clock.now()
        later = now + pause(delivery.attempt, self.chance.between(0, 1))
        try:
            faults.reach("ob.net")
            receipt = await self.channel.send(delivery.target, delivery.payload, nonce=delivery.id)
        except RateLimited as error:
            after = now + timedelta(seconds=error.retry_after)
            await self.outbox.retry(delivery, after=after, reason=str(error))
        except ChannelUnavailable as error:
            await self.outbox.retry(delivery, after=later, reason=str(error))
        except SendRejected as error:
            await self._give_up(delivery, GivenUp.REJECTED, str(error))
        except SendUncertain as error:
            await self.outbox.doubt(delivery, after=later, reason=str(error))
        else:
            seq = await self._settle(delivery, receipt)
            self.bus.publish(
                Delivered(
                    conversation=delivery.target.conversation_key,
                    turn_id=delivery.turn_id,
                    delivery_id=delivery.id,
                    seq=seq,
                )
            )

    async def _settle(self, delivery: Delivery, receipt: Receipt) -> int:
        """Record that it arrived; a store that cannot write is waited for."""
        while True:
            try:
                with faults.commit("ob.receipt"):
                    return await self.outbox.settle(delivery, receipt)
            except StoreUnavailable as error:
                _log.error("receipt not recorded yet", delivery=delivery.id, error=str(error))
                await self.clock.sleep(_STORE_PAUSE_SECONDS)

    async def _unresolved(self, delivery: Delivery) -> None:
        reason = "nobody can tell whether it arrived"
        await self._give_up(delivery, GivenUp.UNRESOLVED, reason)

    async def _give_up(self, delivery: Delivery, state: GivenUp, reason: str) -> None:
        notices = self.notice_of(delivery, reason)
        await self.outbox.give_up(delivery, state, reason, notices=notices)
        self.bus.publish(
            DeliveryGivenUp(
                conversation=delivery.target.conversation_key,
                turn_id=delivery.turn_id,
                delivery_id=delivery.id,
                reason=reason,
            )
        )

    def _is_late(self, delivery: Delivery) -> bool:
        return delivery.expires_at is not None and self.clock.now() > delivery.expires_at
