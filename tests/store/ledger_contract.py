"""What any `Ledger` must keep."""

from dataclasses import replace
from datetime import timedelta

from bot.contracts.admission import Handled
from bot.contracts.delivery import DeliveryState, GivenUp
from bot.contracts.inbound import EventClass, Lifecycle, Source
from bot.contracts.ledger import DeliveryQuery, Direction, Line, TurnQuery
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.moved import Move
from bot.contracts.store import Store
from bot.contracts.transcript import Ending, Nudge, Received, Unanswered
from bot.contracts.turn import Outcome, OutcomeKind, Rank, TurnId, TurnState, Usage
from tests.doubles.arrivals import A_FILE, a_delivery, a_payload, an_arrival, an_inbound
from tests.doubles.watched_clock import WatchedClock
from tests.store.outbox_contract import RECEIPT, answered, leased
from tests.store.turns_contract import opened, taken

ALICE = an_inbound("x").conversation_key


class LedgerContract:
    """Subclass it, provide `store` and `clock`, and all of this is checked."""

    async def test_a_room_that_moves_is_known_with_the_commit_that_claims_it(
        self, store: Store
    ) -> None:
        moved = replace(
            an_inbound("moved", conversation="-2", event=EventClass.LIFECYCLE),
            lifecycle=Lifecycle.MOVED,
            former_id="-1",
        )
        handled = Handled(reason="room:moved")
        for _ in range(2):
            await store.turns.open(an_arrival("", inbound=moved, admission=handled))
        other = replace(moved, source=Source("again"), former_id="-9")
        await store.turns.open(an_arrival("", inbound=other, admission=handled))

        assert await store.ledger.moves() == [
            Move(channel="page", account="default", before="-1", now="-2")
        ]

    async def test_a_message_moves_no_room_whatever_it_says(self, store: Store) -> None:
        said = replace(
            an_inbound("hello", conversation="-2"), lifecycle=Lifecycle.MOVED, former_id="-1"
        )
        await store.turns.open(
            an_arrival("", inbound=said, admission=Handled(reason="command:help"))
        )

        assert await store.ledger.moves() == []

    async def test_a_turn_nobody_knows_is_none(self, store: Store) -> None:
        assert await store.ledger.turn(TurnId("nobody")) is None

    async def test_turns_are_listed_newest_first(self, store: Store) -> None:
        first = await opened(store, an_arrival("one"))
        second = await opened(store, an_arrival("two"))
        records = await store.ledger.turns(TurnQuery())
        assert [record.turn for record in records] == [second, first]
        assert all(not record.attempts and not record.deliveries for record in records)

    async def test_turns_are_found_by_session_conversation_and_state(self, store: Store) -> None:
        alice = await opened(store, an_arrival("one"))
        await taken(store)
        waiting = await opened(store, an_arrival("two"))
        thread = await opened(store, an_arrival("three", thread="9"))
        bob = await opened(store, an_arrival("four", conversation="bob"))

        async def ids(**query: object) -> list[TurnId]:
            found = await store.ledger.turns(TurnQuery(**query))  # type: ignore[arg-type] # names real fields
            return [record.turn.id for record in found]

        both = {TurnState.WAITING, TurnState.RUNNING}
        assert await ids(session_key=bob.session_key) == [bob.id]
        assert await ids(conversation=ALICE) == [waiting.id, alice.id]
        assert await ids(states={TurnState.RUNNING}) == [alice.id]
        assert await ids(states=both) == [bob.id, thread.id, waiting.id, alice.id]
        assert await ids(states=both, limit=2) == [bob.id, thread.id]
        assert await ids(conversation=ALICE, states=both) == [waiting.id, alice.id]
        assert await ids(session_key=alice.session_key, states={TurnState.RUNNING}) == [alice.id]
        assert await ids(states={TurnState.FINISHED, TurnState.WAITING}, limit=1) == [bob.id]
        assert await ids(states=set()) == []

    async def test_a_turn_is_found_by_its_claim_even_after_its_conversation_was_forgotten(
        self, store: Store
    ) -> None:
        alice = await opened(store, an_arrival("one"))
        await opened(store, an_arrival("two"))
        mine = alice.arrival.inbound.source
        await store.turns.forget(ALICE)

        (record,) = await store.ledger.turns(TurnQuery(conversation=ALICE, source=mine))
        assert record.turn.id == alice.id
        elsewhere = an_inbound("x", conversation="bob").conversation_key
        assert await store.ledger.turns(TurnQuery(conversation=elsewhere, source=mine)) == []

    async def test_deliveries_are_listed_newest_first_and_found_by_state(
        self, store: Store
    ) -> None:
        turn = await answered(store, "one", "two")
        other = await answered(store, "three", to="bob")
        await store.outbox.settle(await leased(store), RECEIPT)

        async def texts(**query: object) -> list[str]:
            found = await store.ledger.deliveries(DeliveryQuery(**query))  # type: ignore[arg-type] # names real fields
            return [one.payload.fallback for one in found]

        assert await texts() == ["three", "two", "one"]
        assert await texts(limit=1) == ["three"]
        assert await texts(states={DeliveryState.SENT}) == ["one"]
        assert await texts(states={DeliveryState.SENT, DeliveryState.PENDING}) == [
            "three",
            "two",
            "one",
        ]
        assert await texts(turn_id=turn.id) == ["two", "one"]
        assert await texts(turn_id=other.id, states={DeliveryState.SENT}) == []

    async def test_sessions_are_listed_latest_first(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("one"))
        alice = await taken(store)
        clock.advance(timedelta(minutes=1).total_seconds())
        await opened(store, an_arrival("two", conversation="bob"))
        bob = await taken(store)
        keys = [session.key for session in await store.ledger.sessions()]
        assert keys == [bob.session_key, alice.session_key]
        assert len(await store.ledger.sessions(limit=1)) == 1

    async def test_a_conversation_is_one_sequence_of_lines(self, store: Store) -> None:
        turn = await answered(store, "one")
        delivery = await leased(store)
        seq = await store.outbox.settle(delivery, RECEIPT)
        later = await opened(store, an_arrival("and then?"))
        assert await store.ledger.after(ALICE, 0) == [
            Line(
                seq=turn.seq,
                direction=Direction.HEARD,
                turn_id=turn.id,
                at=turn.arrival.received_at,
                text=turn.arrival.inbound.text,
                source=turn.arrival.inbound.source,
            ),
            Line(
                seq=seq,
                direction=Direction.SAID,
                turn_id=turn.id,
                at=RECEIPT.at,
                text="one",
                delivery_id=delivery.id,
                payload=delivery.payload,
            ),
            Line(
                seq=later.seq,
                direction=Direction.HEARD,
                turn_id=later.id,
                at=later.arrival.received_at,
                text="and then?",
                source=later.arrival.inbound.source,
            ),
        ]
        assert [line.seq for line in await store.ledger.after(ALICE, turn.seq)] == [seq, later.seq]
        assert [line.seq for line in await store.ledger.after(ALICE, 0, limit=2)] == [
            seq,
            later.seq,
        ]
        assert await store.ledger.after(ALICE, later.seq) == []

    async def test_the_lines_before_one_come_in_order_the_latest_of_them(
        self, store: Store
    ) -> None:
        first = await answered(store, "one")
        seq = await store.outbox.settle(await leased(store), RECEIPT)
        last = await opened(store, an_arrival("and then?"))
        await opened(store, an_arrival("elsewhere", conversation="bob"))

        before = store.ledger.before
        assert [line.seq for line in await before(ALICE, last.seq)] == [first.seq, seq]
        assert [line.seq for line in await before(ALICE, last.seq, limit=1)] == [seq]
        assert await before(ALICE, first.seq) == []

    async def test_a_line_that_was_said_tells_how_many_calls_it_took(self, store: Store) -> None:
        await opened(store, an_arrival("count"))
        turn = await taken(store)
        outcome = Outcome(kind=OutcomeKind.ANSWERED, text="two", usage=Usage(tool_calls=2))
        await store.turns.finish(turn, Ending(outcome=outcome), [a_delivery(turn, "two")])
        await store.outbox.settle(await leased(store), RECEIPT)

        assert [line.tool_calls for line in await store.ledger.after(ALICE, 0)] == [0, 2]

    async def test_the_entries_of_a_turn_are_its_own_in_order(self, store: Store) -> None:
        await opened(store, an_arrival("one"))
        first = await taken(store)
        nudges = [Nudge(text="a"), Nudge(text="b")]
        recorded = await store.transcripts.append(first, *nudges)
        await store.turns.finish(first, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [])
        await opened(store, an_arrival("two"))
        await taken(store)

        found = await store.ledger.entries(first.id)
        assert [one.entry for one in found[1:]] == nudges
        assert list(found[1:]) == list(recorded)
        assert isinstance(found[0].entry, Received)
        assert await store.ledger.entries(TurnId("nobody")) == []

    async def test_a_line_shows_the_files_it_was_heard_with(self, store: Store) -> None:
        heard = replace(an_inbound("look"), attachments=(A_FILE,))
        await opened(store, an_arrival("look", inbound=heard))

        (line,) = await store.ledger.after(ALICE, 0)
        assert line.attachments == (A_FILE,)

    async def test_what_did_not_arrive_is_no_line(self, store: Store) -> None:
        await answered(store, "one", "two")
        await store.outbox.give_up(await leased(store), GivenUp.REJECTED, "no")
        assert len(await store.ledger.after(ALICE, 0)) == 1

    async def test_a_button_is_no_line_and_a_command_is(self, store: Store) -> None:
        pressed = an_inbound("yes", event=EventClass.INTERACTION)
        asked = an_inbound("/status", event=EventClass.COMMAND)
        handled = Handled(reason="command")
        await opened(store, an_arrival("yes", inbound=pressed, admission=handled))
        await opened(
            store,
            an_arrival("/status", inbound=asked, admission=handled, replies=(a_payload("fine"),)),
        )
        await store.outbox.settle(await leased(store), RECEIPT)
        lines = await store.ledger.after(ALICE, 0)
        assert [line.text for line in lines] == ["/status", "fine"]

    async def test_other_conversations_and_threads_stay_out(self, store: Store) -> None:
        await opened(store, an_arrival("one", conversation="bob"))
        await opened(store, an_arrival("two", thread="9"))
        assert await store.ledger.after(ALICE, 0) == []

    async def test_every_state_is_counted(self, store: Store) -> None:
        await answered(store, "one", "two")
        await store.outbox.settle(await leased(store), RECEIPT)
        await opened(store, an_arrival("next"))
        counts = await store.ledger.counts()
        assert set(counts) == {f"turns.{state}" for state in TurnState} | {
            f"deliveries.{state}" for state in DeliveryState
        }
        assert {key: count for key, count in counts.items() if count} == {
            "turns.finished": 1,
            "turns.waiting": 1,
            "deliveries.sent": 1,
            "deliveries.pending": 1,
        }

    async def test_what_models_used_is_added_up_by_day_person_session_and_model(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("yesterday"))
        alice = await taken(store)
        await store.transcripts.append(alice, answer_of("m1", 1_000, 100))
        clock.advance(timedelta(hours=24).total_seconds())
        today = clock.now().astimezone().date()
        await opened(store, an_arrival("today", conversation="bob", rank=Rank.GUEST))
        bob = await taken(store)
        await store.transcripts.append(alice, answer_of("m1", 10, 1), answer_of("m2", 20, 2))
        await store.transcripts.append(alice, answer_of("m1", 30, 3))
        lost = Unanswered(model="m1", usage=Usage(micro_usd=900))
        await store.transcripts.append(bob, answer_of("m1", 40, 4), lost)

        used = {(one.session_key, one.model): one for one in await store.ledger.spending(today)}

        assert set(used) == {
            (alice.session_key, "m1"),
            (alice.session_key, "m2"),
            (bob.session_key, "m1"),
        }
        mine = used[alice.session_key, "m1"]
        assert (mine.day, mine.person, mine.rank) == (today, "page:alice", Rank.OWNER)
        assert mine.turns == 1
        assert mine.usage == Usage(
            input_tokens=40, output_tokens=4, model_calls=2, micro_usd=8, unpriced_tokens=2
        )
        his = used[bob.session_key, "m1"]
        assert (his.rank, his.turns) == (Rank.GUEST, 1)
        assert his.usage == Usage(
            input_tokens=40, output_tokens=4, model_calls=1, micro_usd=908, unpriced_tokens=1
        )
        both = await store.ledger.spending(today - timedelta(days=1))
        assert [one.usage.input_tokens for one in both if one.day < today] == [1_000]

    async def test_what_was_spent_stays_when_the_conversation_is_deleted(
        self, store: Store, clock: WatchedClock
    ) -> None:
        arrival = an_arrival("a secret")
        await opened(store, arrival)
        turn = await taken(store)
        await store.transcripts.append(turn, answer_of("m1", 10, 2))
        today = clock.now().astimezone().date()
        before = await store.ledger.spending(today)

        await store.turns.forget(arrival.inbound.conversation_key)

        assert await store.transcripts.read(turn.session_key) == []
        assert await store.ledger.spending(today) == before != []

    async def test_a_call_is_counted_whose_turn_is_over_and_its_transcript_is_left_alone(
        self, store: Store, clock: WatchedClock
    ) -> None:
        arrival = an_arrival("a secret")
        await opened(store, arrival)
        turn = await taken(store)
        await store.turns.forget(arrival.inbound.conversation_key)

        await store.transcripts.charge(turn, Unanswered(model="m1", usage=Usage(micro_usd=7)))

        (one,) = await store.ledger.spending(clock.now().astimezone().date())
        assert (one.usage, one.turns) == (Usage(micro_usd=7), 0)
        assert await store.transcripts.read(turn.session_key) == []

    async def test_words_that_come_with_the_end_of_a_turn_are_counted_with_it(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        ending = Ending(
            outcome=Outcome(kind=OutcomeKind.ANSWERED, text="so"), words=(answer_of("m1", 5, 2),)
        )
        await store.turns.finish(turn, ending, ())

        (one,) = await store.ledger.spending(clock.now().astimezone().date())
        assert one.usage.micro_usd == 4


def answer_of(model: str, read: int, wrote: int) -> AssistantMessage:
    """An answer that used so many tokens."""
    usage = Usage(input_tokens=read, output_tokens=wrote, micro_usd=2 * wrote, unpriced_tokens=1)
    return AssistantMessage(text="so", stop=StopReason.END, model=model, usage=usage)
