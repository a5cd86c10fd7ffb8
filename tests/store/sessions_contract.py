"""What any `Sessions` must keep."""

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.contracts.admission import Handled
from bot.contracts.chapters import BackTo, NewChapter
from bot.contracts.errors import LeaseLost
from bot.contracts.ledger import DeliveryQuery, Session, TurnQuery
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.store import Duplicate, Renewal, Store
from bot.contracts.transcript import Ending, Nudge, Received, Reset
from bot.contracts.turn import (
    Arrival,
    Outcome,
    OutcomeKind,
    QueueMode,
    SessionChange,
    SessionChoices,
    ThinkingLevel,
    Turn,
    TurnId,
    TurnState,
    Usage,
)
from tests.doubles.arrivals import a_delivery, a_payload, an_arrival, an_inbound
from tests.doubles.watched_clock import WatchedClock
from tests.store.turns_contract import opened, taken

COLLECT = SessionChoices(queue_mode=QueueMode.COLLECT)


def a_session(clock: WatchedClock, **changes: object) -> Session:
    session = Session(
        key=SessionKey("agent:main:alice"),
        agent_id=AgentId("main"),
        started_at=clock.now(),
        last_interaction_at=clock.now(),
        usage=Usage(input_tokens=3),
    )
    return replace(session, **changes)  # type: ignore[arg-type] # a test names real fields


class SessionsContract:
    """Subclass it, provide `store` and `clock`, and all of this is checked."""

    async def test_a_session_nobody_knows_is_none(self, store: Store) -> None:
        assert await store.sessions.get(SessionKey("agent:main:nobody")) is None

    async def test_what_was_chosen_comes_back(self, store: Store, clock: WatchedClock) -> None:
        session = a_session(clock, choices=COLLECT)
        assert await store.sessions.put(session, version=0)
        assert await store.sessions.get(session.key) == replace(session, version=1)

    async def test_only_what_was_read_is_replaced(self, store: Store, clock: WatchedClock) -> None:
        session = a_session(clock)
        assert not await store.sessions.put(session, version=1)
        assert await store.sessions.put(session, version=0)
        assert not await store.sessions.put(session, version=0)
        assert await store.sessions.put(session, version=1)
        assert not await store.sessions.put(session, version=1)

    async def test_of_two_choices_at_once_one_is_told_to_look_again(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await store.sessions.put(a_session(clock), version=0)
        modes = (QueueMode.COLLECT, QueueMode.FOLLOWUP)
        written = await asyncio.gather(
            *(
                store.sessions.put(
                    a_session(clock, choices=SessionChoices(queue_mode=mode)), version=1
                )
                for mode in modes
            )
        )
        assert sorted(written) == [False, True]

    async def test_a_choice_does_not_undo_what_a_turn_spent(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        read = await store.sessions.get(turn.session_key)
        assert read is not None
        outcome = Outcome(kind=OutcomeKind.ANSWERED, usage=Usage(output_tokens=5))
        await store.turns.finish(turn, Ending(outcome=outcome), [])
        assert not await store.sessions.put(read, version=read.version)
        spent = await store.sessions.get(turn.session_key)
        assert spent is not None
        assert spent.usage == Usage(output_tokens=5)
        del clock

    async def test_a_choice_read_before_a_turn_began_is_read_again(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await store.sessions.put(a_session(clock), version=0)
        await opened(store, an_arrival("hello"))
        clock.advance(60)
        await taken(store)
        assert not await store.sessions.put(a_session(clock), version=1)
        session = await store.sessions.get(SessionKey("agent:main:alice"))
        assert session is not None
        assert session.last_interaction_at == clock.now()

    async def test_a_turn_keeps_what_was_chosen(self, store: Store, clock: WatchedClock) -> None:
        session = a_session(clock, choices=COLLECT)
        await store.sessions.put(session, version=0)
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        kept = await store.sessions.get(turn.session_key)
        assert kept is not None
        assert (kept.choices, kept.usage) == (COLLECT, Usage(input_tokens=3))

    async def test_what_a_command_chose_is_there_once_it_is_claimed(self, store: Store) -> None:
        await opened(store, a_change("/queue collect", SessionChange(chosen=COLLECT)))
        assert await choices(store) == COLLECT

    async def test_two_commands_keep_what_both_chose(self, store: Store) -> None:
        thinks = SessionChoices(thinking=ThinkingLevel.HIGH)
        await store.turns.open(
            a_change("/queue collect", SessionChange(chosen=COLLECT)),
            a_change("/think high", SessionChange(chosen=thinks)),
        )
        assert await choices(store) == COLLECT.under(thinks)
        await opened(store, a_change("/queue default", SessionChange(dropped=("queue_mode",))))
        assert await choices(store) == thinks

    async def test_a_command_that_comes_again_changes_nothing(self, store: Store) -> None:
        command = a_change("/queue collect", SessionChange(chosen=COLLECT))
        await opened(store, command)
        await opened(store, a_change("/queue default", SessionChange(dropped=("queue_mode",))))
        (again,) = await store.turns.open(replace(command, turn_id=TurnId("again")))
        assert isinstance(again, Duplicate)
        assert await choices(store) == SessionChoices()

    async def test_a_turn_is_given_what_was_chosen_for_it_before_what_its_session_chose(
        self, store: Store
    ) -> None:
        both = SessionChoices(thinking=ThinkingLevel.HIGH, queue_mode=QueueMode.COLLECT)
        await opened(store, a_change("/think high", SessionChange(chosen=both)))
        directed = an_arrival("/think low why")
        low = SessionChoices(thinking=ThinkingLevel.LOW)
        await opened(store, replace(directed, directives=low, told="why"))
        turn = await taken(store)
        assert turn.choices == both.under(low)
        (received,) = await store.transcripts.recent(turn.chapter_key)
        assert isinstance(received.entry, Received)
        assert received.entry.inbound.text == "why"
        assert await choices(store) == both

    async def test_a_new_chapter_begins_with_nothing_in_mind(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        await opened(store, a_change("/new", ANEW))
        await opened(store, an_arrival("again"))
        second = await taken(store)
        assert await texts(store, second) == ["(reset from 0)", "again"]
        assert await texts(store, first) == ["hello"]

    async def test_what_was_before_can_be_gone_back_to(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        await opened(store, a_change("/new", ANEW))
        await opened(store, a_change("/resume", SessionChange(turns_to=BackTo(chapter=0))))
        await opened(store, an_arrival("again"))
        assert await texts(store, await taken(store)) == ["hello", "again"]

    async def test_a_chapter_that_is_not_there_is_not_gone_back_to(self, store: Store) -> None:
        await opened(store, a_change("/resume 7", SessionChange(turns_to=BackTo(chapter=7))))
        session = await store.sessions.get(ALICE)
        assert session is not None
        assert (session.chapter, session.chapters) == (0, 1)

    async def test_a_new_chapter_stops_what_runs_and_ends_what_waits(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        running = await taken(store)
        waiting = await opened(store, an_arrival("and this"))
        anew = a_change("/new", ANEW)
        await opened(store, replace(anew, replies=(a_payload("Anew."),)))
        assert await store.turns.renew(running) is Renewal.STOP_ASKED
        ended = await store.ledger.turn(waiting.id)
        assert ended is not None
        assert ended.outcome is not None
        assert ended.outcome.kind is OutcomeKind.INTERRUPTED
        told = await store.ledger.deliveries(DeliveryQuery(turn_id=anew.turn_id))
        assert [one.payload.fallback for one in told] == ["Anew."]

    async def test_what_a_turn_says_after_a_new_chapter_began_stays_in_its_own(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("hello"))
        running = await taken(store)
        await opened(store, a_change("/new", ANEW))
        await store.transcripts.append(running, Nudge(text="late"))
        words = (Nudge(text="last"),)
        await store.turns.finish(running, Ending(outcome=ANSWERED, words=words), [])
        await opened(store, an_arrival("again"))
        assert await texts(store, await taken(store)) == ["(reset from 0)", "again"]
        assert await texts(store, running) == ["hello", "late", "last"]
        entries = await store.ledger.entries(running.id)
        assert len(entries) == 3

    async def test_the_text_behind_new_is_the_first_of_its_chapter(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        running = await taken(store)
        dispatched = replace(an_arrival("/new and this"), change=ANEW, told="and this")
        await opened(store, dispatched)
        await store.turns.finish(running, Ending(outcome=ANSWERED), [])
        begun = await taken(store)
        assert begun.id == dispatched.turn_id
        assert await texts(store, begun) == ["(reset from 0)", "and this"]

    async def test_a_full_queue_does_not_keep_anybody_from_beginning_anew(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("hello"))
        await taken(store)
        for number in range(20):
            await opened(store, an_arrival(f"more {number}"))
        await opened(store, replace(an_arrival("/new go on"), change=ANEW, told="go on"))
        query = TurnQuery(session_key=ALICE, states=[TurnState.WAITING])
        assert len(await store.ledger.turns(query)) == 1

    async def test_what_is_spent_is_counted_in_every_chapter(
        self, store: Store, clock: WatchedClock
    ) -> None:
        for text in ("one", "two", "three"):
            await opened(store, an_arrival(text))
            turn = await taken(store)
            message = an_answer()
            await store.turns.finish(turn, Ending(outcome=ANSWERED, words=(message,)), [])
            await opened(store, a_change("/new", ANEW))
        session = await store.sessions.get(ALICE)
        assert session is not None
        assert session.chapters == 4
        (spent,) = await store.ledger.spending(clock.now().astimezone().date())
        assert (spent.model, spent.turns, spent.usage.output_tokens) == ("m", 3, 6)

    async def test_what_is_forgotten_is_forgotten_in_every_chapter(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        await opened(store, replace(an_arrival("/new again"), change=ANEW, told="again"))
        second = await taken(store)
        await store.turns.finish(second, Ending(outcome=ANSWERED), [])
        await store.turns.forget(first.arrival.inbound.conversation_key)
        assert await texts(store, first) == []
        assert await texts(store, second) == []

    async def test_a_session_that_was_quiet_for_long_begins_anew_and_says_so(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        clock.advance(8 * 24 * 3600)
        waking = replace(
            an_arrival("anybody?"),
            unused_since=clock.now() - timedelta(days=7),
            anew_notice=a_payload("Anew."),
        )
        await opened(store, waking)
        assert await texts(store, await taken(store)) == ["(reset from 0)", "anybody?"]
        said = await store.ledger.deliveries(DeliveryQuery(turn_id=waking.turn_id))
        assert [(one.id, one.payload.fallback) for one in said] == [
            (f"{waking.turn_id}!anew", "Anew.")
        ]

    async def test_one_that_was_used_lately_goes_on(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        clock.advance(6 * 24 * 3600)
        since = clock.now() - timedelta(days=7)
        await opened(store, replace(an_arrival("anybody?"), unused_since=since))
        assert await texts(store, await taken(store)) == ["hello", "anybody?"]

    async def test_two_messages_into_a_long_silence_begin_one_chapter(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        clock.advance(8 * 24 * 3600)
        since = clock.now() - timedelta(days=7)
        waking = [replace(an_arrival(text), unused_since=since) for text in ("one", "two")]
        await store.turns.open(*waking)
        session = await store.ledger.session(ALICE)
        assert session is not None
        assert session.chapters == 2

    async def test_chapters_are_listed_with_what_they_began_with(self, store: Store) -> None:
        for text in ("one", "two"):
            await opened(store, an_arrival(text))
            turn = await taken(store)
            await store.turns.finish(turn, Ending(outcome=ANSWERED), [])
            await opened(store, a_change("/new", ANEW))
        chapters = await store.ledger.chapters(ALICE)
        assert [(one.number, one.opening, one.entries) for one in chapters] == [
            (1, "two", 2),
            (0, "one", 1),
        ]
        assert await store.ledger.chapters(SessionKey("agent:main:nobody")) == []

    async def test_a_deleted_session_is_gone_with_its_chapters_lines_and_choices(
        self, store: Store
    ) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [a_delivery(first, "hi")])
        await opened(store, replace(an_arrival("/new again"), change=ANEW, told="again"))
        second = await taken(store)
        here = first.arrival.inbound.conversation_key
        assert await store.turns.forget_session(ALICE) == [second.id]
        assert await store.sessions.get(ALICE) is None
        assert await texts(store, first) == await texts(store, second) == []
        assert await store.ledger.after(here, 0) == []
        assert await store.ledger.deliveries(DeliveryQuery()) == []
        assert await store.conversations.get(here) is None
        with pytest.raises(LeaseLost):
            await store.turns.finish(second, Ending(outcome=ANSWERED), [])

    async def test_what_is_said_after_that_begins_the_session_anew(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        await store.turns.forget_session(ALICE)
        again = await store.turns.open(an_arrival("hello"))
        assert isinstance(again[0], Duplicate)
        await opened(store, an_arrival("anew"))
        assert await texts(store, await taken(store)) == ["anew"]
        listed = await store.conversations.get(first.arrival.inbound.conversation_key)
        assert listed is not None
        assert listed.opening == "anew"

    async def test_a_session_that_was_used_since_is_not_deleted(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        first = await taken(store)
        since = clock.now() + timedelta(seconds=1)
        assert await store.turns.forget_session(ALICE, unused_since=since) is None
        await store.turns.finish(first, Ending(outcome=ANSWERED), [])
        assert await store.turns.forget_session(ALICE, unused_since=clock.now()) is None
        assert await store.turns.forget_session(ALICE, unused_since=since) == []
        assert await store.turns.forget_session(ALICE) is None

    async def test_only_unused_sessions_are_listed_if_asked(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [])
        now = clock.now()
        later = now + timedelta(seconds=1)
        assert await store.ledger.sessions(unused_since=now) == []
        assert [one.key for one in await store.ledger.sessions(unused_since=later)] == [ALICE]


ALICE = SessionKey("agent:main:alice")
ANEW = SessionChange(turns_to=NewChapter(reason="asked"))
ANSWERED = Outcome(kind=OutcomeKind.ANSWERED)
_numbers = itertools.count()


def a_change(text: str, change: SessionChange) -> Arrival:
    """A command at the door; each is another message."""
    said = an_inbound(text, source=f"c:{next(_numbers)}")
    handled = Handled(reason="command")
    return replace(an_arrival(text, inbound=said, admission=handled), change=change)


def an_answer() -> AssistantMessage:
    return AssistantMessage(
        text="yes", model="m", usage=Usage(output_tokens=2), stop=StopReason.END
    )


async def choices(store: Store) -> SessionChoices:
    session = await store.sessions.get(ALICE)
    assert session is not None
    return session.choices


async def texts(store: Store, turn: Turn) -> list[str]:
    """What stands in the chapter of *turn*, from the disk and as it is kept, which is the same."""
    recent = await store.transcripts.recent(turn.chapter_key)
    assert list(recent) == list(await store.transcripts.read(turn.chapter_key))
    shown = []
    for one in recent:
        match one.entry:
            case Received(inbound=inbound):
                shown.append(inbound.text)
            case Nudge(text=text):
                shown.append(text)
            case Reset(before=before):
                shown.append(f"(reset from {before})")
            case _:
                pass
    return shown
