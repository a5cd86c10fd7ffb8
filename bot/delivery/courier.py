"""Takes deliveries from the outbox to the platform, one a conversation at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar, assert_never

import structlog

from bot.contracts import faults
from bot.contracts.channel import Channel
from bot.contracts.clock import Chance, Clock
from bot.contracts.delivery import Delivery, DeliveryState, GivenUp, OnUnknown, Receipt
from bot.contracts.errors import (
    ChannelError,
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
_LONGEST_PAUSE_SECONDS: Final = 86_400.0
"""A platform may ask for any pause; after a day an answer has expired anyway."""
_STORE_PAUSE_SECONDS: Final = 1.0

T = TypeVar("T")

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
    send_seconds: float = 60.0
    """How long a send may take; longer, and its end is unknown."""
    end_seconds: float = 10.0
    """How long the sends that began may take to end once we stop; the next start clears up."""

    async def work(self, stopping: asyncio.Event) -> None:
        """Deliver until *stopping* is set; a send that began is given time to end."""
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
            _, late = await asyncio.wait(under_way, timeout=self.end_seconds)
            for task in late:
                _log.error("a send did not end in time", task=task.get_name())
                task.cancel()

    async def _wait(self, stopping: asyncio.Event) -> None:
        due = asyncio.create_task(self._until_due())
        stop = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait({due, stop}, return_when=asyncio.FIRST_COMPLETED)
            if due.done():
                due.result()
        finally:
            due.cancel()
            stop.cancel()

    async def _until_due(self) -> None:
        try:
            await self.outbox.wait(self.channel.name, self.channel.account)
        except StoreUnavailable as error:
            _log.error("cannot look into the outbox", error=str(error))
            await self.clock.sleep(_STORE_PAUSE_SECONDS)

    async def _lease(self) -> Delivery | None:
        try:
            with faults.commit("ob.start"):
                return await self.outbox.lease(self.channel.name, self.channel.account)
        except StoreUnavailable as error:
            _log.error("cannot read the outbox", error=str(error))
            await self.clock.sleep(_STORE_PAUSE_SECONDS)
            return None

    async def _deliver(self, delivery: Delivery) -> None:
        with structlog.contextvars.bound_contextvars(delivery=delivery.id):
            try:
                if self._is_late(delivery):
                    await self._give_up(delivery, GivenUp.CANCELLED, "it was too old to be sent")
                elif delivery.state is DeliveryState.UNKNOWN:
                    await self._clear_up(delivery)
                else:
                    await self._send(delivery)
            except LeaseLost as error:
                _log.warning("delivery left to somebody else", error=str(error))

    async def _clear_up(self, delivery: Delivery) -> None:
        """Do what may be done after a send with an unknown end."""
        match delivery.on_unknown:
            case OnUnknown.REPEAT:
                await self._repeat(delivery)
            case OnUnknown.REPEAT_ONCE:
                started = delivery.started_at or self.clock.now()
                if delivery.repeats == 0 and self.clock.now() - started <= _YOUNG:
                    await self._repeat(delivery)
                else:
                    await self._unresolved(delivery)
            case OnUnknown.LOOK_UP | OnUnknown.NEVER:
                await self._unresolved(delivery)
            case _:
                assert_never(delivery.on_unknown)

    async def _repeat(self, delivery: Delivery) -> None:
        await self._send(await self._recorded(partial(self.outbox.repeat, delivery)))

    async def _send(self, delivery: Delivery) -> None:
        now = self.clock.now()
        later = now + pause(delivery.attempt, self.chance.between(0, 1))
        try:
            receipt = await self._receipt(delivery)
        except RateLimited as error:
            after = now + timedelta(seconds=min(error.retry_after, _LONGEST_PAUSE_SECONDS))
            await self._recorded(
                partial(self.outbox.retry, delivery, after=after, reason=str(error))
            )
        except ChannelUnavailable as error:
            await self._recorded(
                partial(self.outbox.retry, delivery, after=later, reason=str(error))
            )
        except SendUncertain as error:
            await self._recorded(
                partial(self.outbox.doubt, delivery, after=later, reason=str(error))
            )
        except SendRejected as error:
            await self._give_up(delivery, GivenUp.REJECTED, str(error))
        else:
            await self._settle(delivery, receipt)

    async def _receipt(self, delivery: Delivery) -> Receipt:
        """Make the platform call.

        One that hangs, is cut off or breaks as no channel should has an unknown end too.

        Raises:
            ChannelError: it did not succeed.
        """
        faults.reach("ob.net")
        sending = asyncio.ensure_future(
            self.channel.send(delivery.target, delivery.payload, nonce=delivery.id)
        )
        try:
            await asyncio.wait({sending}, timeout=self.send_seconds)
        finally:
            sending.cancel()
        if not sending.done():
            raise SendUncertain(f"no answer came within {self.send_seconds:g} seconds")
        if sending.cancelled():
            raise SendUncertain("the channel gave it up half-way")
        match sending.exception():
            case None:
                return sending.result()
            case ChannelError() as error:
                raise error
            case error:
                _log.error("channel broke", exc_info=error)
                raise SendUncertain("a fault of the channel; the log has its traceback") from error

    async def _settle(self, delivery: Delivery, receipt: Receipt) -> None:
        with faults.commit("ob.receipt"):
            seq = await self._recorded(partial(self.outbox.settle, delivery, receipt))
        self.bus.publish(
            Delivered(
                conversation=delivery.target.conversation_key,
                turn_id=delivery.turn_id,
                delivery_id=delivery.id,
                seq=seq,
            )
        )

    async def _unresolved(self, delivery: Delivery) -> None:
        reason = "nobody can tell whether it arrived"
        await self._give_up(delivery, GivenUp.UNRESOLVED, reason)

    async def _give_up(self, delivery: Delivery, state: GivenUp, reason: str) -> None:
        notices = self.notice_of(delivery, reason)
        _log.warning("delivery given up", state=state, reason=reason)
        await self._recorded(partial(self.outbox.give_up, delivery, state, reason, notices=notices))
        self.bus.publish(
            DeliveryGivenUp(
                conversation=delivery.target.conversation_key,
                turn_id=delivery.turn_id,
                delivery_id=delivery.id,
                state=state,
                reason=reason,
            )
        )

    async def _recorded(self, verb: Callable[[], Awaitable[T]]) -> T:
        """Record what became of a send; a store that cannot write is waited for.

        The row is ours until then, and nobody else would ever take it up.
        """
        while True:
            try:
                return await verb()
            except StoreUnavailable as error:
                _log.error("end of a send not recorded yet", error=str(error))
                await self.clock.sleep(_STORE_PAUSE_SECONDS)

    def _is_late(self, delivery: Delivery) -> bool:
        return delivery.expires_at is not None and self.clock.now() > delivery.expires_at
