"""What any `Transcripts` must keep."""

import pytest

from bot.contracts.errors import LeaseLost
from bot.contracts.messages import AssistantMessage, StopReason, Thinking, ToolCall, ToolResult
from bot.contracts.session import SessionKey
from bot.contracts.store import Store
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Ending, Nudge, Received
from tests.doubles.arrivals import an_arrival
from tests.doubles.watched_clock import WatchedClock
from tests.store.turns_contract import ANSWERED, opened, taken

CALL = ToolCall(id="c1", name="read_file", arguments='{"path": "a\\u00e9"}')
ASKED = AssistantMessage(
    text="let me look",
    stop=StopReason.TOOL_USE,
    tool_calls=(CALL,),
    thinking=(Thinking(text="hm", signature="c2ln"),),
    model="demo",
)
STARTED = CallStarted(call_id="c1", name="read_file", effect=Effect.PURE)
DONE = ToolResult(call_id="c1", name="read_file", text="three things")


class TranscriptsContract:
    """Subclass it, provide `store` and `clock`, and all of this is checked."""

    async def test_entries_come_back_in_order_as_they_were(
        self, store: Store, clock: WatchedClock
    ) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        clock.advance(1)
        first = await store.transcripts.append(turn, ASKED, STARTED)
        second = await store.transcripts.append(turn, DONE, Nudge(text="and?"))
        assert [one.entry for one in first] == [ASKED, STARTED]
        read = await store.transcripts.read(turn.session_key)
        assert [one.seq for one in read] == [1, 2, 3, 4, 5]
        assert list(read[1:]) == [*first, *second]
        assert {(one.turn_id, one.attempt, one.at) for one in read[1:]} == {
            (turn.id, 1, clock.now())
        }

    async def test_reading_goes_on_after_a_place(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        appended = await store.transcripts.append(turn, ASKED, DONE)
        assert list(await store.transcripts.read(turn.session_key, after=1)) == list(appended)
        assert await store.transcripts.read(turn.session_key, after=3) == []

    async def test_each_session_has_a_count_of_its_own(self, store: Store) -> None:
        await store.turns.open(an_arrival("one"), an_arrival("two", conversation="bob"))
        alice, bob = await taken(store), await taken(store)
        await store.transcripts.append(alice, ASKED)
        (recorded,) = await store.transcripts.append(bob, ASKED)
        assert recorded.seq == 2
        assert len(await store.transcripts.read(bob.session_key)) == 2

    async def test_a_session_nobody_knows_is_empty(self, store: Store) -> None:
        assert await store.transcripts.read(SessionKey("agent:main:nobody")) == []

    async def test_what_is_recent_is_everything_while_that_is_little(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        await store.transcripts.append(turn, ASKED, DONE)
        everything = await store.transcripts.read(turn.session_key)
        assert list(await store.transcripts.recent(turn.session_key)) == list(everything)

    async def test_what_is_recent_is_whole_turns_and_begins_where_it_did(
        self, store: Store
    ) -> None:
        beginnings: list[int] = []
        for number in range(8):
            await opened(store, an_arrival(f"{number}"))
            turn = await taken(store)
            await store.transcripts.append(turn, *[Nudge(text="on")] * 899)
            await store.turns.finish(turn, Ending(outcome=ANSWERED), [])
            recent = await store.transcripts.recent(turn.session_key)
            assert min(4_000, 900 * (number + 1)) - 900 <= len(recent) <= 5_000
            assert isinstance(recent[0].entry, Received)
            assert recent[-1].seq == 900 * (number + 1)
            beginnings.append(recent[0].seq)
        assert beginnings == [1, 1, 1, 1, 1, 1801, 2701, 3601]

    async def test_a_finished_turn_says_no_more(self, store: Store) -> None:
        await opened(store, an_arrival("hello"))
        turn = await taken(store)
        await store.turns.finish(turn, Ending(outcome=ANSWERED), [])
        with pytest.raises(LeaseLost):
            await store.transcripts.append(turn, ASKED)
        assert len(await store.transcripts.read(turn.session_key)) == 1

    async def test_a_turn_that_was_never_taken_says_nothing(self, store: Store) -> None:
        turn = await opened(store, an_arrival("hello"))
        with pytest.raises(LeaseLost):
            await store.transcripts.append(turn, ASKED)
