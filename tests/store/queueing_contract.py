"""What any `Turns` must keep of modes, bursts, caps, fairness and who may stop what."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.contracts.admission import Handled
from bot.contracts.inbound import Sender
from bot.contracts.ledger import Session
from bot.contracts.reply import ReplyPayload
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.store import Full, Opened, Renewal, Store
from bot.contracts.transcript import Ending, Received, Summarized
from bot.contracts.turn import (
    Arrival,
    DropPolicy,
    Lane,
    Outcome,
    OutcomeKind,
    Pacing,
    QueueMode,
    Rank,
    SessionChoices,
    StopMade,
    Turn,
    TurnState,
)
from tests.doubles.arrivals import NOON, a_payload, an_arrival, an_inbound
from tests.doubles.watched_clock import WatchedClock

LANES = (Lane.PEOPLE, Lane.BACKGROUND)
ALICE = SessionKey("agent:main:alice")
ALL = set(QueueMode)


def said_by(who: str, text: str, **changes: object) -> Arrival:
    """Something *who* wrote in the conversation that is Alice's by name."""
    inbound = replace(an_inbound(text), sender=Sender(id=who, display_name=who))
    return replace(an_arrival(text, inbound=inbound), **changes)  # type: ignore[arg-type] # fields


def a_stop(who: str, rank: Rank, *replies: ReplyPayload, text: str = "/stop") -> Arrival:
    return said_by(
        who,
        text,
        rank=rank,
        admission=Handled(reason="command:stop"),
        mode=QueueMode.INTERRUPT,
        replies=replies,
        stopped_notice=a_payload("not begun"),
    )


async def opened(store: Store, arrival: Arrival) -> Turn:
    (result,) = await store.turns.open(arrival)
    assert isinstance(result, Opened)
    return result.turn


async def next_turn(store: Store) -> str | None:
    """Give the next turn out, and say whose words it answers."""
    turn = await store.turns.take("worker", LANES)
    return turn.arrival.inbound.text if turn else None


async def running(store: Store) -> Turn:
    turn = await store.turns.take("worker", LANES)
    assert turn is not None
    return turn


async def state_of(store: Store, turn: Turn) -> tuple[TurnState, OutcomeKind | None, str]:
    record = await store.ledger.turn(turn.id)
    assert record is not None
    outcome = record.outcome
    if outcome is None:
        return record.turn.state, None, ""
    return record.turn.state, outcome.kind, outcome.reason


async def choose(store: Store, mode: QueueMode) -> None:
    session = Session(
        key=ALICE,
        agent_id=AgentId("main"),
        choices=SessionChoices(queue_mode=mode),
        started_at=NOON,
        last_interaction_at=NOON,
    )
    assert await store.sessions.put(session, version=0)


class ModeContract:
    """Whose word counts, and who may end what."""

    async def test_the_sessions_mode_wins_and_is_frozen_with_the_message(
        self, store: Store
    ) -> None:
        await choose(store, QueueMode.FOLLOWUP)
        turn = await opened(store, an_arrival("one", mode=QueueMode.STEER))
        assert turn.arrival.mode is QueueMode.FOLLOWUP
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert record.turn.arrival.mode is QueueMode.FOLLOWUP

    @pytest.mark.parametrize(
        ("who", "rank", "stops"),
        [
            ("alice", Rank.GUEST, True),
            ("bob", Rank.GUEST, False),
            ("bob", Rank.MEMBER, False),
            ("bob", Rank.ADMIN, True),
            ("bob", Rank.OWNER, True),
        ],
    )
    @pytest.mark.parametrize("how", ["a stop", "an interrupting message"])
    async def test_one_ends_ones_own_turn_and_an_admin_anybodys(
        self, store: Store, who: str, rank: Rank, stops: bool, how: str
    ) -> None:
        await opened(store, said_by("alice", "work", rank=Rank.OWNER))
        turn = await running(store)
        if how == "a stop":
            await opened(store, a_stop(who, rank, a_payload("nothing")))
        else:
            await opened(store, said_by(who, "no", rank=rank, mode=QueueMode.INTERRUPT))
        renewal = await store.turns.renew(turn)
        assert renewal is (Renewal.STOP_ASKED if stops else Renewal.HELD)

    async def test_who_joined_a_turn_may_stop_it(self, store: Store) -> None:
        await opened(store, said_by("alice", "work", rank=Rank.GUEST))
        turn = await running(store)
        await opened(store, said_by("bob", "and this", rank=Rank.GUEST))
        assert len(await store.turns.absorb(turn, ALL)) == 1
        await opened(store, a_stop("bob", Rank.GUEST))
        assert await store.turns.renew(turn) is Renewal.STOP_ASKED

    async def test_a_stop_leaves_waiting_what_others_asked(self, store: Store) -> None:
        await opened(store, said_by("alice", "work", rank=Rank.MEMBER))
        await running(store)
        mine = await opened(store, said_by("bob", "mine", rank=Rank.MEMBER))
        hers = await opened(store, said_by("alice", "hers", rank=Rank.MEMBER))
        made: list[StopMade] = []

        def tell(_: object, stop: StopMade) -> tuple[ReplyPayload, ...]:
            made.append(stop)
            return (a_payload("told"),)

        await store.turns.open(a_stop("bob", Rank.MEMBER), tell_stop=tell)
        assert (await state_of(store, mine))[1] is OutcomeKind.INTERRUPTED
        assert (await state_of(store, hers))[0] is TurnState.WAITING
        assert made == [StopMade(running=0, cancelled=1, elsewhere=0, not_theirs=2)]

    async def test_the_answer_of_a_stop_tells_of_what_waited_here_and_notices_elsewhere(
        self, store: Store
    ) -> None:
        here = await opened(store, said_by("alice", "here"))
        elsewhere = await opened(store, an_arrival("there", conversation="phone", session=ALICE))

        def tell(_: object, stop: StopMade) -> tuple[ReplyPayload, ...]:
            return (a_payload(f"{stop.cancelled} and {stop.elsewhere}"),)

        stop = a_stop("alice", Rank.OWNER, a_payload("nothing"))
        await store.turns.open(stop, tell_stop=tell)
        told = {}
        for turn_id in (stop.turn_id, here.id, elsewhere.id):
            record = await store.ledger.turn(turn_id)
            assert record is not None
            told[turn_id] = [one.payload.fallback for one in record.deliveries]
        assert told == {stop.turn_id: ["1 and 1"], here.id: [], elsewhere.id: ["not begun"]}

    async def test_a_second_stop_during_the_stop_finds_the_same_turn(self, store: Store) -> None:
        await opened(store, an_arrival("work"))
        turn = await running(store)
        for text in ("/stop", "stop"):
            await opened(store, a_stop("alice", Rank.OWNER, text=text))
        assert await store.turns.renew(turn) is Renewal.STOP_ASKED
        ended = Ending(outcome=Outcome(kind=OutcomeKind.INTERRUPTED))
        await store.turns.finish(turn, ended, [])
        assert (await state_of(store, turn))[0] is TurnState.FINISHED

    async def test_a_turn_that_ended_before_its_stop_was_heard_keeps_its_end(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("work"))
        turn = await running(store)
        await opened(store, a_stop("alice", Rank.OWNER))
        await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [])
        assert (await state_of(store, turn))[1] is OutcomeKind.ANSWERED


def in_burst(text: str, quiet: float = 2.0, **changes: object) -> Arrival:
    return said_by("alice", text, pacing=Pacing(quiet_seconds=quiet), **changes)


class BurstContract:
    """Messages of one breath wait for each other, by a due time that the store keeps."""

    async def test_each_new_message_moves_the_due_time_of_those_before_it(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, in_burst("one"))
        clock.advance(1.5)
        await opened(store, in_burst("two"))
        clock.advance(1.5)
        assert await next_turn(store) is None
        clock.advance(0.5)
        turn = await running(store)
        assert turn.arrival.inbound.text == "one"
        assert len(await store.turns.absorb(turn, {QueueMode.STEER})) == 1

    @pytest.mark.parametrize("mode", QueueMode)
    async def test_the_first_to_start_collects_the_rest_whatever_the_mode(
        self, store: Store, clock: WatchedClock, mode: QueueMode
    ) -> None:
        for text in ("one", "two", "three"):
            await opened(store, in_burst(text, mode=mode))
        clock.advance(2)
        turn = await running(store)
        joined = await store.turns.absorb(turn, set())
        assert [one.entry.inbound.text for one in joined if isinstance(one.entry, Received)] == [
            "two",
            "three",
        ]

    async def test_the_first_of_a_burst_waits_no_longer_than_the_longest_wait(
        self, store: Store, clock: WatchedClock
    ) -> None:
        pacing = Pacing(quiet_seconds=2, longest_seconds=5)
        for n in range(4):
            await opened(store, said_by("alice", f"{n}", pacing=pacing))
            clock.advance(1.5)
        assert await next_turn(store) == "0"

    async def test_what_waits_for_nothing_lets_the_burst_before_it_begin(
        self, store: Store
    ) -> None:
        await opened(store, in_burst("look at this"))
        await opened(store, said_by("alice", "a picture", pacing=None))
        turn = await running(store)
        assert turn.arrival.inbound.text == "look at this"
        assert len(await store.turns.absorb(turn, {QueueMode.STEER})) == 1

    async def test_the_last_part_of_a_paste_lets_the_others_begin(self, store: Store) -> None:
        part = Pacing(part_seconds=1.5)
        await opened(store, said_by("alice", "a long", pacing=part))
        await opened(store, said_by("alice", "a longer", pacing=part))
        assert await next_turn(store) is None
        await opened(store, said_by("alice", "end", pacing=Pacing()))
        turn = await running(store)
        assert len(await store.turns.absorb(turn, set())) == 2

    async def test_others_neither_wait_for_it_nor_move_it(self, store: Store) -> None:
        await opened(store, in_burst("one"))
        await opened(store, said_by("bob", "hello"))
        turn = await running(store)
        assert turn.arrival.inbound.text == "hello"
        assert await store.turns.absorb(turn, ALL) == []

    async def test_what_the_session_chose_counts_but_for_a_missing_part(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, said_by("alice", "part", pacing=Pacing(part_seconds=3)))
        clock.advance(2)
        assert await next_turn(store) is None
        clock.advance(1)
        assert await next_turn(store) == "part"

    @pytest.mark.parametrize("hours", [-1, 1])
    async def test_a_clock_set_by_an_hour_holds_nobody_up(
        self, store: Store, clock: WatchedClock, hours: int
    ) -> None:
        await opened(store, in_burst("one"))
        clock.jump(timedelta(hours=hours))
        assert await next_turn(store) == "one"

    async def test_two_messages_of_one_moment_keep_their_order(self, store: Store) -> None:
        await store.turns.open(in_burst("one", quiet=0.0), in_burst("two", quiet=0.0))
        turn = await running(store)
        joined = await store.turns.absorb(turn, {QueueMode.STEER})
        assert turn.arrival.inbound.text == "one"
        assert len(joined) == 1


class CapContract:
    """What gives way in a full queue."""

    @pytest.mark.parametrize("drop", DropPolicy)
    async def test_a_cap_is_the_arrivals_own(self, store: Store, drop: DropPolicy) -> None:
        for n in range(3):
            await opened(store, an_arrival(f"{n}"))
        (result,) = await store.turns.open(replace(an_arrival("3"), cap=3, drop=drop))
        assert isinstance(result, Full) == (drop is DropPolicy.NEW)
        assert (await store.ledger.counts())["turns.waiting"] == 3

    async def test_the_oldest_gives_way_and_is_told(self, store: Store) -> None:
        first, second = [await opened(store, an_arrival(text)) for text in ("one", "two")]
        notice = a_payload("left out")
        newest = replace(an_arrival("three"), cap=2, drop=DropPolicy.OLD, displaced_notice=notice)
        await opened(store, newest)
        assert await state_of(store, first) == (
            TurnState.FINISHED,
            OutcomeKind.INTERRUPTED,
            "displaced",
        )
        record = await store.ledger.turn(first.id)
        assert record is not None
        assert [(one.id, one.payload) for one in record.deliveries] == [
            (f"{first.id}!displaced", notice)
        ]
        assert await next_turn(store) == second.arrival.inbound.text

    @pytest.mark.parametrize("drop", [DropPolicy.OLD, DropPolicy.SUMMARIZE])
    async def test_nobody_of_higher_rank_gives_way(self, store: Store, drop: DropPolicy) -> None:
        for text in ("one", "two"):
            await opened(store, said_by("olga", text, rank=Rank.OWNER))
        flood = said_by("gus", "flood", rank=Rank.GUEST, cap=2, drop=drop)
        assert await store.turns.open(flood) == [Full(waiting=2)]

    async def test_the_oldest_but_the_first_are_told_in_one_line_and_end_with_it(
        self, store: Store
    ) -> None:
        texts = ("one", "two\nlines " + "x" * 200, "three", "four")
        turns = [
            await opened(store, replace(an_arrival(text), cap=2, drop=DropPolicy.SUMMARIZE))
            for text in texts
        ]
        head = await running(store)
        assert head.id == turns[0].id
        recorded = [one.entry for one in await store.transcripts.read(ALICE)]
        (summary,) = [entry for entry in recorded if isinstance(entry, Summarized)]
        told = [one.text for one in summary.messages]
        assert told[0].startswith("two lines xxx")
        assert len(told[0]) == 160
        assert told[1] == "three"
        finished = await store.turns.finish(
            head, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), []
        )
        assert finished.absorbed == (turns[1].id, turns[2].id)
        assert await next_turn(store) == "four"

    async def test_what_joined_a_waiting_message_outlives_its_deletion(self, store: Store) -> None:
        turns = [
            await opened(store, replace(an_arrival(text), cap=2, drop=DropPolicy.SUMMARIZE))
            for text in ("one", "two", "three", "four")
        ]
        gone = turns[0].arrival.inbound
        assert await store.turns.amend(gone.conversation_key, gone.source, None)
        assert await next_turn(store) == "two"
        recorded = [one.entry for one in await store.transcripts.read(ALICE)]
        (summary,) = [entry for entry in recorded if isinstance(entry, Summarized)]
        assert [one.text for one in summary.messages] == ["three"]


class FairnessContract:
    """Whoever floods one session delays no other."""

    async def test_sessions_take_turns_however_much_waits_in_one(self, store: Store) -> None:
        for n in range(5):
            await opened(store, an_arrival(f"flood {n}"))
        await opened(store, an_arrival("quiet", conversation="bob"))
        order = []
        for _ in range(4):
            turn = await running(store)
            order.append(turn.arrival.inbound.text)
            await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [])
        assert order == ["flood 0", "quiet", "flood 1", "flood 2"]

    async def test_who_comes_while_the_flood_is_served_is_next(self, store: Store) -> None:
        for n in range(3):
            await opened(store, an_arrival(f"flood {n}"))
        turn = await running(store)
        await opened(store, an_arrival("quiet", conversation="bob"))
        await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [])
        assert await next_turn(store) == "quiet"

    async def test_background_comes_after_people_and_only_where_it_may(self, store: Store) -> None:
        await opened(store, an_arrival("job", lane=Lane.BACKGROUND, session="agent:main:job:1"))
        await opened(store, an_arrival("hello"))
        assert await next_turn(store) == "hello"
        assert await store.turns.take("worker", (Lane.PEOPLE,)) is None
        assert await next_turn(store) == "job"

    async def test_what_left_the_queue_leaves_no_place_behind(self, store: Store) -> None:
        gone = await opened(store, an_arrival("gone"))
        await opened(store, an_arrival("next", conversation="bob"))
        inbound = gone.arrival.inbound
        assert await store.turns.amend(inbound.conversation_key, inbound.source, None)
        await opened(store, an_arrival("back again"))
        assert await next_turn(store) == "next"


class QueueingContract(ModeContract, BurstContract, CapContract, FairnessContract):
    """All of it."""
