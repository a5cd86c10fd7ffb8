"""The dispatcher, the turn and the lease together, on the real store."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.bus.local import LocalBus
from bot.clock import SystemClock
from bot.contracts.admission import Handled
from bot.contracts.delivery import Delivery
from bot.contracts.errors import CandidatesExhausted, LeaseLost, StoreUnavailable
from bot.contracts.events import TurnAbsorbed, TurnEnded
from bot.contracts.ledger import TurnQuery
from bot.contracts.signals import Offer, Signal
from bot.contracts.store import Finished, Store, Turns
from bot.contracts.transcript import Ending
from bot.contracts.turn import (
    Failure,
    Lane,
    Outcome,
    OutcomeKind,
    QueueMode,
    Turn,
    TurnId,
    TurnState,
)
from bot.kernel.lanes import Lanes
from bot.kernel.turn import Compose, TurnRunner
from tests.doubles.arrivals import NOON, a_delivery, a_payload, an_arrival
from tests.doubles.clock import HastyClock
from tests.doubles.stores import a_store

Answer = Callable[[Turn], Coroutine[Any, Any, Ending]]


async def echo(turn: Turn) -> Ending:
    words = f"re: {turn.arrival.inbound.text}"
    return Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED, text=words))


def compose(turn: Turn, ending: Ending) -> Sequence[Delivery]:
    outcome = ending.outcome
    return [a_delivery(turn, outcome.text or outcome.reason)]


@asynccontextmanager
async def lanes_on(
    store: Store,
    answer: Answer,
    *,
    turns: Turns | None = None,
    limit: int = 8,
    compose: Compose = compose,
) -> AsyncIterator[Lanes]:
    """Run lanes with *answer*, and stop them at the end."""
    runner = TurnRunner(
        turns=turns or store.turns,
        answer=answer,
        compose=compose,
        bus=LocalBus(),
        clock=HastyClock(NOON),
    )
    clock = HastyClock(NOON) if turns else SystemClock()
    lanes = Lanes(turns or store.turns, runner, clock, worker="w", limit=limit)
    working = asyncio.create_task(lanes.work())
    try:
        yield lanes
    finally:
        await lanes.stop(drain_seconds=5)
        await asyncio.wait_for(working, 10)


async def ended(store: Store, turn_id: TurnId) -> Outcome:
    """Wait until a turn has an outcome."""
    async with asyncio.timeout(10):
        while True:
            record = await store.ledger.turn(turn_id)
            if record is not None and record.outcome is not None:
                return record.outcome
            await asyncio.sleep(0)


class Hold:
    """An answer that waits until it is let go, and counts how many wait at once."""

    def __init__(self) -> None:
        self.going_on = asyncio.Event()
        self.running: list[str] = []
        self.began = asyncio.Event()
        self.full = asyncio.Event()

    async def __call__(self, turn: Turn) -> Ending:
        self.running.append(turn.arrival.inbound.text)
        self.began.set()
        if len(self.running) == 3:
            self.full.set()
        await self.going_on.wait()
        return await echo(turn)


async def test_a_message_is_taken_answered_and_queued_for_delivery(tmp_path: Path) -> None:
    async with a_store(tmp_path) as store, lanes_on(store, echo):
        arrival = an_arrival("hello")
        await store.turns.open(arrival)

        outcome = await ended(store, arrival.turn_id)
        delivery = await store.outbox.lease("page", "default")

    assert outcome.text == "re: hello"
    assert delivery is not None
    assert delivery.payload.fallback == "re: hello"


async def test_one_busy_session_does_not_hold_up_another(tmp_path: Path) -> None:
    hold = Hold()

    async def answer(turn: Turn) -> Ending:
        return await (hold(turn) if turn.arrival.inbound.text == "slow" else echo(turn))

    async with a_store(tmp_path) as store, lanes_on(store, answer):
        slow = an_arrival("slow", conversation="a")
        quick = an_arrival("quick", conversation="b")
        await store.turns.open(slow, quick)

        assert (await ended(store, quick.turn_id)).text == "re: quick"
        hold.going_on.set()
        assert (await ended(store, slow.turn_id)).text == "re: slow"


async def test_a_session_runs_one_turn_at_a_time(tmp_path: Path) -> None:
    hold = Hold()
    async with a_store(tmp_path) as store, lanes_on(store, hold):
        one = an_arrival("one", mode=QueueMode.FOLLOWUP)
        two = an_arrival("two", mode=QueueMode.FOLLOWUP)
        await store.turns.open(one, two)
        async with asyncio.timeout(10):
            await hold.began.wait()
        together = list(hold.running)
        hold.going_on.set()
        await ended(store, two.turn_id)

    assert together == ["one"]
    assert hold.running == ["one", "two"]


async def test_messages_that_wait_when_a_turn_starts_are_answered_with_it(tmp_path: Path) -> None:
    async with a_store(tmp_path) as store:
        one, two = an_arrival("one"), an_arrival("two")
        await store.turns.open(one, two)
        async with lanes_on(store, echo):
            await ended(store, one.turn_id)
        record = await store.ledger.turn(two.turn_id)

    assert record is not None
    assert record.absorbed_by == one.turn_id
    assert record.outcome is not None
    assert record.outcome.text == "re: one"


async def test_a_stop_ends_the_running_turn_and_says_so(tmp_path: Path) -> None:
    hold = Hold()
    async with a_store(tmp_path) as store, lanes_on(store, hold):
        working = an_arrival("work for hours")
        await store.turns.open(working)
        async with asyncio.timeout(10):
            await hold.began.wait()

        await store.turns.open(
            an_arrival(
                "/stop",
                mode=QueueMode.INTERRUPT,
                admission=Handled(reason="command:stop"),
                replies=(a_payload("nothing runs"),),
            )
        )
        outcome = await ended(store, working.turn_id)

    assert outcome.kind is OutcomeKind.INTERRUPTED


async def test_a_stop_between_the_taking_and_the_lease_is_not_lost(tmp_path: Path) -> None:
    hold = Hold()
    async with a_store(tmp_path) as store:
        arrival = an_arrival("work for hours")
        await store.turns.open(arrival)

        class StoppedAtOnce:
            """Somebody presses stop in the moment the turn is given out."""

            def __getattr__(self, name: str) -> object:
                return getattr(store.turns, name)

            async def take(self, worker: str, lanes: Collection[Lane]) -> Turn | None:
                turn = await store.turns.take(worker, lanes)
                if turn is not None:
                    stop = Handled(reason="command:stop")
                    await store.turns.open(
                        an_arrival("/stop", mode=QueueMode.INTERRUPT, admission=stop)
                    )
                    await asyncio.sleep(0.05)
                return turn

        turns: Any = StoppedAtOnce()
        runner = TurnRunner(
            turns=store.turns, answer=hold, compose=compose, bus=LocalBus(), clock=SystemClock()
        )
        lanes = Lanes(turns, runner, SystemClock(), worker="w")
        working = asyncio.create_task(lanes.work())
        outcome = await asyncio.wait_for(ended(store, arrival.turn_id), 5)
        await lanes.stop(drain_seconds=5)
        await working

    assert outcome.kind is OutcomeKind.INTERRUPTED


async def test_an_expected_error_is_a_failed_outcome_with_its_sentence(tmp_path: Path) -> None:
    async def fails(turn: Turn) -> Ending:
        raise CandidatesExhausted(f"no model for {turn.arrival.inbound.text}")

    async with a_store(tmp_path) as store, lanes_on(store, fails):
        arrival = an_arrival("hello")
        await store.turns.open(arrival)
        outcome = await ended(store, arrival.turn_id)

    assert (outcome.kind, outcome.reason) == (OutcomeKind.FAILED, "no model for hello")


async def test_a_bug_costs_one_turn_and_says_nothing_of_itself(tmp_path: Path) -> None:
    async def broken(turn: Turn) -> Ending:
        if turn.arrival.inbound.text == "poison":
            raise ZeroDivisionError("at line 7")
        return await echo(turn)

    async with a_store(tmp_path) as store, lanes_on(store, broken):
        poison = an_arrival("poison", mode=QueueMode.FOLLOWUP)
        after = an_arrival("after", mode=QueueMode.FOLLOWUP)
        await store.turns.open(poison, after)
        outcome = await ended(store, poison.turn_id)
        assert (await ended(store, after.turn_id)).text == "re: after"

    assert outcome.kind is OutcomeKind.FAILED
    assert "line 7" not in outcome.reason


@pytest.mark.parametrize("broken", ["compose", "finish"])
async def test_an_end_that_cannot_be_told_ends_as_a_fault_and_holds_up_nobody(
    tmp_path: Path, broken: str
) -> None:
    def break_down(verb: str, outcome: Outcome) -> None:
        if verb == broken and outcome.text == "re: poison":
            raise RecursionError("at line 7")

    def telling(turn: Turn, ending: Ending) -> Sequence[Delivery]:
        break_down("compose", ending.outcome)
        return compose(turn, ending)

    class Breaking(Queue):
        async def finish(
            self, turn: Turn, ending: Ending, deliveries: Sequence[Delivery]
        ) -> Finished:
            break_down("finish", ending.outcome)
            return await self.turns.finish(turn, ending, deliveries)

    async with a_store(tmp_path) as store:
        turns: Any = Breaking(store.turns)
        async with lanes_on(store, echo, turns=turns, compose=telling):
            poison = an_arrival("poison", mode=QueueMode.FOLLOWUP)
            after = an_arrival("after", mode=QueueMode.FOLLOWUP)
            await store.turns.open(poison, after)
            outcome = await ended(store, poison.turn_id)
            assert (await ended(store, after.turn_id)).text == "re: after"
            delivery = await store.outbox.lease("page", "default")

    assert (outcome.kind, outcome.failure) == (OutcomeKind.FAILED, Failure.BROKEN)
    assert "line 7" not in outcome.reason
    assert delivery is not None
    assert delivery.payload.fallback == outcome.reason


class Queue:
    """The real queue, but for what a test changes about it."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the queue has
        return getattr(self.turns, name)


class SomebodyElses(Queue):
    """Every turn is somebody else's by now."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(turns)
        self.asked = asyncio.Event()

    async def release(self, turn: Turn) -> None:
        self.asked.set()
        raise LeaseLost(f"{turn.id} is gone")


async def test_a_turn_that_is_somebody_elses_by_now_ends_without_a_word(tmp_path: Path) -> None:
    async def lost(turn: Turn) -> Ending:
        raise LeaseLost(f"{turn.id} is gone")

    async with a_store(tmp_path) as store:
        arrival = an_arrival("hello")
        turns: Any = SomebodyElses(store.turns)
        async with lanes_on(store, lost, turns=turns), asyncio.timeout(10):
            await store.turns.open(arrival)
            await turns.asked.wait()
        record = await store.ledger.turn(arrival.turn_id)

    assert record is not None
    assert record.outcome is None
    assert record.deliveries == ()


async def test_a_turn_that_was_only_believed_lost_is_taken_up_again(tmp_path: Path) -> None:
    async def lost_at_first(turn: Turn) -> Ending:
        if turn.attempt == 1:
            raise LeaseLost("the store could not be asked in time")
        return await echo(turn)

    async with a_store(tmp_path) as store, lanes_on(store, lost_at_first):
        arrival = an_arrival("hello")
        await store.turns.open(arrival)
        assert (await ended(store, arrival.turn_id)).text == "re: hello"
        record = await store.ledger.turn(arrival.turn_id)

    assert record is not None
    assert record.turn.crashes == 0


class FullAtFirst(Queue):
    """The disk is full at the first two tries of every verb."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(turns)
        self.refused: dict[str, int] = {}

    def _refuse(self, name: str) -> None:
        if self.refused.get(name, 0) < 2:
            self.refused[name] = self.refused.get(name, 0) + 1
            raise StoreUnavailable("the disk is full")

    async def take(self, worker: str, lanes: Collection[Lane]) -> Turn | None:
        self._refuse("take")
        return await self.turns.take(worker, lanes)

    async def finish(self, turn: Turn, ending: Ending, deliveries: Sequence[Delivery]) -> Finished:
        self._refuse("finish")
        return await self.turns.finish(turn, ending, deliveries)

    async def release(self, turn: Turn) -> None:
        self._refuse("release")
        await self.turns.release(turn)

    async def signals(self, offer: Offer | None = None) -> AsyncGenerator[Signal, None]:
        self._refuse("signals")
        async for signal in self.turns.signals(offer):
            yield signal


async def test_a_store_that_cannot_write_is_waited_for(tmp_path: Path) -> None:
    async def lost_at_first(turn: Turn) -> Ending:
        if turn.attempt == 1:
            raise LeaseLost("the store could not be asked in time")
        return await echo(turn)

    async with a_store(tmp_path) as store:
        full: Any = FullAtFirst(store.turns)
        async with lanes_on(store, lost_at_first, turns=full):
            arrival = an_arrival("hello")
            await store.turns.open(arrival)
            assert (await ended(store, arrival.turn_id)).text == "re: hello"

    assert full.refused == {"take": 2, "finish": 2, "release": 2, "signals": 2}


class Taking(Queue):
    """Says when a turn was taken, and gives it out only when the test lets it."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(turns)
        self.taken = asyncio.Event()
        self.going_on = asyncio.Event()

    async def take(self, worker: str, lanes: Collection[Lane]) -> Turn | None:
        turn = await self.turns.take(worker, lanes)
        if turn is not None:
            self.taken.set()
            await self.going_on.wait()
        return turn


async def test_a_turn_that_is_being_taken_when_the_bot_stops_is_put_back(tmp_path: Path) -> None:
    async with a_store(tmp_path) as store:
        arrival = an_arrival("hello")
        await store.turns.open(arrival)
        turns: Any = Taking(store.turns)
        async with lanes_on(store, echo, turns=turns) as lanes, asyncio.timeout(10):
            await turns.taken.wait()
            await lanes.stop(drain_seconds=0)
            turns.going_on.set()
        record = await store.ledger.turn(arrival.turn_id)

    assert record is not None
    assert record.outcome is None
    assert [attempt.reason for attempt in record.attempts] == ["released"]


async def test_a_turn_that_is_too_late_takes_no_younger_message_with_it(tmp_path: Path) -> None:
    async def judge(turn: Turn) -> Ending:
        late = turn.arrival.fresh_until < NOON
        if not late:
            return await echo(turn)
        return Ending(outcome=Outcome(kind=OutcomeKind.FAILED, reason="late"))

    async with a_store(tmp_path) as store:
        old = replace(an_arrival("old"), fresh_until=NOON - timedelta(hours=1))
        young = an_arrival("young")
        await store.turns.open(old, young)
        async with lanes_on(store, judge):
            assert (await ended(store, young.turn_id)).text == "re: young"
            assert (await ended(store, old.turn_id)).reason == "late"


async def test_a_graceful_stop_puts_a_running_turn_back_and_that_is_no_crash(
    tmp_path: Path,
) -> None:
    hold = Hold()
    async with a_store(tmp_path) as store:
        arrival = an_arrival("long work")
        await store.turns.open(arrival)
        runner = TurnRunner(
            turns=store.turns, answer=hold, compose=compose, bus=LocalBus(), clock=SystemClock()
        )
        lanes = Lanes(store.turns, runner, SystemClock(), worker="w")
        working = asyncio.create_task(lanes.work())
        async with asyncio.timeout(10):
            await hold.began.wait()
        await lanes.stop(drain_seconds=0)
        await working

    async with a_store(tmp_path) as store, lanes_on(store, echo):
        assert (await ended(store, arrival.turn_id)).text == "re: long work"
        record = await store.ledger.turn(arrival.turn_id)

    assert record is not None
    assert record.turn.crashes == 0
    assert record.turn.attempt == 2


async def test_no_more_turns_run_at_once_than_the_limit(tmp_path: Path) -> None:
    hold = Hold()
    async with a_store(tmp_path) as store, lanes_on(store, hold, limit=3):
        arrivals = [an_arrival(f"m{n}", conversation=f"c{n}") for n in range(6)]
        await store.turns.open(*arrivals)
        async with asyncio.timeout(10):
            await hold.full.wait()
        running = await store.ledger.turns(TurnQuery(states={TurnState.RUNNING}))
        hold.going_on.set()
        for arrival in arrivals:
            await ended(store, arrival.turn_id)

    assert len(running) == 3


async def test_everybody_who_joined_hears_of_it_and_that_the_turn_ended(tmp_path: Path) -> None:
    bus = LocalBus()
    async with a_store(tmp_path) as store:
        one, two = an_arrival("one"), an_arrival("two")
        await store.turns.open(one, two)
        runner = TurnRunner(
            turns=store.turns, answer=echo, compose=compose, bus=bus, clock=HastyClock(NOON)
        )
        lanes = Lanes(store.turns, runner, SystemClock(), worker="w")
        told: list[TurnId] = []
        joined: list[tuple[TurnId, TurnId]] = []
        with bus.follow(one.inbound.conversation_key) as news:
            working = asyncio.create_task(lanes.work())
            async with asyncio.timeout(10):
                async for event in news:
                    if isinstance(event, TurnAbsorbed):
                        joined.append((event.turn_id, event.into))
                    if isinstance(event, TurnEnded):
                        told.append(event.turn_id)
                    if len(told) == 2:
                        break
        await lanes.stop(drain_seconds=5)
        await working

    assert joined == [(two.turn_id, one.turn_id)]
    assert told == [one.turn_id, two.turn_id]
