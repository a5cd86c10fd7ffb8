from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.messages import AssistantMessage, StopReason, Thinking, ToolCall
from bot.contracts.model import TextDelta, ThinkingDelta
from bot.models.halves import Halves, whole_message

ANY = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00x"))


def heard(*pieces: str) -> str:
    halves = Halves()
    return "".join(halves.joined(TextDelta(text=piece)).text for piece in pieces)


def test_a_character_over_two_pieces_is_one() -> None:
    assert heard("so \ud83d", "\ude00 it is") == "so 😀 it is"
    assert heard("so \ud83d", "", "\ude00 it is") == "so 😀 it is"


def test_a_half_that_stays_alone_is_replaced() -> None:
    assert heard("half \ud83d", " of it") == "half \ufffd of it"
    assert heard("\ude00 of it") == "\ufffd of it"
    assert heard("\ud83d", "\ud83d", "\ude00") == "\ufffd😀"


def test_words_and_reasoning_do_not_share_a_character() -> None:
    halves = Halves()
    halves.joined(ThinkingDelta(text="\ud83d"))

    assert halves.joined(TextDelta(text="\ude00")) == TextDelta(text="\ufffd")
    assert halves.joined(ThinkingDelta(text="\ude00")) == ThinkingDelta(text="😀")


def test_a_message_is_whole_in_every_part() -> None:
    message = AssistantMessage(
        text="\ud83d\ude00 \ud83d",
        stop=StopReason.TOOL_USE,
        tool_calls=(ToolCall(id="\ud83d", name="read\ud83d", arguments='{"a": "\ude00"}'),),
        thinking=(Thinking(text="\ud83d\ude00"),),
    )

    assert whole_message(message) == AssistantMessage(
        text="😀 \ufffd",
        stop=StopReason.TOOL_USE,
        tool_calls=(ToolCall(id="\ufffd", name="read\ufffd", arguments='{"a": "\ufffd"}'),),
        thinking=(Thinking(text="😀"),),
    )


@given(st.lists(ANY))
def test_any_pieces_can_be_written_and_are_what_the_whole_is(pieces: list[str]) -> None:
    live = heard(*pieces)
    message = whole_message(AssistantMessage(text="".join(pieces), stop=StopReason.END))

    assert live.encode().decode() == live
    assert message.text in (live, f"{live}\ufffd")
