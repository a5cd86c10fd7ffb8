"""What any `Sessions` must keep."""

import asyncio
from dataclasses import replace

from bot.contracts.ledger import Session
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.store import Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Outcome, OutcomeKind, QueueMode, Usage
from tests.doubles.arrivals import an_arrival
from tests.doubles.watched_clock import WatchedClock
from tests.store.turns_contract import opened, taken


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
        session = a_session(clock, queue_mode=QueueMode.COLLECT)
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
            *(store.sessions.put(a_session(clock, queue_mode=mode), version=1) for mode in modes)
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
        session = a_session(clock, queue_mode=QueueMode.COLLECT)
        await store.sessions.put(session, version=0)
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        kept = await store.sessions.get(turn.session_key)
        assert kept is not None
        assert (kept.queue_mode, kept.usage) == (QueueMode.COLLECT, Usage(input_tokens=3))
