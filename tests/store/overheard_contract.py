"""What any `Turns` must keep of what was overheard, edited and deleted."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.contracts.admission import Drop, Handled, Observe
from bot.contracts.inbound import EventClass, Sender, Source
from bot.contracts.session import SessionKey
from bot.contracts.store import Duplicate, Store
from bot.contracts.transcript import Corrected, Ending, Entry, Observed, Received
from bot.contracts.turn import Arrival, Outcome, OutcomeKind, QueueMode, Rank, TurnState
from tests.doubles.arrivals import A_FILE, NOON, an_arrival, an_inbound
from tests.store.queueing_contract import ALICE, opened, running, said_by, state_of

ANSWERED = Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED))


def overheard(text: str, who: str = "bob", **changes: object) -> Arrival:
    return said_by(who, text, admission=Observe(reason="room:no-mention"), **changes)


def a_change(
    event: EventClass, of: str, text: str, *, who: str = "alice", rank: Rank = Rank.OWNER
) -> Arrival:
    """An edit or a deletion of the message whose text was *of*."""
    inbound = replace(
        an_inbound(text, source=f"{event}:{of}:{text}", event=event),
        sender=Sender(id=who),
        edited_source=Source(f"m:{of}"),
    )
    return an_arrival(text, inbound=inbound, rank=rank, admission=Handled(reason=f"event:{event}"))


async def told(store: Store, session_key: SessionKey = ALICE) -> list[Entry]:
    return [one.entry for one in await store.transcripts.read(session_key)]


def texts(entry: Entry) -> list[str]:
    assert isinstance(entry, Observed)
    return [one.text for one in entry.messages]


async def reason_of(store: Store, arrival: Arrival) -> str:
    return (await state_of(store, await opened(store, arrival)))[2]


class ObservedContract:
    """Told with the next message of its conversation, once, and never as anything else."""

    async def test_it_is_told_before_the_next_message_and_once(self, store: Store) -> None:
        await opened(store, overheard("lunch?"))
        await opened(store, overheard("at noon", who="carol"))
        await opened(store, said_by("alice", "bot, where?"))
        turn = await running(store)
        before, received = await told(store)
        assert texts(before) == ["lunch?", "at noon"]
        assert isinstance(received, Received)
        await store.turns.finish(turn, ANSWERED, [])
        await opened(store, said_by("alice", "bot, again?"))
        await running(store)
        assert [type(entry) for entry in (await told(store))[2:]] == [Received]

    async def test_what_came_during_the_run_is_told_next_time(self, store: Store) -> None:
        await opened(store, said_by("alice", "one"))
        turn = await running(store)
        await opened(store, overheard("meanwhile"))
        await store.turns.finish(turn, ANSWERED, [])
        await opened(store, said_by("alice", "two"))
        await opened(store, overheard("after two"))
        turn = await running(store)
        assert texts((await told(store))[1]) == ["meanwhile"]
        await store.turns.finish(turn, ANSWERED, [])
        await opened(store, said_by("alice", "three"))
        await running(store)
        assert texts((await told(store))[3]) == ["after two"]

    async def test_it_is_told_with_a_message_that_joins(self, store: Store) -> None:
        await opened(store, said_by("alice", "one"))
        turn = await running(store)
        await opened(store, overheard("meanwhile"))
        await opened(store, said_by("alice", "and this"))
        joined = [one.entry for one in await store.turns.absorb(turn, {QueueMode.STEER})]
        assert texts(joined[0]) == ["meanwhile"]
        assert isinstance(joined[1], Received)

    async def test_other_conversations_and_threads_are_not_told(self, store: Store) -> None:
        await opened(store, overheard("here"))
        there = an_inbound("there", thread="7")
        await opened(store, an_arrival("there", inbound=there, session=ALICE))
        await running(store)
        assert [type(entry) for entry in await told(store)] == [Received]

    async def test_the_latest_fifty_are_told_and_the_rest_counted(self, store: Store) -> None:
        for n in range(60):
            await opened(store, overheard(f"{n}"))
        await opened(store, said_by("alice", "what?"))
        await running(store)
        (before, _) = await told(store)
        assert isinstance(before, Observed)
        assert texts(before) == [f"{n}" for n in range(10, 60)]
        assert before.left_out == 10

    async def test_together_they_are_no_longer_than_there_is_room_for(self, store: Store) -> None:
        for n in range(40):
            await opened(store, overheard(f"{n} " + "x" * 5_000))
        await opened(store, said_by("alice", "what?"))
        await running(store)
        (before, _) = await told(store)
        assert sum(map(len, texts(before))) <= 12_000
        assert texts(before)[-1].startswith("39 ")
        assert all(len(text) <= 1_000 for text in texts(before))

    async def test_files_are_told_by_name(self, store: Store) -> None:
        inbound = replace(an_inbound("look"), attachments=(A_FILE,), sender=Sender(id="bob"))
        await opened(
            store, an_arrival("look", inbound=inbound, admission=Observe(reason="room:quiet"))
        )
        await opened(store, said_by("alice", "what?"))
        await running(store)
        (before, _) = await told(store)
        assert isinstance(before, Observed)
        assert before.messages[0].files == ("Sums.csv",)

    async def test_too_old_words_are_forgotten(self, store: Store) -> None:
        old = replace(overheard("old"), received_at=NOON - timedelta(days=15))
        first = await opened(store, old)
        await opened(store, overheard("young"))
        assert await store.turns.forget_observed(NOON - timedelta(days=14)) == 1
        assert await store.turns.forget_observed(NOON - timedelta(days=14)) == 0
        record = await store.ledger.turn(first.id)
        assert record is not None
        assert record.turn.arrival.inbound.text == ""
        await opened(store, said_by("alice", "what?"))
        await running(store)
        assert texts((await told(store))[0]) == ["young"]

    async def test_words_that_were_told_are_forgotten_in_their_row_too(self, store: Store) -> None:
        old = replace(overheard("old"), received_at=NOON - timedelta(days=15))
        first = await opened(store, old)
        await opened(store, said_by("alice", "what?"))
        await running(store)
        assert await store.turns.forget_observed(NOON) == 1
        record = await store.ledger.turn(first.id)
        assert record is not None
        assert record.turn.arrival.inbound.text == ""

    async def test_it_is_deleted_with_its_conversation(self, store: Store) -> None:
        await opened(store, overheard("secret"))
        await store.turns.forget(an_inbound("x").conversation_key)
        await opened(store, said_by("alice", "what?"))
        await running(store)
        assert [type(entry) for entry in await told(store)] == [Received]


class EditContract:
    """An edit or a deletion does what can still be done, for who wrote the message."""

    async def test_an_edit_replaces_what_waits(self, store: Store) -> None:
        await opened(store, said_by("alice", "helo"))
        assert await reason_of(store, a_change(EventClass.EDIT, "helo", "hello")) == "edit:replaced"
        assert (await running(store)).arrival.inbound.text == "hello"

    async def test_an_edit_of_what_runs_is_absorbed_as_a_correction(self, store: Store) -> None:
        await opened(store, said_by("alice", "at three"))
        turn = await running(store)
        edit = a_change(EventClass.EDIT, "at three", "at four")
        assert await reason_of(store, edit) == "edit:correction"
        (recorded,) = await store.turns.absorb(turn, {QueueMode.STEER})
        assert isinstance(recorded.entry, Corrected)
        assert (recorded.entry.was, recorded.entry.now.text) == ("at three", "at four")
        assert await store.turns.absorb(turn, {QueueMode.STEER}) == []

    async def test_an_edit_of_what_joined_is_a_correction_to_its_host(self, store: Store) -> None:
        await opened(store, said_by("alice", "one"))
        turn = await running(store)
        await opened(store, said_by("alice", "two"))
        await store.turns.absorb(turn, {QueueMode.STEER})
        await opened(store, a_change(EventClass.EDIT, "two", "2"))
        (recorded,) = await store.turns.absorb(turn, {QueueMode.STEER})
        assert isinstance(recorded.entry, Corrected)

    async def test_an_edit_after_the_answer_is_told_with_the_next_message(
        self, store: Store
    ) -> None:
        await opened(store, said_by("alice", "at three"))
        await store.turns.finish(await running(store), ANSWERED, [])
        edit = a_change(EventClass.EDIT, "at three", "at four")
        assert await reason_of(store, edit) == "edit:recorded"
        assert await store.turns.take("worker", ("people",)) is None  # type: ignore[arg-type] # a name
        await opened(store, said_by("alice", "so?"))
        await running(store)
        assert isinstance((await told(store))[1], Corrected)

    async def test_a_guests_edit_never_reaches_a_turn_of_higher_rank(self, store: Store) -> None:
        await opened(store, said_by("gus", "one", rank=Rank.OWNER))
        turn = await running(store)
        await opened(store, a_change(EventClass.EDIT, "one", "rm -rf", who="gus", rank=Rank.GUEST))
        assert await store.turns.absorb(turn, set(QueueMode)) == []

    @pytest.mark.parametrize("event", [EventClass.EDIT, EventClass.DELETION])
    async def test_nobody_changes_what_others_wrote(self, store: Store, event: EventClass) -> None:
        turn = await opened(store, said_by("alice", "mine"))
        change = a_change(event, "mine", "yours", who="bob", rank=Rank.MEMBER)
        assert await reason_of(store, change) == f"{event}:not-theirs"
        assert (await state_of(store, turn))[0] is TurnState.WAITING
        assert (await running(store)).arrival.inbound.text == "mine"

    async def test_an_admin_edits_nobodys_message_and_may_delete_it(self, store: Store) -> None:
        await opened(store, said_by("alice", "mine"))
        edit = a_change(EventClass.EDIT, "mine", "yours", who="bob", rank=Rank.OWNER)
        deletion = a_change(EventClass.DELETION, "mine", "", who="bob", rank=Rank.ADMIN)
        assert await reason_of(store, edit) == "edit:not-theirs"
        assert await reason_of(store, deletion) == "deletion:cancelled"

    async def test_a_deletion_cancels_what_has_not_started(self, store: Store) -> None:
        turn = await opened(store, said_by("alice", "oops"))
        assert (
            await reason_of(store, a_change(EventClass.DELETION, "oops", ""))
            == "deletion:cancelled"
        )
        assert await state_of(store, turn) == (
            TurnState.FINISHED,
            OutcomeKind.INTERRUPTED,
            "deleted",
        )

    async def test_a_deletion_leaves_what_runs(self, store: Store) -> None:
        turn = await opened(store, said_by("alice", "oops"))
        await running(store)
        change = a_change(EventClass.DELETION, "oops", "")
        assert await reason_of(store, change) == "deletion:recorded"
        assert (await state_of(store, turn))[0] is TurnState.RUNNING

    async def test_what_was_overheard_can_be_edited_and_taken_back(self, store: Store) -> None:
        await opened(store, overheard("tpyo"))
        await opened(store, overheard("secret"))
        edit = a_change(EventClass.EDIT, "tpyo", "typo", who="bob")
        deletion = a_change(EventClass.DELETION, "secret", "", who="bob")
        assert await reason_of(store, edit) == "edit:replaced"
        assert await reason_of(store, deletion) == "deletion:forgotten"
        await opened(store, said_by("alice", "what?"))
        await running(store)
        assert texts((await told(store))[0]) == ["typo"]

    @pytest.mark.parametrize("event", [EventClass.EDIT, EventClass.DELETION])
    async def test_a_change_of_what_was_never_seen_is_recorded_and_nothing_else(
        self, store: Store, event: EventClass
    ) -> None:
        assert await reason_of(store, a_change(event, "never", "x")) == f"{event}:unknown"

    async def test_an_edit_that_changes_nothing_says_nothing(self, store: Store) -> None:
        """A platform reports one whenever it adds a preview of a link."""
        await opened(store, said_by("alice", "http://a.test"))
        await running(store)
        change = a_change(EventClass.EDIT, "http://a.test", "http://a.test")
        assert await reason_of(store, change) == "edit:same"

    async def test_an_edit_of_a_dropped_message_is_told_to_nobody(self, store: Store) -> None:
        await opened(store, said_by("alice", "psst", admission=Drop(reason="room:not-listed")))
        await opened(store, a_change(EventClass.EDIT, "psst", "psst!"))
        await opened(store, said_by("alice", "hello"))
        await running(store)
        assert [type(entry) for entry in await told(store)] == [Received]

    async def test_a_redelivered_edit_changes_nothing_twice(self, store: Store) -> None:
        await opened(store, said_by("alice", "v1"))
        first = a_change(EventClass.EDIT, "v1", "v2")
        await opened(store, first)
        await opened(store, a_change(EventClass.EDIT, "v1", "v3"))
        again = replace(first, turn_id=a_change(EventClass.EDIT, "v1", "v2").turn_id)
        (result,) = await store.turns.open(again)
        assert isinstance(result, Duplicate)
        assert (await running(store)).arrival.inbound.text == "v3"


class OverheardContract(ObservedContract, EditContract):
    """All of it."""
