"""What any `Turns` must keep: subclass it, provide `store` and `clock`, and all is checked."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest

from bot.contracts.admission import Drop, Handled, Observe
from bot.contracts.delivery import Delivery, DeliveryState, OnUnknown, Receipt
from bot.contracts.errors import LeaseLost
from bot.contracts.inbound import EventClass, Inbound, Source
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.reply import ReplyPayload
from bot.contracts.session import SessionKey
from bot.contracts.signals import Offer, Signal, StopAsked, Taken, WorkWaiting
from bot.contracts.store import Cursor, Duplicate, Finished, Full, Opened, Renewal, Store
from bot.contracts.transcript import Ending, Received
from bot.contracts.turn import (
    Arrival,
    Lane,
    Outcome,
    OutcomeKind,
    QueueMode,
    Rank,
    Turn,
    TurnState,
    Usage,
)
from tests.doubles.arrivals import a_delivery, a_payload, an_arrival, an_inbound
from tests.doubles.watched_clock import WatchedClock

T = TypeVar("T")
LANES = (Lane.PEOPLE, Lane.BACKGROUND)
ANSWERED = Outcome(kind=OutcomeKind.ANSWERED, text="here you are")


def a_stop(*replies: ReplyPayload, notice: ReplyPayload | None = None) -> Arrival:
    return an_arrival(
        "/stop",
        admission=Handled(reason="command:stop"),
        mode=QueueMode.INTERRUPT,
        replies=replies,
        stopped_notice=notice,
    )


async def taken(store: Store, worker: str = "worker") -> Turn:
    turn = await store.turns.take(worker, LANES)
    assert turn is not None
    return turn


async def opened(store: Store, arrival: Arrival) -> Turn:
    (result,) = await store.turns.open(arrival)
    assert isinstance(result, Opened)
    return result.turn


async def outcome_of(store: Store, turn: Turn) -> Outcome | None:
    record = await store.ledger.turn(turn.id)
    assert record is not None
    return record.outcome


async def heard_in(store: Store, session_key: SessionKey) -> list[str]:
    recorded = await store.transcripts.read(session_key)
    return [one.entry.inbound.text for one in recorded if isinstance(one.entry, Received)]


def arrived(delivery: Delivery, clock: WatchedClock) -> Delivery:
    receipt = Receipt(message_ids=(delivery.id,), at=clock.now())
    return replace(delivery, state=DeliveryState.SENT, receipt=receipt)


async def given_back(verb: Callable[[], Awaitable[T | None]]) -> T:
    """Ask until something is given out; what a cancelled caller got comes back at once."""
    for _ in range(100):
        if (given := await verb()) is not None:
            return given
    raise AssertionError("nothing was given back")


@asynccontextmanager
async def offered(
    store: Store, *, places: int = 1, lanes: Collection[Lane] = LANES
) -> AsyncIterator[AsyncGenerator[Signal, None]]:
    """A listener that waits and would begin so many turns at once; nothing else is due."""
    assert await store.turns.take("before", LANES) is None
    signals = store.turns.signals(Offer(worker="offering", lanes=lanes, places=lambda: places))
    first = asyncio.ensure_future(anext(signals))
    await asyncio.sleep(0)

    async def rest() -> AsyncGenerator[Signal, None]:
        yield await first
        async for signal in signals:
            yield signal

    try:
        yield rest()
    finally:
        if not first.done():
            await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await signals.aclose()


class OpenContract:
    """`Turns.open` and `Turns.amend`."""

    async def test_what_was_said_comes_back_exactly(self, store: Store) -> None:
        arrival = an_arrival("hello", replies=(), rank=Rank.GUEST, thread="7")
        turn = await opened(store, arrival)
        assert turn.arrival == arrival
        assert (turn.state, turn.attempt, turn.crashes) == (TurnState.WAITING, 0, 0)

    async def test_a_redelivered_message_opens_no_second_turn(self, store: Store) -> None:
        first = await opened(store, an_arrival("one"))
        (second,) = await store.turns.open(an_arrival("one"))
        assert second == Duplicate(turn=first)

    async def test_a_message_twice_in_one_batch_opens_one_turn(self, store: Store) -> None:
        first, second = await store.turns.open(an_arrival("one"), an_arrival("one"))
        assert isinstance(first, Opened)
        assert second == Duplicate(turn=first.turn)

    async def test_a_message_sent_by_two_connections_at_once_opens_one_turn(
        self, store: Store
    ) -> None:
        results = await asyncio.gather(*(store.turns.open(an_arrival("one")) for _ in range(20)))
        kinds = [type(result) for (result,) in results]
        assert kinds.count(Opened) == 1
        assert kinds.count(Duplicate) == 19

    async def test_a_duplicate_shows_what_became_of_the_first(self, store: Store) -> None:
        await opened(store, an_arrival("one"))
        await taken(store)
        (again,) = await store.turns.open(an_arrival("one"))
        assert isinstance(again, Duplicate)
        assert again.turn.state is TurnState.RUNNING

    @pytest.mark.parametrize(
        "other",
        [
            an_inbound("hi", source="m:1", conversation="bob"),
            an_inbound("hi", source="m:1", channel="telegram"),
            an_inbound("hi", source="m:2"),
        ],
        ids=["in another conversation", "on another channel", "under another id"],
    )
    async def test_the_same_words_elsewhere_are_another_message(
        self, store: Store, other: Inbound
    ) -> None:
        first = await opened(store, an_arrival("hi", inbound=an_inbound("hi", source="m:1")))
        second = await opened(store, an_arrival("hi", inbound=other))
        assert first.id != second.id

    async def test_lines_are_counted_in_the_order_of_arrival(self, store: Store) -> None:
        results = await store.turns.open(*(an_arrival(text) for text in "abc"))
        seqs = [result.turn.seq for result in results if isinstance(result, Opened)]
        assert seqs == sorted(set(seqs))
        assert len(seqs) == 3

    async def test_the_cursor_moves_with_what_it_brought(self, store: Store) -> None:
        await store.turns.open(an_arrival("one"), cursor=Cursor(key="telegram:me", value=7))
        await store.turns.open(cursor=Cursor(key="telegram:me", value=9))
        record = await store.records.get("cursor:telegram:me")
        assert record is not None
        assert record.value == b"9"

    async def test_a_full_session_takes_no_more(self, store: Store) -> None:
        await store.turns.open(*(an_arrival(f"{n}") for n in range(20)))
        (result,) = await store.turns.open(an_arrival("one too many"))
        assert result == Full(waiting=20)
        assert (await store.ledger.counts())["turns.waiting"] == 20
        assert isinstance((await store.turns.open(an_arrival("x", session="s2")))[0], Opened)

    async def test_what_was_refused_for_want_of_room_may_come_again(self, store: Store) -> None:
        await store.turns.open(*(an_arrival(f"{n}") for n in range(20)))
        await store.turns.open(an_arrival("late"))
        await taken(store)
        assert isinstance((await store.turns.open(an_arrival("late")))[0], Opened)

    async def test_the_cursor_stays_where_it_is_when_something_had_no_room(
        self, store: Store
    ) -> None:
        await store.turns.open(*(an_arrival(f"{n}") for n in range(20)))
        cursor = Cursor(key="telegram:me", value=7)
        await store.turns.open(an_arrival("late"), cursor=cursor)
        assert await store.records.get("cursor:telegram:me") is None

    @pytest.mark.parametrize(
        "admission",
        [Observe(reason="room:no-mention"), Drop(reason="rank"), Handled(reason="command:status")],
        ids=["observed", "dropped", "handled"],
    )
    async def test_what_needs_no_worker_is_over_at_once_and_silent(
        self, store: Store, admission: Observe | Drop | Handled
    ) -> None:
        turn = await opened(store, an_arrival("psst", admission=admission))
        assert turn.state is TurnState.FINISHED
        assert await outcome_of(store, turn) == Outcome(
            kind=OutcomeKind.SILENT, reason=admission.reason
        )
        assert await store.turns.take("worker", LANES) is None

    async def test_what_is_answered_at_the_door_has_its_deliveries(self, store: Store) -> None:
        replies = (a_payload("all is well"), a_payload("and quiet"))
        arrival = an_arrival("/status", admission=Handled(reason="command:status"), replies=replies)
        turn = await opened(store, arrival)
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert record.outcome == Outcome(kind=OutcomeKind.ANSWERED, reason="command:status")
        assert [(one.id, one.payload) for one in record.deliveries] == [
            (f"{turn.id}!door:0", replies[0]),
            (f"{turn.id}!door:1", replies[1]),
        ]
        assert record.deliveries[0].target == arrival.target
        assert record.deliveries[0].on_unknown is OnUnknown.REPEAT_ONCE
        assert record.deliveries[0].expires_at == arrival.fresh_until

    async def test_an_interrupting_message_asks_the_running_turn_to_stop(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        second = await opened(store, an_arrival("no, this", mode=QueueMode.INTERRUPT))
        assert await store.turns.renew(running) is Renewal.STOP_ASKED
        assert second.state is TurnState.WAITING

    async def test_an_interrupting_message_leaves_other_sessions_alone(self, store: Store) -> None:
        await opened(store, an_arrival("first", conversation="bob"))
        running = await taken(store)
        await opened(store, an_arrival("this", mode=QueueMode.INTERRUPT))
        assert await store.turns.renew(running) is Renewal.HELD

    async def test_a_stop_ends_what_waits_each_with_its_notice(self, store: Store) -> None:
        waiting = [await opened(store, an_arrival(text)) for text in ("one", "two")]
        elsewhere = await opened(store, an_arrival("three", conversation="bob"))
        notice = a_payload("stopped before it began")
        stop = await opened(
            store,
            a_stop(a_payload("nothing"), notice=notice),
        )
        for turn in waiting:
            record = await store.ledger.turn(turn.id)
            assert record is not None
            assert record.outcome == Outcome(
                kind=OutcomeKind.INTERRUPTED, reason="stopped", reference=stop.id
            )
            assert [(one.id, one.payload) for one in record.deliveries] == [
                (f"{turn.id}!stopped", notice)
            ]
        handled = await store.ledger.turn(stop.id)
        assert handled is not None
        assert handled.outcome == Outcome(kind=OutcomeKind.SILENT, reason="command:stop")
        assert handled.deliveries == ()
        assert (await taken(store)).id == elsewhere.id

    async def test_a_stop_that_meets_a_running_turn_is_silent_itself(self, store: Store) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        stop = await opened(store, a_stop(a_payload("nothing")))
        assert await store.turns.renew(running) is Renewal.STOP_ASKED
        assert await outcome_of(store, stop) == Outcome(
            kind=OutcomeKind.SILENT, reason="command:stop"
        )

    async def test_a_stop_that_meets_nothing_says_so(self, store: Store) -> None:
        nothing = a_payload("there is nothing to stop")
        stop = await opened(store, a_stop(nothing))
        record = await store.ledger.turn(stop.id)
        assert record is not None
        assert record.outcome == Outcome(kind=OutcomeKind.ANSWERED, reason="command:stop")
        assert [one.payload for one in record.deliveries] == [nothing]

    async def test_an_edit_replaces_the_text_of_what_waits(self, store: Store) -> None:
        turn = await opened(store, an_arrival("helo"))
        here = turn.arrival.inbound.conversation_key
        assert await store.turns.amend(here, Source("m:helo"), "hello")
        assert (await taken(store)).arrival.inbound.text == "hello"
        assert await heard_in(store, turn.session_key) == ["hello"]

    async def test_a_deletion_ends_what_waits(self, store: Store) -> None:
        turn = await opened(store, an_arrival("oops"))
        here = turn.arrival.inbound.conversation_key
        assert await store.turns.amend(here, Source("m:oops"), None)
        outcome = await outcome_of(store, turn)
        assert outcome is not None
        assert outcome.kind is OutcomeKind.INTERRUPTED
        assert await store.turns.take("worker", LANES) is None

    async def test_what_has_begun_is_not_amended(self, store: Store) -> None:
        turn = await opened(store, an_arrival("helo"))
        here = turn.arrival.inbound.conversation_key
        await taken(store)
        assert not await store.turns.amend(here, Source("m:helo"), "hello")
        assert not await store.turns.amend(here, Source("m:helo"), None)
        assert not await store.turns.amend(here, Source("m:never said"), "hello")


class TakeContract:
    """`Turns.take` and what keeps, ends or gives back what was taken."""

    async def test_nothing_is_given_out_where_nothing_waits(self, store: Store) -> None:
        assert await store.turns.take("worker", LANES) is None

    async def test_a_taken_turn_runs_and_its_words_are_received(self, store: Store) -> None:
        waiting = await opened(store, an_arrival("hello", rank=Rank.MEMBER))
        turn = await taken(store, "me")
        assert (turn.id, turn.state, turn.attempt) == (waiting.id, TurnState.RUNNING, 1)
        assert turn.epoch == store.epoch
        (recorded,) = await store.transcripts.read(turn.session_key)
        assert recorded.entry == Received(inbound=turn.arrival.inbound, rank=Rank.MEMBER)
        assert (recorded.turn_id, recorded.attempt) == (turn.id, 1)

    async def test_a_session_runs_one_turn_at_a_time_in_order(self, store: Store) -> None:
        first = await opened(store, an_arrival("one"))
        second = await opened(store, an_arrival("two"))
        running = await taken(store)
        assert running.id == first.id
        assert await store.turns.take("worker", LANES) is None
        assert await store.turns.finish(running, Ending(outcome=ANSWERED), []) == Finished()
        assert (await taken(store)).id == second.id

    async def test_one_busy_session_does_not_hold_up_another(self, store: Store) -> None:
        await store.turns.open(an_arrival("one"), an_arrival("two"))
        other = await opened(store, an_arrival("three", conversation="bob"))
        await taken(store)
        assert (await taken(store)).id == other.id

    async def test_people_come_before_background(self, store: Store) -> None:
        await opened(store, an_arrival("tidy up", lane=Lane.BACKGROUND, conversation="job"))
        person = await opened(store, an_arrival("hello"))
        assert (await taken(store)).id == person.id

    async def test_a_worker_of_one_lane_takes_nothing_of_the_other(self, store: Store) -> None:
        await opened(store, an_arrival("tidy up", lane=Lane.BACKGROUND))
        assert await store.turns.take("worker", {Lane.PEOPLE}) is None
        assert await store.turns.take("worker", {Lane.BACKGROUND}) is not None

    async def test_what_is_not_due_yet_waits(self, store: Store, clock: WatchedClock) -> None:
        later = clock.now() + timedelta(seconds=5)
        await opened(store, an_arrival("half a message", not_before=later))
        assert await store.turns.take("worker", LANES) is None
        clock.advance(5)
        await taken(store)

    async def test_workers_at_once_get_a_turn_each(self, store: Store) -> None:
        await store.turns.open(*(an_arrival(f"{n}", conversation=f"{n}") for n in range(10)))
        turns = await asyncio.gather(*(store.turns.take("worker", LANES) for _ in range(12)))
        ids = [turn.id for turn in turns if turn is not None]
        assert len(ids) == len(set(ids)) == 10

    async def test_a_session_is_known_from_its_first_turn(
        self, store: Store, clock: WatchedClock
    ) -> None:
        turn = await opened(store, an_arrival("one"))
        assert await store.sessions.get(turn.session_key) is None
        began = clock.now()
        await store.turns.finish(await taken(store), Ending(outcome=ANSWERED), [])
        clock.advance(60)
        await opened(store, an_arrival("two"))
        await taken(store)
        session = await store.sessions.get(turn.session_key)
        assert session is not None
        assert session.agent_id == turn.arrival.route.agent_id
        assert (session.started_at, session.last_interaction_at) == (began, clock.now())

    async def test_the_end_and_what_tells_of_it_are_written_together(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store, "me")
        clock.advance(3)
        outcome = Outcome(
            kind=OutcomeKind.ASKED,
            text="may I?",
            reason="approval",
            reference="q1",
            usage=Usage(input_tokens=10, output_tokens=2, model_calls=1),
        )
        await store.turns.finish(
            turn,
            Ending(outcome=outcome),
            [a_delivery(turn, "may I?"), a_delivery(turn, "say yes", part=1)],
        )
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert (record.outcome, record.ended_at) == (outcome, clock.now())
        assert [one.id for one in record.deliveries] == [f"{turn.id}:0", f"{turn.id}:1"]
        assert all(one.state is DeliveryState.PENDING for one in record.deliveries)
        (attempt,) = record.attempts
        assert (attempt.number, attempt.worker, attempt.ended_at) == (1, "me", clock.now())
        session = await store.sessions.get(turn.session_key)
        assert session is not None
        assert session.usage == outcome.usage

    async def test_the_last_words_are_recorded_in_the_commit_that_ends_the_turn(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        word = AssistantMessage(text="here you are", stop=StopReason.END)
        await store.turns.finish(turn, Ending(outcome=ANSWERED, words=(word,)), [])
        recorded = await store.transcripts.read(turn.session_key)
        assert [one.entry for one in recorded[1:]] == [word]
        assert await store.transcripts.recent(turn.session_key) == tuple(recorded)
        with pytest.raises(LeaseLost):
            await store.turns.finish(turn, Ending(outcome=ANSWERED, words=(word,)), [])
        assert len(await store.transcripts.read(turn.session_key)) == 2

    async def test_what_is_sent_from_birth_is_a_line_with_the_commit_that_ends_the_turn(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        parts = [arrived(a_delivery(turn, text, part=n), clock) for n, text in enumerate("ab")]
        finished = await store.turns.finish(turn, Ending(outcome=ANSWERED), parts)
        lines = await store.ledger.after(turn.arrival.target.conversation_key, turn.seq)
        assert [(line.delivery_id, line.seq) for line in lines] == list(finished.arrived.items())
        assert [line.delivery_id for line in lines] == [part.id for part in parts]
        assert await store.outbox.lease("page", "default") is None

    async def test_what_is_sent_from_birth_waits_behind_what_is_not(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        parts = [a_delivery(turn, "a"), arrived(a_delivery(turn, "b", part=1), clock)]
        assert (await store.turns.finish(turn, Ending(outcome=ANSWERED), parts)).arrived == {}
        for part in parts:
            leased = await store.outbox.lease("page", "default")
            assert leased is not None
            assert (leased.id, leased.state) == (part.id, DeliveryState.SENDING)
            await store.outbox.settle(leased, Receipt(message_ids=(), at=clock.now()))

    async def test_a_turn_ends_once(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [a_delivery(turn, "one")])
        with pytest.raises(LeaseLost):
            await store.turns.finish(
                turn, Ending(outcome=ANSWERED), [a_delivery(turn, "two", part=1)]
            )
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert [one.payload.fallback for one in record.deliveries] == ["one"]

    async def test_what_is_put_back_is_taken_again_first_of_all(self, store: Store) -> None:
        await opened(store, an_arrival("first"))
        turn = await taken(store)
        await opened(store, an_arrival("a person", conversation="bob"))
        await store.turns.release(turn)
        again = await taken(store)
        assert (again.id, again.attempt, again.crashes) == (turn.id, 2, 0)
        assert await heard_in(store, turn.session_key) == ["first"]

    async def test_of_what_was_put_back_people_come_first(self, store: Store) -> None:
        await opened(store, an_arrival("tidy up", lane=Lane.BACKGROUND, conversation="job"))
        background = await taken(store)
        await opened(store, an_arrival("hello"))
        person = await taken(store)
        await store.turns.release(background)
        await store.turns.release(person)
        assert (await taken(store)).id == person.id

    async def test_a_worker_that_is_gone_before_it_got_its_turn_keeps_nothing(
        self, store: Store
    ) -> None:
        waiting = await opened(store, an_arrival("hello"))
        taking = asyncio.ensure_future(store.turns.take("gone", LANES))
        await asyncio.sleep(0)
        taking.cancel()
        turn = await given_back(lambda: store.turns.take("next", LANES))
        assert (turn.id, turn.crashes) == (waiting.id, 0)
        assert await heard_in(store, turn.session_key) == ["hello"]

    async def test_what_is_put_back_keeps_its_place_and_its_words(self, store: Store) -> None:
        await opened(store, an_arrival("first"))
        turn = await taken(store)
        await opened(store, an_arrival("second"))
        await store.turns.release(turn)
        here = turn.arrival.inbound.conversation_key
        assert not await store.turns.amend(here, Source("m:first"), "changed")
        assert (await taken(store)).id == turn.id
        assert await store.turns.take("worker", LANES) is None

    async def test_a_worker_that_lost_its_turn_writes_nothing(self, store: Store) -> None:
        await opened(store, an_arrival("first"))
        lost = await taken(store)
        await store.turns.release(lost)
        assert await store.turns.renew(lost) is Renewal.LOST
        current = await taken(store)
        assert await store.turns.renew(lost) is Renewal.LOST
        await opened(store, an_arrival("more"))
        with pytest.raises(LeaseLost):
            await store.turns.finish(lost, Ending(outcome=ANSWERED), [a_delivery(lost, "twice")])
        with pytest.raises(LeaseLost):
            await store.turns.absorb(lost, {QueueMode.STEER})
        with pytest.raises(LeaseLost):
            await store.turns.release(lost)
        with pytest.raises(LeaseLost):
            await store.transcripts.append(lost, Received(inbound=an_inbound("x"), rank=Rank.OWNER))
        assert await store.turns.renew(current) is Renewal.HELD
        assert await heard_in(store, lost.session_key) == ["first"]
        assert await store.outbox.lease("page", "default") is None

    async def test_every_attempt_is_on_record(self, store: Store, clock: WatchedClock) -> None:
        await opened(store, an_arrival("first"))
        turn = await taken(store, "one")
        clock.advance(1)
        await store.turns.release(turn)
        await taken(store, "two")
        record = await store.ledger.turn(turn.id)
        assert record is not None
        first, second = record.attempts
        assert (first.number, first.worker, first.reason) == (1, "one", "released")
        assert first.ended_at == clock.now()
        assert (second.number, second.worker, second.ended_at) == (2, "two", None)


class AbsorbContract:
    """`Turns.absorb`."""

    async def test_steering_is_absorbed_in_the_order_it_was_said(self, store: Store) -> None:
        await opened(store, an_arrival("fix the tests"))
        running = await taken(store)
        await store.turns.open(
            an_arrival("leave generated files alone"),
            an_arrival("later, tell me a joke", mode=QueueMode.FOLLOWUP),
            an_arrival("and hurry"),
        )
        absorbed = await store.turns.absorb(running, {QueueMode.STEER})
        texts = [one.entry.inbound.text for one in absorbed if isinstance(one.entry, Received)]
        assert texts == ["leave generated files alone", "and hurry"]
        assert list(absorbed) == list(await store.transcripts.read(running.session_key, after=1))
        assert {(one.turn_id, one.attempt) for one in absorbed} == {(running.id, 1)}

    async def test_absorbing_again_finds_nothing_new(self, store: Store) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        await opened(store, an_arrival("second"))
        assert len(await store.turns.absorb(running, {QueueMode.STEER})) == 1
        assert await store.turns.absorb(running, {QueueMode.STEER}) == []

    @pytest.mark.parametrize(
        "other",
        [
            an_arrival("second", rank=Rank.GUEST),
            an_arrival("second", conversation="carol", session="agent:main:alice"),
            an_arrival("second", thread="9", session="agent:main:alice"),
            an_arrival("second", conversation="bob"),
            an_arrival("second", mode=QueueMode.COLLECT),
        ],
        ids=[
            "of a lower rank",
            "in another conversation",
            "in another thread",
            "in another session",
            "in another mode",
        ],
    )
    async def test_a_message_waits_for_its_own_turn(self, store: Store, other: Arrival) -> None:
        await opened(store, an_arrival("first", rank=Rank.MEMBER))
        running = await taken(store)
        await opened(store, other)
        assert await store.turns.absorb(running, {QueueMode.STEER}) == []

    async def test_nothing_said_after_a_stop_joins_what_was_stopped(self, store: Store) -> None:
        await store.turns.open(an_arrival("one"))
        turn = await taken(store)
        await store.turns.open(a_stop())
        await store.turns.open(an_arrival("two", mode=QueueMode.COLLECT))
        assert not await store.turns.absorb(turn, set(QueueMode))
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [])
        assert (await taken(store)).arrival.inbound.text == "two"

    async def test_a_higher_rank_may_join(self, store: Store) -> None:
        await opened(store, an_arrival("first", rank=Rank.GUEST))
        running = await taken(store)
        await opened(store, an_arrival("second", rank=Rank.OWNER))
        assert len(await store.turns.absorb(running, {QueueMode.STEER})) == 1

    async def test_what_is_not_due_does_not_join_yet(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        later = clock.now() + timedelta(seconds=2)
        await opened(store, an_arrival("second", not_before=later))
        assert await store.turns.absorb(running, {QueueMode.STEER}) == []
        clock.advance(2)
        assert len(await store.turns.absorb(running, {QueueMode.STEER})) == 1

    async def test_an_absorbed_turn_ends_as_its_host_does(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        guest = await opened(store, an_arrival("second"))
        await store.turns.absorb(running, {QueueMode.STEER})
        before = await store.ledger.turn(guest.id)
        assert before is not None
        assert (before.turn.state, before.absorbed_by) == (TurnState.ABSORBED, running.id)
        assert (before.outcome, before.ended_at) == (None, None)
        assert await store.turns.finish(running, Ending(outcome=ANSWERED), []) == Finished(
            absorbed=(guest.id,)
        )
        after = await store.ledger.turn(guest.id)
        assert after is not None
        assert (after.outcome, after.ended_at) == (ANSWERED, clock.now())

    async def test_what_was_absorbed_is_not_lost_when_its_host_is_taken_again(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        await opened(store, an_arrival("second"))
        await store.turns.absorb(running, {QueueMode.STEER})
        await store.turns.release(running)
        again = await taken(store)
        assert again.id == running.id
        assert await heard_in(store, running.session_key) == ["first", "second"]
        assert len((await store.turns.finish(again, Ending(outcome=ANSWERED), [])).absorbed) == 1
        assert await store.turns.take("worker", LANES) is None


class SignalsContract:
    """`Turns.signals`."""

    async def test_work_that_waits_already_is_told_at_once(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        signals = store.turns.signals()
        assert await anext(signals) == WorkWaiting()

    async def test_a_new_message_wakes_a_worker(self, store: Store) -> None:
        signals = store.turns.signals()
        hint = asyncio.ensure_future(anext(signals))
        await opened(store, an_arrival("hello"))
        assert await hint == WorkWaiting()

    async def test_a_finished_turn_frees_the_next_of_its_session(self, store: Store) -> None:
        await store.turns.open(an_arrival("one"), an_arrival("two"))
        running = await taken(store)
        signals = store.turns.signals()
        hint = asyncio.ensure_future(anext(signals))
        await store.turns.finish(running, Ending(outcome=ANSWERED), [])
        assert await hint == WorkWaiting()

    async def test_what_comes_due_is_told_then(self, store: Store, clock: WatchedClock) -> None:
        later = clock.now() + timedelta(milliseconds=300)
        await opened(store, an_arrival("hello", not_before=later))
        signals = store.turns.signals()
        hint = asyncio.ensure_future(anext(signals))
        await clock.asleep.wait()
        assert clock.slept[-1] == pytest.approx(0.3)
        clock.advance(0.3)
        assert await hint == WorkWaiting()

    async def test_nobody_sleeps_longer_than_a_second(
        self, store: Store, clock: WatchedClock
    ) -> None:
        later = clock.now() + timedelta(hours=1)
        await opened(store, an_arrival("hello", not_before=later))
        hint = asyncio.ensure_future(anext(store.turns.signals()))
        await clock.asleep.wait()
        assert clock.slept == [1.0]
        hint.cancel()

    async def test_a_stop_reaches_the_worker_of_the_running_turn(self, store: Store) -> None:
        await opened(store, an_arrival("first"))
        running = await taken(store)
        hint = asyncio.ensure_future(anext(store.turns.signals()))
        await asyncio.sleep(0)
        await opened(store, a_stop())
        assert await hint == StopAsked(turn_id=running.id)

    async def test_a_turn_is_taken_for_a_waiting_listener_in_the_commit_that_opens_it(
        self, store: Store
    ) -> None:
        async with offered(store) as signals:
            turn = await opened(store, an_arrival("hello"))
            record = await store.ledger.turn(turn.id)
            assert await anext(signals) == Taken(turn=turn)
        assert (turn.state, turn.attempt) == (TurnState.RUNNING, 1)
        assert record is not None
        assert [attempt.worker for attempt in record.attempts] == ["offering"]
        assert await heard_in(store, turn.session_key) == ["hello"]
        assert await store.turns.take("another", LANES) is None
        done = await store.turns.finish(turn, Ending(outcome=ANSWERED), [])
        assert done == Finished()

    async def test_no_more_is_taken_than_there_are_places(self, store: Store) -> None:
        async with offered(store, places=2) as signals:
            await store.turns.open(*(an_arrival("x", conversation=f"c{n}") for n in range(3)))
            heard = [await anext(signals), await anext(signals), await anext(signals)]
        assert [type(signal) for signal in heard] == [Taken, Taken, WorkWaiting]
        assert (await taken(store)).arrival.inbound.conversation.id == "c2"

    async def test_places_that_were_promised_are_free_again_once_they_are_not_needed(
        self, store: Store
    ) -> None:
        async with offered(store) as signals:
            first = await opened(store, an_arrival("hello"))
            assert await anext(signals) == Taken(turn=first)
            await store.turns.open(first.arrival)  # a duplicate needs no place
            second = await opened(store, an_arrival("hello", conversation="bob"))
            assert await anext(signals) == Taken(turn=second)

    async def test_what_its_session_must_wait_for_is_not_taken(self, store: Store) -> None:
        async with offered(store, places=5) as signals:
            first, second = await store.turns.open(an_arrival("one"), an_arrival("two"))
            assert isinstance(first, Opened)
            assert isinstance(second, Opened)
            assert await anext(signals) == Taken(turn=first.turn)
            assert second.turn.state is TurnState.WAITING
            await store.turns.finish(first.turn, Ending(outcome=ANSWERED), [])
            assert await anext(signals) == WorkWaiting()
        assert (await taken(store)).id == second.turn.id

    async def test_what_is_not_due_or_of_another_lane_is_not_taken(
        self, store: Store, clock: WatchedClock
    ) -> None:
        later = clock.now() + timedelta(hours=1)
        async with offered(store, lanes=(Lane.PEOPLE,)):
            late = await opened(store, an_arrival("later", not_before=later))
            other = await opened(store, an_arrival("job", lane=Lane.BACKGROUND, conversation="b"))
        assert (late.state, other.state) == (TurnState.WAITING, TurnState.WAITING)

    async def test_older_work_that_is_due_comes_before_a_new_message(self, store: Store) -> None:
        older = await opened(store, an_arrival("older", conversation="bob"))
        signals = store.turns.signals(Offer(worker="w", lanes=LANES, places=lambda: 1))
        assert await anext(signals) == WorkWaiting()
        newer = await opened(store, an_arrival("newer"))
        assert newer.state is TurnState.WAITING
        assert (await taken(store)).id == older.id
        await signals.aclose()

    async def test_what_was_taken_for_a_listener_that_has_gone_is_put_back(
        self, store: Store
    ) -> None:
        async with offered(store, places=2) as signals:
            reached = await opened(store, an_arrival("hello"))
            turn = await opened(store, an_arrival("hello", conversation="bob"))
            assert await anext(signals) == Taken(turn=reached)
        again = await given_back(lambda: store.turns.take("next", LANES))
        assert (again.id, again.attempt, again.crashes) == (turn.id, 2, 0)

    async def test_an_interaction_is_a_message_too(self, store: Store) -> None:
        pressed = an_inbound("yes", event=EventClass.INTERACTION)
        await opened(store, an_arrival("yes", inbound=pressed))
        assert (await taken(store)).arrival.inbound == pressed


class TurnsContract(OpenContract, TakeContract, AbsorbContract, SignalsContract):
    """All that `Turns` promises."""
