from dataclasses import replace
from datetime import UTC, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.context.fold import Fold
from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    ToolResult,
    UserMessage,
)
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Entry, Nudge, Received, Recorded
from bot.contracts.turn import Rank, TurnId
from tests.doubles.arrivals import an_inbound
from tests.doubles.scripted_model import calls, words
from tests.doubles.transcripts import MemoryTranscripts

ENTRIES = st.one_of(
    st.builds(lambda t: Received(inbound=an_inbound(t), rank=Rank.OWNER), st.text(min_size=1)),
    st.builds(words, st.text(max_size=5)),
    st.builds(
        lambda ids: calls(*(("look", {}, i) for i in ids)),
        st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True),
    ),
    st.builds(
        lambda i: ToolResult(call_id=i, name="look", text="seen"), st.sampled_from("abcdefg")
    ),
    st.builds(
        lambda i: CallStarted(call_id=i, name="look", effect=Effect.UNSAFE),
        st.sampled_from("abcdefg"),
    ),
    st.just(Nudge(text="go on")),
)


def recorded(*turns: list[Entry]) -> list[Recorded]:
    transcripts = MemoryTranscripts()
    for number, entries in enumerate(turns):
        transcripts.record(TurnId(f"turn{number}"), *entries)
    return transcripts.recorded


def folded(*turns: list[Entry], history: int = 100) -> tuple[Message, ...]:
    return Fold(UTC).messages(recorded(*turns), history=history)


@given(st.lists(st.lists(ENTRIES, max_size=8), max_size=6), st.integers(1, 10))
def test_whatever_the_record_holds_every_call_has_its_results_right_behind_it(
    turns: list[list[Entry]], history: int
) -> None:
    messages = list(folded(*turns, history=history))
    while messages:
        message = messages.pop(0)
        assert not isinstance(message, ToolResult)
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                result = messages.pop(0)
                assert isinstance(result, ToolResult)
                assert result.call_id == call.id


def test_what_was_said_carries_when_and_where() -> None:
    zone = timezone(timedelta(hours=8), "CST")
    said = recorded([Received(inbound=an_inbound("早上好"), rank=Rank.OWNER)])

    (message,) = Fold(zone).messages(said, history=100)

    assert message == UserMessage(text="[Sun 2026-03-01 20:00 CST, page] 早上好")


def test_a_call_left_open_by_an_earlier_turn_is_answered_with_what_is_known() -> None:
    asked = calls(("act", {}, "a"), ("act", {}, "b"))
    began = CallStarted(call_id="a", name="act", effect=Effect.UNSAFE)

    _, one, other = folded([asked, began])

    assert isinstance(one, ToolResult)
    assert isinstance(other, ToolResult)
    assert (one.state, other.state) == (ResultState.UNKNOWN, ResultState.KILLED)


def test_a_long_history_is_cut_in_strides_so_that_its_beginning_seldom_moves() -> None:
    turns: list[list[Entry]] = [[words(f"answer {n}")] for n in range(40)]

    firsts = {folded(*turns[:count], history=8)[0] for count in range(20, 28)}
    kept = len(folded(*turns, history=8))

    assert len(firsts) <= 5
    assert 8 <= kept < 8 + 2


@given(st.integers(1, 60), st.integers(1, 20))
def test_the_running_turn_is_always_kept(count: int, history: int) -> None:
    turns: list[list[Entry]] = [[words(f"answer {n}")] for n in range(count)]

    assert folded(*turns, history=history)[-1] == words(f"answer {count - 1}")


def test_a_turn_that_grows_only_adds_to_what_was_sent_before() -> None:
    asked = calls(("look", {}, "a"), ("look", {}, "b"))
    said = Received(inbound=an_inbound("hi"), rank=Rank.OWNER)
    late = ToolResult(call_id="b", name="look", text="two")
    early = ToolResult(call_id="a", name="look", text="one")

    before = folded([said, asked, late, early])
    after = folded([said, asked, late, early, words("done")])

    assert after[: len(before)] == before
    assert before[2:] == (early, late)


@given(st.lists(st.lists(ENTRIES, min_size=1, max_size=6), max_size=5), st.integers(1, 10))
def test_what_is_kept_of_past_turns_changes_nothing(turns: list[list[Entry]], history: int) -> None:
    whole, grown = recorded(*turns), Fold(UTC)
    for length in range(len(whole) + 1):
        fresh = Fold(UTC).messages(whole[:length], history=history)
        assert grown.messages(whole[:length], history=history) == fresh


def test_a_past_turn_gives_the_very_same_messages_again() -> None:
    fold = Fold(UTC)
    hello = Received(inbound=an_inbound("hello"), rank=Rank.OWNER)
    first, *_ = fold.messages(recorded([hello]), history=100)
    again, *_ = fold.messages(recorded([hello], [hello]), history=100)
    assert again is first


def test_what_is_kept_of_past_turns_has_a_measure_of_characters() -> None:
    fold = Fold(UTC)
    long = ToolResult(call_id="a", name="look", text="x" * 1_000_000)
    said = Received(inbound=an_inbound("hi"), rank=Rank.OWNER)
    turn: list[Entry] = [said, calls(("look", {}, "a")), long]
    turns = recorded(*[turn] * 12)
    each = [turns[at : at + 3] for at in range(0, len(turns), 3)]
    before = [fold.messages(turn, history=100) for turn in each]

    assert fold.messages(each[-1], history=100)[0] is before[-1][0]
    assert fold.messages(each[0], history=100)[0] is not before[0][0]
    assert fold.messages(each[0], history=100) == before[0]


class _Unread:
    """An entry that may be counted, by its turn, and must not be looked at."""

    def __init__(self, turn: int) -> None:
        self.turn_id = TurnId(f"old{turn}")

    @property
    def entry(self) -> Entry:
        raise AssertionError("it is before the cut")


def test_what_lies_before_the_cut_is_counted_and_not_read() -> None:
    old: list[Any] = [_Unread(number) for number in range(1_000)]
    turns: list[list[Entry]] = [[words(str(number))] for number in range(10)]

    messages = Fold(UTC).messages([*old, *recorded(*turns)], history=10)

    assert [message.text for message in messages] == [str(number) for number in range(10)]


def test_turns_that_were_taken_back_make_room_for_earlier_ones() -> None:
    said = [an_inbound(str(number)) for number in range(12)]
    anew = replace(said[11], edited_source=said[10].source)
    turns: list[list[Entry]] = [
        [Received(inbound=one, rank=Rank.OWNER)] for one in (*said[:11], anew)
    ]

    messages = folded(*turns, history=11)

    assert len(messages) == 11
    assert messages[0].text.endswith(" 0")
