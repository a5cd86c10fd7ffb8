"""What any `Conversations` must keep, and `Turns.forget` with it."""

import asyncio
from dataclasses import replace

import pytest

from bot.contracts.admission import Handled
from bot.contracts.errors import LeaseLost
from bot.contracts.inbound import ConversationKey, EventClass
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.signals import StopAsked
from bot.contracts.store import Duplicate, Renewal, Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Outcome, OutcomeKind, Turn, TurnState
from tests.doubles.arrivals import A_FILE, NOON, a_delivery, an_arrival, an_inbound
from tests.store.outbox_contract import RECEIPT, leased
from tests.store.turns_contract import heard_in, opened, outcome_of, taken

FIRST = an_inbound("x").conversation_key
DELETED = Outcome(kind=OutcomeKind.INTERRUPTED, reason="deleted")


def thread(name: str) -> ConversationKey:
    return an_inbound("x", thread=name).conversation_key


async def answered_in(store: Store, text: str, answer: str, name: str | None = None) -> Turn:
    """Say *text* in a thread, and let *answer* arrive there."""
    key = f"agent:main:{name or 'main'}"
    await opened(store, an_arrival(text, thread=name, session=key))
    turn = await taken(store)
    await store.transcripts.append(turn, AssistantMessage(text=answer, stop=StopReason.END))
    done = Outcome(kind=OutcomeKind.ANSWERED, text=answer)
    await store.turns.finish(turn, Ending(outcome=done), [a_delivery(turn, answer)])
    await store.outbox.settle(await leased(store), RECEIPT)
    return turn


async def titles(store: Store) -> list[str]:
    return [one.title or one.opening for one in await store.conversations.latest(FIRST)]


async def found(store: Store, *words: str) -> list[str]:
    return [one.line.text for one in await store.conversations.search(FIRST, words)]


class ConversationsContract:
    """Subclass it, provide `store`, and all of this is checked."""

    async def test_where_nothing_was_said_nothing_is_listed(self, store: Store) -> None:
        assert await store.conversations.latest(FIRST) == []
        assert await store.conversations.get(FIRST) is None

    async def test_what_was_last_used_comes_first(self, store: Store) -> None:
        first = await opened(store, an_arrival("one"))
        await opened(store, an_arrival("two", thread="b"))
        await opened(store, an_arrival("three", thread="c"))
        await opened(store, an_arrival("four", thread="b"))
        await opened(store, an_arrival("elsewhere", conversation="bob"))
        assert await titles(store) == ["two", "three", "one"]
        assert len(await store.conversations.latest(FIRST, limit=2)) == 2
        listed = await store.conversations.get(FIRST)
        assert listed is not None
        assert (listed.key, listed.first_seq) == (FIRST, first.seq)
        assert (listed.title, listed.opening, listed.last_at) == (None, "one", NOON)

    async def test_a_button_begins_no_conversation(self, store: Store) -> None:
        pressed = an_inbound("/stop", event=EventClass.INTERACTION)
        await opened(store, an_arrival("/stop", inbound=pressed, admission=Handled(reason="stop")))
        assert await store.conversations.latest(FIRST) == []

    async def test_a_name_stays_until_it_is_taken_away(self, store: Store) -> None:
        await opened(store, an_arrival("x" * 500, thread="b"))
        assert await titles(store) == ["x" * 200]
        assert await store.conversations.rename(thread("b"), "The roof")
        await opened(store, an_arrival("more", thread="b"))
        assert await titles(store) == ["The roof"]
        assert await store.conversations.rename(thread("b"), None)
        assert await titles(store) == ["x" * 200]
        assert not await store.conversations.rename(thread("nowhere"), "The roof")

    async def test_a_search_finds_what_was_heard_and_said_newest_first(self, store: Store) -> None:
        await answered_in(store, "buy a Ladder", "It is bought.")
        await answered_in(store, "where?", "The ladder is in the shed.", "b")
        assert await found(store, "LADDER") == ["The ladder is in the shed.", "buy a Ladder"]
        assert await found(store, "ladder", "shed") == ["The ladder is in the shed."]
        assert await found(store, "ladder", "roof") == []
        assert await found(store, "adde") != []
        (one,) = await store.conversations.search(FIRST, ["shed"])
        assert one.conversation == thread("b")
        assert len(await store.conversations.search(FIRST, ["ladder"], limit=1)) == 1

    async def test_a_file_s_name_is_found_and_stands_for_words_that_are_missing(
        self, store: Store
    ) -> None:
        heard = replace(an_inbound("", source="s"), attachments=(A_FILE,))
        turn = await opened(store, an_arrival("", inbound=heard))
        here = heard.conversation_key

        (listed,) = await store.conversations.latest(here)
        assert listed.opening == "Sums.csv"
        found = await store.conversations.search(here, ["sums"])
        assert [one.line.seq for one in found] == [turn.seq]
        assert found[0].line.attachments == (A_FILE,)

        await store.turns.forget(here)
        assert await store.conversations.search(here, ["sums"]) == []
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert record.turn.arrival.inbound.attachments == ()

    async def test_a_search_knows_no_wildcards_and_all_alphabets(self, store: Store) -> None:
        await opened(store, an_arrival("100% 'sure' Äpfel 会议记录"))
        await opened(store, an_arrival("100 percent"))
        for words in ("100%", "'sure'", "äpfel", "会议"):
            assert await found(store, words) == ["100% 'sure' Äpfel 会议记录"]
        assert await found(store, "1_0") == []

    async def test_a_search_looks_in_its_own_place_and_at_lines_alone(self, store: Store) -> None:
        await opened(store, an_arrival("ladder", conversation="bob"))
        pressed = an_inbound("ladder", event=EventClass.INTERACTION)
        await opened(store, an_arrival("ladder", inbound=pressed, admission=Handled(reason="b")))
        turn = await answered_in(store, "hello", "here")
        await opened(store, an_arrival("next"))
        running = await taken(store)
        not_sent = a_delivery(running, "ladder")
        await store.turns.finish(
            running, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [not_sent]
        )
        assert turn.state is TurnState.RUNNING
        assert await found(store, "ladder") == []

    async def test_what_is_forgotten_is_gone_from_everywhere_people_look(
        self, store: Store
    ) -> None:
        kept = await answered_in(store, "keep this", "kept")
        gone = await answered_in(store, "the secret", "told", "b")
        assert await store.turns.forget(thread("b")) == []
        assert await store.ledger.after(thread("b"), 0) == []
        assert await titles(store) == ["keep this"]
        assert await found(store, "secret") == await found(store, "told") == []
        assert await store.transcripts.read(gone.session_key) == []
        record = await store.ledger.turn(gone.id)
        assert record is not None
        assert record.turn.arrival.inbound.text == ""
        assert record.outcome == Outcome(kind=OutcomeKind.ANSWERED, reason="deleted")
        assert record.deliveries == ()
        assert [line.text for line in await store.ledger.after(FIRST, 0)] == ["keep this", "kept"]
        assert await heard_in(store, kept.session_key) == ["keep this"]

    async def test_a_session_forgets_only_what_was_said_in_that_conversation(
        self, store: Store
    ) -> None:
        shared = "agent:main:shared"
        await opened(store, an_arrival("here", session=shared))
        await opened(store, an_arrival("there", session=shared, conversation="bob"))
        for _ in range(2):
            turn = await taken(store)
            await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.SILENT)), [])
        await store.turns.forget(FIRST)
        assert await heard_in(store, turn.session_key) == ["there"]

    async def test_a_message_that_comes_again_is_still_a_duplicate(self, store: Store) -> None:
        arrival = an_arrival("the secret", thread="b")
        first = await opened(store, arrival)
        await store.turns.forget(thread("b"))
        (again,) = await store.turns.open(arrival)
        assert isinstance(again, Duplicate)
        assert again.turn.id == first.id
        assert await store.ledger.after(thread("b"), 0) == []

    async def test_what_waits_and_runs_is_ended(self, store: Store) -> None:
        running = await opened(store, an_arrival("one", thread="b"))
        turn = await taken(store)
        waiting = await opened(store, an_arrival("two", thread="b"))
        other = await opened(store, an_arrival("three", conversation="bob"))
        assert await store.turns.forget(thread("b")) == [running.id, waiting.id]
        assert await outcome_of(store, running) == await outcome_of(store, waiting) == DELETED
        assert await outcome_of(store, other) is None
        assert await store.turns.renew(turn) is Renewal.LOST
        with pytest.raises(LeaseLost):
            await store.transcripts.append(turn, AssistantMessage(text="x", stop=StopReason.END))
        with pytest.raises(LeaseLost):
            await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [])
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert [one.reason for one in record.attempts] == ["deleted"]

    async def test_who_runs_it_is_told_as_of_a_stop(self, store: Store) -> None:
        await opened(store, an_arrival("one", thread="b"))
        turn = await taken(store)
        hint = asyncio.ensure_future(anext(store.turns.signals()))
        await asyncio.sleep(0)
        await store.turns.forget(thread("b"))
        assert await hint == StopAsked(turn_id=turn.id)

    async def test_a_delivery_on_its_way_is_no_longer_ours(self, store: Store) -> None:
        await opened(store, an_arrival("one", thread="b"))
        turn = await taken(store)
        parts = [a_delivery(turn, "yes", part=part) for part in range(2)]
        await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), parts)
        sending = await leased(store)
        await store.turns.forget(thread("b"))
        with pytest.raises(LeaseLost):
            await store.outbox.settle(sending, RECEIPT)
        assert await store.outbox.lease("page", "default") is None

    async def test_what_is_said_later_begins_it_anew(self, store: Store) -> None:
        before = await answered_in(store, "one", "first", "b")
        await store.conversations.rename(thread("b"), "The roof")
        await store.turns.forget(thread("b"))
        after = await answered_in(store, "two", "second", "b")
        listed = await store.conversations.get(thread("b"))
        assert listed is not None
        assert (listed.title, listed.opening, listed.first_seq) == (None, "two", after.seq)
        lines = await store.ledger.after(thread("b"), before.seq)
        assert [line.text for line in lines] == ["two", "second"]
        assert await heard_in(store, after.session_key) == ["two"]
