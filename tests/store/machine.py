"""Random verbs in random order, with crashes between: the store and its model stay alike."""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bot.contracts.admission import Handled
from bot.contracts.delivery import Delivery, GivenUp, OnUnknown
from bot.contracts.delivery import DeliveryState as D
from bot.contracts.ledger import DeliveryQuery, TurnQuery
from bot.contracts.session import SessionKey
from bot.contracts.store import Duplicate, Full, Opened, Renewal, Store
from bot.contracts.transcript import Ending, Received
from bot.contracts.turn import Lane, Outcome, OutcomeKind, QueueMode, Rank, Turn
from tests.doubles.arrivals import a_delivery, a_payload, an_arrival
from tests.doubles.clock import FakeClock
from tests.store.model import Model, ModelDelivery, ModelTurn
from tests.store.outbox_contract import RECEIPT

T = TypeVar("T")
ANSWERED = Outcome(kind=OutcomeKind.ANSWERED)
RESULTS = {Opened: "opened", Duplicate: "duplicate", Full: "full"}
people = st.sampled_from(["alice", "bob"])
seconds = st.integers(1, 5)
modes = st.sampled_from(QueueMode)


class StoreMachine(RuleBasedStateMachine):
    """Subclass it with `opened`; its `TestCase` is the test."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = FakeClock()
        self.model = Model()
        self.runs: list[tuple[Turn, ModelTurn]] = []
        self.sends: list[tuple[Delivery, ModelDelivery]] = []
        self.count = 0
        self.store: Store = self.run(self.opened())

    async def opened(self) -> Store:
        raise NotImplementedError

    def run(self, coroutine: Coroutine[object, object, T]) -> T:
        return self.runner.run(coroutine)

    def teardown(self) -> None:
        self.run(self.store.close())
        self.runner.close()

    @rule(
        person=people,
        thread=st.sampled_from([None, "7"]),
        mode=modes,
        rank=st.sampled_from([Rank.MEMBER, Rank.OWNER]),
        lane=st.sampled_from(Lane),
        delay=st.none() | seconds,
        again=st.booleans(),
    )
    def hear(
        self,
        *,
        person: str,
        thread: str | None,
        mode: QueueMode,
        rank: Rank,
        lane: Lane,
        delay: int | None,
        again: bool,
    ) -> None:
        self.count += not again
        arrival = an_arrival(
            f"m{self.count}",
            conversation=person,
            thread=thread,
            mode=mode,
            rank=rank,
            lane=lane,
            not_before=None if delay is None else self.clock.now() + timedelta(seconds=delay),
        )
        (result,) = self.run(self.store.turns.open(arrival))
        assert RESULTS[type(result)] == self.model.open(arrival)

    @rule(person=people)
    def stop(self, person: str) -> None:
        self.count += 1
        arrival = an_arrival(
            f"stop{self.count}",
            conversation=person,
            mode=QueueMode.INTERRUPT,
            admission=Handled(reason="command:stop"),
            replies=(a_payload("nothing"),),
            stopped_notice=a_payload("stopped"),
        )
        self.run(self.store.turns.open(arrival))
        self.model.stop(arrival)

    @rule(which=st.integers(0, 5), delete=st.booleans())
    @precondition(lambda self: self.model.turns)
    def amend(self, which: int, delete: bool) -> None:
        known = self.model.turns[-1 - which % len(self.model.turns)]
        inbound = known.arrival.inbound
        text = None if delete else f"{known.text}, edited"
        waits = known.state.value == "waiting"
        amended = self.run(self.store.turns.amend(inbound.conversation_key, inbound.source, text))
        assert amended == waits
        if waits and text is None:
            known.state = type(known.state).FINISHED
            self.model.line_up(known.arrival.route.session_key)
        elif waits and text is not None:
            known.text = text

    @rule(lanes=st.sampled_from([tuple(Lane), (Lane.PEOPLE,), (Lane.BACKGROUND,)]))
    def take(self, lanes: tuple[Lane, ...]) -> None:
        turn = self.run(self.store.turns.take("worker", lanes))
        known = self.model.take(lanes, self.clock.now())
        assert (turn and turn.id) == (known and known.arrival.turn_id)
        if turn is not None and known is not None:
            assert (turn.attempt, turn.crashes) == (known.attempt, known.crashes)
            assert turn.cancel_asked == known.stop_asked
            self.runs.append((turn, known))

    @rule(wanted=st.sets(modes))
    @precondition(lambda self: self.runs)
    def absorb(self, wanted: set[QueueMode]) -> None:
        turn, known = self.runs[0]
        recorded = self.run(self.store.turns.absorb(turn, wanted))
        texts = [one.entry.inbound.text for one in recorded if isinstance(one.entry, Received)]
        assert texts == self.model.absorb(known, wanted, self.clock.now())

    @rule(parts=st.integers(0, 3), how=st.sampled_from(OnUnknown))
    @precondition(lambda self: self.runs)
    def finish(self, parts: int, how: OnUnknown) -> None:
        turn, known = self.runs.pop(0)
        deliveries = [a_delivery(turn, "x", part=n, on_unknown=how) for n in range(parts)]
        self.run(self.store.turns.finish(turn, Ending(outcome=ANSWERED), deliveries))
        self.model.finish(known, how, parts)

    @rule()
    @precondition(lambda self: self.runs)
    def release(self) -> None:
        turn, known = self.runs.pop(0)
        self.run(self.store.turns.release(turn))
        known.held = False

    @rule()
    @precondition(lambda self: self.runs)
    def renew(self) -> None:
        turn, known = self.runs[-1]
        expected = Renewal.STOP_ASKED if known.stop_asked else Renewal.HELD
        assert self.run(self.store.turns.renew(turn)) is expected

    @rule()
    def lease(self) -> None:
        delivery = self.run(self.store.outbox.lease("page", "default"))
        known = self.model.lease(self.clock.now())
        assert (delivery and delivery.id) == (known and known.id)
        if delivery is not None and known is not None:
            self.sends.append((delivery, known))

    @rule()
    @precondition(lambda self: self.sends)
    def settle(self) -> None:
        delivery, known = self.sends.pop(0)
        self.run(self.store.outbox.settle(delivery, RECEIPT))
        known.state, known.held = D.SENT, False

    @rule(delay=seconds, sure=st.booleans())
    @precondition(lambda self: self.sends)
    def put_off(self, delay: int, sure: bool) -> None:
        delivery, known = self.sends.pop(0)
        after = self.clock.now() + timedelta(seconds=delay)
        verb = self.store.outbox.retry if sure else self.store.outbox.doubt
        self.run(verb(delivery, after=after, reason="busy"))
        known.state, known.held, known.not_before = D.PENDING if sure else D.UNKNOWN, False, after

    @rule()
    @precondition(lambda self: self.sends and self.sends[0][0].state is D.UNKNOWN)
    def repeat(self) -> None:
        delivery, known = self.sends.pop(0)
        allowed = known.rule in (OnUnknown.REPEAT, OnUnknown.LOOK_UP) or (
            known.rule is OnUnknown.REPEAT_ONCE and known.repeats == 0
        )
        try:
            repeated = self.run(self.store.outbox.repeat(delivery))
        except ValueError:
            assert not allowed
            self.sends.append((delivery, known))
            return
        assert allowed
        known.state, known.repeats = D.SENDING, known.repeats + 1
        self.sends.append((repeated, known))

    @rule(state=st.sampled_from(GivenUp))
    @precondition(lambda self: self.sends)
    def give_up(self, state: GivenUp) -> None:
        delivery, known = self.sends.pop(0)
        self.run(self.store.outbox.give_up(delivery, state, "no"))
        self.model.give_up(known, D(state.value))

    @rule(by=seconds)
    def pass_time(self, by: int) -> None:
        self.clock.advance(by)

    @rule()
    def crash(self) -> None:
        self.run(self.store.close())
        self.store = self.run(self.opened())
        self.model.crash()
        self.runs.clear()
        self.sends.clear()

    @invariant()
    def both_are_alike(self) -> None:
        records = self.run(self.store.ledger.turns(TurnQuery(limit=10_000)))
        assert [(one.turn.id, one.turn.state) for one in reversed(records)] == [
            (known.arrival.turn_id, known.state) for known in self.model.turns
        ]
        deliveries = self.run(self.store.ledger.deliveries(DeliveryQuery(limit=10_000)))
        assert [(one.id, one.state, one.attempt, one.repeats) for one in reversed(deliveries)] == [
            (known.id, known.state, known.attempt, known.repeats) for known in self.model.deliveries
        ]
        for session, texts in self.model.heard.items():
            recorded = self.run(self.store.transcripts.read(SessionKey(session)))
            heard = [one.entry.inbound.text for one in recorded if isinstance(one.entry, Received)]
            assert heard == texts
