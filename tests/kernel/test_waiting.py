"""Waiting for a turn: before, during and after it, for nothing, again, and after a restart."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.bus.local import LocalBus
from bot.contracts.delivery import DeliveryState, GivenUp, Receipt
from bot.contracts.events import TurnEnded, WordsCame
from bot.contracts.store import Opened, Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind, QueueMode, Turn, TurnId, TurnState
from bot.contracts.waiting import Waited, WaitFor, WaitState
from bot.kernel.waiting import Waits
from bot.store import open_store
from tests.doubles.arrivals import a_delivery, an_arrival
from tests.doubles.clock import FakeClock, HastyClock
from tests.doubles.watched_clock import WatchedClock

ANSWERED = Outcome(kind=OutcomeKind.ANSWERED, text="Done.")


@asynccontextmanager
async def a_store(folder: Path, clock: FakeClock) -> AsyncIterator[Store]:
    store = await open_store(f"sqlite://{folder / 'waiting.db'}", clock=clock)
    try:
        yield store
    finally:
        await store.close()


async def opened(store: Store, text: str = "hello") -> Turn:
    (result,) = await store.turns.open(an_arrival(text))
    assert isinstance(result, Opened)
    return result.turn


async def taken(store: Store) -> Turn:
    turn = await store.turns.take("worker", [Lane.PEOPLE])
    assert turn is not None
    return turn


def waits(store: Store, bus: LocalBus, clock: FakeClock) -> Waits:
    return Waits(ledger=store.ledger, bus=bus, clock=clock)


def ended_news(turn: Turn) -> TurnEnded:
    return TurnEnded(
        conversation=turn.arrival.target.conversation_key,
        turn_id=turn.id,
        outcome=OutcomeKind.ANSWERED,
        reason="",
    )


async def test_a_look_says_pending_and_an_expired_wait_says_that_alone(tmp_path: Path) -> None:
    clock = HastyClock()
    async with a_store(tmp_path, clock) as store:
        turn = await opened(store)
        each = waits(store, LocalBus(), clock)
        looked = await each.wait(turn.id, 0)
        expired = await each.wait(turn.id, 3)
        running = await taken(store)
        again = await each.wait(turn.id, 3)
        state = await store.ledger.turn(turn.id)

    assert (looked.wait, looked.state) == (WaitState.PENDING, TurnState.WAITING)
    assert (expired.wait, expired.state) == (WaitState.WAIT_EXPIRED, TurnState.WAITING)
    assert (again.wait, again.state) == (WaitState.WAIT_EXPIRED, TurnState.RUNNING)
    assert expired.outcome is again.outcome is None
    assert state is not None
    assert state.turn == running
    assert all("timeout" not in str(word) for word in WaitState)


async def test_who_waits_before_it_begins_learns_its_end_as_soon_as_it_is_told(
    tmp_path: Path,
) -> None:
    clock, bus = WatchedClock(), LocalBus()
    async with a_store(tmp_path, clock) as store:
        turn = await opened(store)
        waiting = [
            asyncio.create_task(waits(store, bus, clock).wait(turn.id, 60)) for _ in range(3)
        ]
        await clock.asleep.wait()
        running = await taken(store)
        bus.publish(
            WordsCame(
                conversation=running.arrival.target.conversation_key, turn_id=turn.id, text="Do"
            )
        )
        await store.turns.finish(running, Ending(outcome=ANSWERED), [a_delivery(running, "Done.")])
        bus.publish(ended_news(running))
        learned = await asyncio.gather(*waiting)

    for one in learned:
        assert (one.wait, one.outcome, one.text) == (WaitState.ENDED, ANSWERED.kind, "Done.")
        assert [d.state for d in one.deliveries] == [DeliveryState.PENDING]
        assert not one.is_delivered


async def test_an_end_whose_news_are_lost_is_found_in_the_store(tmp_path: Path) -> None:
    clock = WatchedClock()
    async with a_store(tmp_path, clock) as store:
        turn = await opened(store)
        waiting = asyncio.create_task(waits(store, LocalBus(), clock).wait(turn.id, 60))
        await clock.asleep.wait()
        await store.turns.finish(await taken(store), Ending(outcome=ANSWERED), [])
        clock.advance(1)
        learned = await waiting

    assert learned.wait is WaitState.ENDED


async def test_an_id_that_is_none_is_said_to_be_none_at_once(tmp_path: Path) -> None:
    clock = FakeClock()
    async with a_store(tmp_path, clock) as store:
        learned = await waits(store, LocalBus(), clock).wait(TurnId("nobody's"), 3_600)

    assert learned == Waited(turn_id=TurnId("nobody's"), wait=WaitState.NOT_FOUND)
    assert clock.slept == []


async def test_what_is_learned_is_the_same_after_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with a_store(tmp_path, clock) as store:
        turn = await opened(store)
        await store.turns.finish(
            await taken(store), Ending(outcome=ANSWERED), [a_delivery(turn, "Done.")]
        )
        before = await waits(store, LocalBus(), clock).wait(turn.id, 0)
    async with a_store(tmp_path, clock) as store:
        after = await waits(store, LocalBus(), clock).wait(turn.id, 0)

    assert after == before
    assert after.wait is WaitState.ENDED


@pytest.mark.parametrize("given_up", [None, GivenUp.REJECTED])
async def test_deliveries_are_waited_for_apart_and_end_with_a_receipt_or_a_reason(
    tmp_path: Path, given_up: GivenUp | None
) -> None:
    clock = HastyClock()
    async with a_store(tmp_path, clock) as store:
        turn = await opened(store)
        each = waits(store, LocalBus(), clock)
        await store.turns.finish(
            await taken(store), Ending(outcome=ANSWERED), [a_delivery(turn, "Done.")]
        )
        early = await each.wait(turn.id, 2, WaitFor.DELIVERED)
        leased = await store.outbox.lease("page", "default")
        assert leased is not None
        if given_up is None:
            await store.outbox.settle(leased, Receipt(message_ids=("17",), at=clock.now()))
        else:
            await store.outbox.give_up(leased, given_up, "it is blocked")
        late = await each.wait(turn.id, 2, WaitFor.DELIVERED)

    assert (early.wait, early.outcome) == (WaitState.WAIT_EXPIRED, OutcomeKind.ANSWERED)
    assert late.wait is WaitState.ENDED
    assert late.is_delivered is (given_up is None)
    (seen,) = late.deliveries
    assert (seen.receipt is None, seen.reason) == (
        (False, "") if given_up is None else (True, "it is blocked")
    )


async def test_who_waits_for_what_joined_another_gets_the_answer_to_both(tmp_path: Path) -> None:
    clock, bus = HastyClock(), LocalBus()
    async with a_store(tmp_path, clock) as store:
        first, second = await opened(store, "this"), await opened(store, "and this")
        host = await taken(store)
        await store.turns.absorb(host, {QueueMode.STEER})
        each = waits(store, bus, clock)
        joined = await each.wait(second.id, 1)
        await store.turns.finish(host, Ending(outcome=ANSWERED), [a_delivery(host, "Both.")])
        ended = await each.wait(second.id, 1)

    assert (joined.wait, joined.state) == (WaitState.WAIT_EXPIRED, TurnState.ABSORBED)
    assert (ended.wait, ended.text, ended.absorbed_by) == (WaitState.ENDED, "Done.", first.id)
    assert [one.id for one in ended.deliveries] == [f"{first.id}:0"]
