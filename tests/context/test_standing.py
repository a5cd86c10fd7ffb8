from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.context.standing import standing
from bot.contracts.inbound import Source
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Entry, Nudge, Received, Recorded
from bot.contracts.turn import Rank, TurnId
from tests.doubles.arrivals import an_inbound
from tests.doubles.scripted_model import words
from tests.doubles.transcripts import MemoryTranscripts


def heard(text: str, *, instead_of: str | None = None, conversation: str = "alice") -> Received:
    inbound = an_inbound(text, conversation=conversation)
    edited = None if instead_of is None else Source(f"m:{instead_of}")
    return Received(inbound=replace(inbound, edited_source=edited), rank=Rank.OWNER)


def record(*said: tuple[str, Entry]) -> list[Recorded]:
    transcripts = MemoryTranscripts()
    for turn, entry in said:
        transcripts.record(TurnId(turn), entry)
    return transcripts.recorded


def texts(recorded: list[Recorded]) -> list[str]:
    return [
        one.entry.inbound.text
        if isinstance(one.entry, Received)
        else getattr(one.entry, "text", "")
        for one in standing(recorded)
    ]


def test_a_message_said_anew_takes_the_place_of_its_exchange() -> None:
    recorded = record(
        ("1", heard("hello")),
        ("1", words("hi")),
        ("2", heard("what is 2+3")),
        ("2", words("5")),
        ("3", heard("what is 2+4", instead_of="what is 2+3")),
        ("3", words("6")),
    )

    assert texts(recorded) == ["hello", "hi", "what is 2+4", "6"]


def test_each_one_of_a_chain_is_taken_back() -> None:
    recorded = record(
        ("1", heard("one")),
        ("1", words("a")),
        ("2", heard("two", instead_of="one")),
        ("2", words("b")),
        ("3", heard("three", instead_of="two")),
    )

    assert texts(recorded) == ["three"]


def test_what_stood_before_it_in_the_same_turn_stays() -> None:
    recorded = record(
        ("1", heard("one")),
        ("1", words("a")),
        ("1", heard("and two")),
        ("1", words("b")),
        ("2", heard("and three", instead_of="and two")),
    )

    assert texts(recorded) == ["one", "a", "and three"]


def test_a_correction_that_joined_the_running_turn_is_what_it_goes_on_from() -> None:
    recorded = record(
        ("1", heard("one")),
        ("1", CallStarted(call_id="c", name="look", effect=Effect.PURE)),
        ("1", heard("two", instead_of="one")),
        ("1", words("b")),
    )

    assert texts(recorded) == ["two", "b"]


def test_other_turns_and_other_conversations_stay() -> None:
    recorded = record(
        ("1", heard("one")),
        ("2", heard("between", conversation="bob")),
        ("3", heard("two", instead_of="one", conversation="bob")),
        ("4", heard("three", instead_of="nothing that was said")),
    )

    assert texts(recorded) == ["one", "between", "two", "three"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("1234"),
            st.one_of(
                st.builds(
                    lambda text, instead: heard(text, instead_of=instead),
                    st.sampled_from("abc"),
                    st.none() | st.sampled_from("abc"),
                ),
                st.just(Nudge(text="go on")),
            ),
        ),
        max_size=12,
    )
)
def test_whatever_is_recorded_the_order_is_kept_and_the_last_message_stands(
    said: list[tuple[str, Entry]],
) -> None:
    recorded = record(*said)

    kept = standing(recorded)

    assert list(kept) == [one for one in recorded if one in kept]
    messages = [one for one in recorded if isinstance(one.entry, Received)]
    assert messages[-1:] == [one for one in kept if isinstance(one.entry, Received)][-1:]
