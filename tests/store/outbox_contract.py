"""What any `Outbox` must keep."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.contracts.delivery import Delivery, DeliveryState, GivenUp, OnUnknown, Receipt
from bot.contracts.errors import LeaseLost
from bot.contracts.ledger import DeliveryQuery
from bot.contracts.store import Opened, Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Turn
from tests.doubles.arrivals import NOON, a_delivery, a_payload, an_arrival
from tests.doubles.watched_clock import WatchedClock
from tests.store.turns_contract import ANSWERED, given_back, opened, taken

RECEIPT = Receipt(message_ids=("77", "78"), at=NOON)


async def answered(
    store: Store,
    *parts: str,
    to: str = "alice",
    on_unknown: OnUnknown = OnUnknown.REPEAT_ONCE,
) -> Turn:
    """Finish a turn whose answer has these parts."""
    await opened(store, an_arrival(f"question {parts}", conversation=to))
    turn = await taken(store)
    deliveries = [
        a_delivery(turn, text, part=n, on_unknown=on_unknown) for n, text in enumerate(parts)
    ]
    await store.turns.finish(turn, Ending(outcome=ANSWERED), deliveries)
    return turn


async def leased(store: Store) -> Delivery:
    delivery = await store.outbox.lease("page", "default")
    assert delivery is not None
    return delivery


async def nothing_is_due(store: Store) -> bool:
    return await store.outbox.lease("page", "default") is None


async def states(store: Store) -> list[str]:
    deliveries = await store.ledger.deliveries(DeliveryQuery())
    return [one.state.value for one in reversed(deliveries)]


async def found(store: Store, delivery: Delivery) -> Delivery:
    known = await store.ledger.deliveries(DeliveryQuery(turn_id=delivery.turn_id))
    return next(one for one in known if one.id == delivery.id)


class LeaseContract:
    """`Outbox.lease`: order, and one at a time."""

    async def test_nothing_is_given_out_where_nothing_waits(self, store: Store) -> None:
        assert await nothing_is_due(store)

    async def test_what_is_given_out_is_marked_as_being_sent(
        self, store: Store, clock: WatchedClock
    ) -> None:
        turn = await answered(store, "hello")
        delivery = await leased(store)
        assert delivery == replace(
            a_delivery(turn, "hello"),
            state=DeliveryState.SENDING,
            attempt=1,
            started_at=clock.now(),
        )
        assert await found(store, delivery) == delivery

    async def test_an_account_gets_its_own_alone(self, store: Store) -> None:
        await answered(store, "hello")
        assert await store.outbox.lease("telegram", "default") is None
        assert await store.outbox.lease("page", "other") is None

    async def test_a_part_waits_until_the_one_before_has_arrived(self, store: Store) -> None:
        await answered(store, "one", "two")
        first = await leased(store)
        assert first.payload.fallback == "one"
        assert await nothing_is_due(store)
        await store.outbox.settle(first, RECEIPT)
        assert (await leased(store)).payload.fallback == "two"

    async def test_answers_of_a_conversation_arrive_in_the_order_they_were_made(
        self, store: Store
    ) -> None:
        await answered(store, "one")
        await answered(store, "two")
        first = await leased(store)
        assert await nothing_is_due(store)
        await store.outbox.settle(first, RECEIPT)
        assert (await leased(store)).payload.fallback == "two"

    async def test_one_slow_conversation_does_not_hold_up_another(self, store: Store) -> None:
        await answered(store, "one")
        await answered(store, "two", to="bob")
        assert (await leased(store)).payload.fallback == "one"
        assert (await leased(store)).payload.fallback == "two"

    async def test_threads_are_conversations_of_their_own(self, store: Store) -> None:
        await answered(store, "one")
        await opened(store, an_arrival("in a thread", thread="9", session="other"))
        turn = await taken(store)
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [a_delivery(turn, "two")])
        await leased(store)
        assert (await leased(store)).payload.fallback == "two"

    async def test_couriers_at_once_get_a_delivery_each(self, store: Store) -> None:
        for n in range(6):
            await answered(store, f"{n}", to=f"{n}")
        leases = await asyncio.gather(*(store.outbox.lease("page", "default") for _ in range(8)))
        ids = [one.id for one in leases if one is not None]
        assert len(ids) == len(set(ids)) == 6

    async def test_a_courier_that_is_gone_before_it_got_its_delivery_sent_nothing(
        self, store: Store
    ) -> None:
        await answered(store, "one")
        leasing = asyncio.ensure_future(store.outbox.lease("page", "default"))
        await asyncio.sleep(0)
        leasing.cancel()
        delivery = await given_back(lambda: store.outbox.lease("page", "default"))
        assert delivery.state is DeliveryState.SENDING

    async def test_what_may_not_be_sent_yet_waits(self, store: Store, clock: WatchedClock) -> None:
        await opened(store, an_arrival("later"))
        turn = await taken(store)
        later = clock.now() + timedelta(seconds=9)
        await store.turns.finish(
            turn, Ending(outcome=ANSWERED), [a_delivery(turn, "x", not_before=later)]
        )
        assert await nothing_is_due(store)
        clock.advance(9)
        await leased(store)


class EndContract:
    """How a delivery ends, or is put off."""

    async def test_what_arrived_is_a_line_with_its_receipt(self, store: Store) -> None:
        turn = await answered(store, "hello")
        delivery = await leased(store)
        seq = await store.outbox.settle(delivery, RECEIPT)
        assert seq > turn.seq
        known = await found(store, delivery)
        assert (known.state, known.seq, known.receipt) == (DeliveryState.SENT, seq, RECEIPT)

    async def test_lines_heard_and_said_share_one_count(self, store: Store) -> None:
        first = await answered(store, "one")
        one = await store.outbox.settle(await leased(store), RECEIPT)
        (result,) = await store.turns.open(an_arrival("next"))
        assert isinstance(result, Opened)
        assert first.seq < one < result.turn.seq

    async def test_what_was_put_off_is_given_out_again_when_it_is_due(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one", "two")
        await answered(store, "three", to="bob")
        first = await leased(store)
        later = clock.now() + timedelta(seconds=30)
        await store.outbox.retry(first, after=later, reason="busy")
        assert (await found(store, first)).reason == "busy"
        assert (await leased(store)).payload.fallback == "three"
        assert await nothing_is_due(store)
        clock.advance(30)
        again = await leased(store)
        assert (again.id, again.state, again.attempt) == (first.id, DeliveryState.SENDING, 2)
        assert again.started_at == clock.now()

    async def test_what_was_put_off_is_not_held_up_by_a_clock_that_went_back(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one")
        sending = await leased(store)
        later = clock.now() + timedelta(seconds=30)
        await store.outbox.retry(sending, after=later, reason="busy")
        assert await store.outbox.lease("page", "default") is None
        clock.jump(-timedelta(days=365))
        again = await leased(store)
        assert (again.id, again.started_at) == (sending.id, clock.now())

    async def test_what_may_have_arrived_is_given_out_as_unknown(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one")
        first = await leased(store)
        began = clock.now()
        await store.outbox.doubt(first, after=began + timedelta(seconds=5), reason="no answer")
        assert await nothing_is_due(store)
        clock.advance(5)
        again = await leased(store)
        assert (again.id, again.state, again.attempt) == (first.id, DeliveryState.UNKNOWN, 2)
        assert (again.started_at, again.reason) == (began, "no answer")
        assert await nothing_is_due(store)

    async def test_an_unknown_end_that_turned_out_well_is_settled(self, store: Store) -> None:
        await answered(store, "one")
        unknown = await self._in_doubt(store)
        assert await store.outbox.settle(unknown, RECEIPT) > 0
        assert await states(store) == ["sent"]

    async def test_an_unknown_end_that_was_proven_unsent_is_sent_anew(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one", on_unknown=OnUnknown.LOOK_UP)
        unknown = await self._in_doubt(store)
        await store.outbox.retry(unknown, after=clock.now(), reason="it is not there")
        again = await leased(store)
        assert (again.state, again.repeats) == (DeliveryState.SENDING, 0)

    async def test_a_repeat_is_counted_and_begins_now(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one")
        unknown = await self._in_doubt(store)
        clock.advance(60)
        repeated = await store.outbox.repeat(unknown)
        assert (repeated.state, repeated.repeats) == (DeliveryState.SENDING, 1)
        assert (repeated.started_at, repeated.attempt) == (clock.now(), unknown.attempt)
        await store.outbox.settle(repeated, RECEIPT)

    @pytest.mark.parametrize("rule", [OnUnknown.REPEAT, OnUnknown.LOOK_UP])
    async def test_a_platform_that_can_tell_may_be_asked_any_number_of_times(
        self, store: Store, rule: OnUnknown
    ) -> None:
        await answered(store, "one", on_unknown=rule)
        delivery = await self._in_doubt(store)
        for _ in range(3):
            delivery = await self._in_doubt(store, await store.outbox.repeat(delivery))
        assert delivery.repeats == 3

    async def test_nothing_is_repeated_twice_where_nothing_can_tell(self, store: Store) -> None:
        await answered(store, "one", on_unknown=OnUnknown.REPEAT_ONCE)
        delivery = await store.outbox.repeat(await self._in_doubt(store))
        delivery = await self._in_doubt(store, delivery)
        with pytest.raises(ValueError, match="may not be sent again"):
            await store.outbox.repeat(delivery)
        assert (await found(store, delivery)).state is DeliveryState.UNKNOWN

    async def test_what_may_never_be_repeated_is_not(self, store: Store) -> None:
        await answered(store, "one", on_unknown=OnUnknown.NEVER)
        with pytest.raises(ValueError, match="may not be sent again"):
            await store.outbox.repeat(await self._in_doubt(store))

    async def test_giving_up_cancels_the_later_parts_and_queues_the_notice(
        self, store: Store
    ) -> None:
        turn = await answered(store, "one", "two", "three")
        first = await leased(store)
        notice = a_delivery(turn, "part of my answer did not arrive", why="undelivered")
        await store.outbox.give_up(first, GivenUp.REJECTED, "too long", notices=[notice])
        assert await states(store) == ["rejected", "cancelled", "cancelled", "pending"]
        assert (await found(store, first)).reason == "too long"
        assert (await leased(store)).id == notice.id

    async def test_giving_up_a_later_part_leaves_what_arrived(self, store: Store) -> None:
        await answered(store, "one", "two", "three")
        await store.outbox.settle(await leased(store), RECEIPT)
        await store.outbox.give_up(await leased(store), GivenUp.UNRESOLVED, "who knows")
        assert await states(store) == ["sent", "unresolved", "cancelled"]

    async def test_giving_up_one_turn_leaves_the_others(self, store: Store) -> None:
        await answered(store, "one")
        await answered(store, "two")
        await store.outbox.give_up(await leased(store), GivenUp.CANCELLED, "expired")
        assert await states(store) == ["cancelled", "pending"]

    async def test_a_notice_that_does_not_arrive_takes_no_answer_with_it(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        notice = a_delivery(turn, "I was offline", why="late")
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [notice, a_delivery(turn, "hi")])
        await store.outbox.give_up(await leased(store), GivenUp.REJECTED, "no")
        assert await states(store) == ["rejected", "pending"]

    async def test_an_answer_that_does_not_arrive_takes_no_notice_with_it(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        parts = [a_delivery(turn, "hi"), a_delivery(turn, "there", part=1)]
        notice = a_delivery(turn, "I was offline", why="late")
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [*parts, notice])
        await store.outbox.give_up(await leased(store), GivenUp.REJECTED, "no")
        assert await states(store) == ["rejected", "cancelled", "pending"]

    async def test_the_same_notice_is_queued_once(self, store: Store) -> None:
        turn = await answered(store, "one")
        other = await answered(store, "two", to="bob")
        notice = a_delivery(turn, "it did not arrive", why="undelivered")
        again = replace(notice, payload=a_payload("said differently"))
        await store.outbox.give_up(await leased(store), GivenUp.REJECTED, "no", notices=[notice])
        second = await leased(store)
        while second.turn_id != other.id:
            await store.outbox.settle(second, RECEIPT)
            second = await leased(store)
        await store.outbox.give_up(second, GivenUp.REJECTED, "no", notices=[again])
        assert (await found(store, notice)).payload == notice.payload

    async def test_whoever_lost_a_delivery_writes_nothing(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one", "two")
        lost = await leased(store)
        await store.outbox.retry(lost, after=clock.now(), reason="busy")
        current = await leased(store)
        with pytest.raises(LeaseLost):
            await store.outbox.settle(lost, RECEIPT)
        with pytest.raises(LeaseLost):
            await store.outbox.retry(lost, after=clock.now(), reason="")
        with pytest.raises(LeaseLost):
            await store.outbox.doubt(lost, after=clock.now(), reason="")
        with pytest.raises(LeaseLost):
            await store.outbox.give_up(lost, GivenUp.REJECTED, "no")
        with pytest.raises(LeaseLost):
            await store.outbox.repeat(lost)
        assert await found(store, current) == current
        assert await states(store) == ["sending", "pending"]

    async def test_a_delivery_ends_once(self, store: Store) -> None:
        await answered(store, "one")
        delivery = await leased(store)
        await store.outbox.settle(delivery, RECEIPT)
        with pytest.raises(LeaseLost):
            await store.outbox.settle(delivery, RECEIPT)
        with pytest.raises(LeaseLost):
            await store.outbox.give_up(delivery, GivenUp.REJECTED, "no")

    async def _in_doubt(self, store: Store, delivery: Delivery | None = None) -> Delivery:
        sent = delivery or await leased(store)
        assert sent.started_at is not None
        await store.outbox.doubt(sent, after=sent.started_at, reason="no answer")
        unknown = await leased(store)
        assert unknown.state is DeliveryState.UNKNOWN
        return unknown


class WaitContract:
    """`Outbox.wait`."""

    async def test_what_is_due_already_is_not_waited_for(self, store: Store) -> None:
        await answered(store, "one")
        await store.outbox.wait("page", "default")

    async def test_a_new_delivery_wakes_the_courier(self, store: Store) -> None:
        waiting = asyncio.ensure_future(store.outbox.wait("page", "default"))
        await asyncio.sleep(0)
        await answered(store, "one")
        await waiting

    async def test_the_next_part_is_due_when_the_one_before_has_arrived(self, store: Store) -> None:
        await answered(store, "one", "two")
        delivery = await leased(store)
        waiting = asyncio.ensure_future(store.outbox.wait("page", "default"))
        await asyncio.sleep(0)
        await store.outbox.settle(delivery, RECEIPT)
        await waiting

    async def test_what_was_put_off_is_waited_for_exactly(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await answered(store, "one")
        later = clock.now() + timedelta(milliseconds=250)
        await store.outbox.retry(await leased(store), after=later, reason="busy")
        waiting = asyncio.ensure_future(store.outbox.wait("page", "default"))
        await clock.asleep.wait()
        assert clock.slept == [pytest.approx(0.25)]
        clock.advance(0.25)
        await waiting


class OutboxContract(LeaseContract, EndContract, WaitContract):
    """All that `Outbox` promises."""
