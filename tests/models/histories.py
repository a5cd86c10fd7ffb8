"""Histories as hypothesis makes them up: legal for us, and as odd as a transcript can be."""

from hypothesis import strategies as st

from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)

_TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "\n", "hello", "名前", 'a "quoted" \\ word', "lone \ud800 surrogate"]
    ),
    st.text(max_size=12),
)
_ARGUMENTS = st.one_of(
    st.sampled_from(
        ["", " ", "{}", '{"path": "a.md"}', '{"path": "a', "[1]", "null", '"text"', "NaN",
         '{"n": NaN}', '{"a": "\\ud800"}', "{" * 5000, '{"a":' * 5000]
    ),
    st.text(max_size=8),
)  # fmt: skip
_NAMES = st.sampled_from(["read_file", "", "functions.read_file:0", "名前", "a" * 200])
_THOUGHTS = st.sampled_from(
    [(), (Thinking(text="Hm."),), (Thinking(text="Hm.", signature="signed(3)"),),
     (Thinking(redacted="xyz"),)]
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> tuple[Message, ...]:
    """Draw a history: results may be missing, doubled, late, out of order or without a call."""
    messages: list[Message] = [UserMessage(text=draw(_TEXTS))]
    ids: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        match draw(st.sampled_from(["user", "assistant", "result", "result"])):
            case "user":
                messages.append(UserMessage(text=draw(_TEXTS)))
            case "assistant":
                message = _assistant(draw, len(ids))
                ids += [call.id for call in message.tool_calls]
                messages.append(message)
            case _:
                call_id = draw(st.sampled_from([*ids, "call-of-nobody"]))
                state = draw(st.sampled_from(ResultState))
                text = draw(_TEXTS)
                messages.append(ToolResult(call_id=call_id, name="x", text=text, state=state))
    messages.append(UserMessage(text=draw(_TEXTS)))
    return tuple(messages)


def _assistant(draw: st.DrawFn, first: int) -> AssistantMessage:
    calls = tuple(
        ToolCall(id=f"call{first + at}", name=draw(_NAMES), arguments=draw(_ARGUMENTS))
        for at in range(draw(st.integers(0, 3)))
    )
    return AssistantMessage(
        text=draw(_TEXTS),
        stop=StopReason.TOOL_USE if calls else StopReason.END,
        tool_calls=calls,
        thinking=draw(_THOUGHTS),
        model=draw(st.sampled_from(["model-1", "another"])),
    )
