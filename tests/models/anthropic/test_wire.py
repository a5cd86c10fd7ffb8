import json
from dataclasses import replace

import pytest
from hypothesis import given

from bot.contracts.errors import ContextOverflow, ModelDisconnected
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
from bot.contracts.model import (
    Delta,
    ModelRequest,
    SystemPrompt,
    TextDelta,
    ThinkingDelta,
    ToolOffer,
)
from bot.contracts.turn import Usage
from bot.models.anthropic.wire import Encoder, EventReader
from bot.models.server import Server
from tests.doubles.fake_anthropic import FakeAnthropic
from tests.models.histories import histories

SERVER = Server(provider="Anthropic", model="model-1", base_url="http://127.0.0.1:1", keyed=True)
HEADERS = {
    "Authorization": f"Bearer {FakeAnthropic.key}",
    "Content-Type": "application/json",
    "anthropic-version": "2026-10-21",
}
CALLS = (
    ToolCall(id="c1", name="read_file", arguments='{"path": "a.md"}'),
    ToolCall(id="c2", name="time", arguments=""),
)
THOUGHTS = (Thinking(text="Hm.", signature="signed(3)"), Thinking(redacted="xyz"))
REQUEST = ModelRequest(
    system=SystemPrompt(stable="Be kind.", volatile="It is Monday."),
    messages=(
        UserMessage(text="read a.md"),
        UserMessage(text="quickly"),
        AssistantMessage(
            text="I look.",
            stop=StopReason.TOOL_USE,
            tool_calls=CALLS,
            thinking=THOUGHTS,
            model="model-1",
        ),
        ToolResult(call_id="c2", name="time", text="noon"),
        UserMessage(text="and hurry"),
        ToolResult(call_id="c1", name="read_file", text="no file", state=ResultState.ERROR),
    ),
    tools=(ToolOffer(name="read_file", description="Read.", schema={"type": "object"}),),
    max_output=100,
)


def encode(
    request: ModelRequest, server: Server = SERVER, *, max_output: int | None = None
) -> bytes:
    return Encoder(server, max_output=max_output)(request)


def read(*events: object) -> tuple[list[Delta], AssistantMessage]:
    reader = EventReader(SERVER)
    deltas = [delta for event in events for delta in reader.feed(event)]
    return deltas, reader.message()


def opening(index: int, **block: object) -> dict[str, object]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **delta: object) -> dict[str, object]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def ending(reason: str, **usage: int) -> tuple[dict[str, object], dict[str, object]]:
    delta = {"stop_reason": reason}
    return {"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}


def test_a_request_is_written_like_this() -> None:
    assert json.loads(encode(REQUEST, SERVER)) == {
        "model": "model-1",
        "max_tokens": 100,
        "stream": True,
        "cache_control": {"type": "ephemeral"},
        "system": [
            {"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "It is Monday."},
        ],
        "tools": [
            {"name": "read_file", "description": "Read.", "input_schema": {"type": "object"}}
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "read a.md"},
                    {"type": "text", "text": "quickly"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "signed(3)"},
                    {"type": "redacted_thinking", "data": "xyz"},
                    {"type": "text", "text": "I look."},
                    {
                        "type": "tool_use",
                        "id": "c1",
                        "name": "read_file",
                        "input": {"path": "a.md"},
                    },
                    {"type": "tool_use", "id": "c2", "name": "time", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": "no file",
                        "is_error": True,
                    },
                    {"type": "tool_result", "tool_use_id": "c2", "content": "noon"},
                    {"type": "text", "text": "and hurry"},
                ],
            },
        ],
    }


def test_another_models_thinking_is_not_given_back() -> None:
    assert b"thinking" not in encode(REQUEST, replace(SERVER, model="model-2"))


def test_an_empty_system_prompt_is_left_out() -> None:
    request = replace(REQUEST, system=SystemPrompt(stable=""))

    assert "system" not in json.loads(encode(request, SERVER))


def test_arguments_that_are_no_object_are_shown_in_one() -> None:
    call = ToolCall(id="c1", name="f", arguments='{"path": "a')
    message = AssistantMessage(text="", stop=StopReason.LENGTH, tool_calls=(call,))

    body = json.loads(encode(replace(REQUEST, messages=(UserMessage(text="a"), message)), SERVER))

    assert body["messages"][1]["content"][0]["input"] == {"not_an_object": '{"path": "a'}


@given(histories())
def test_whatever_the_history_the_request_is_legal(messages: tuple[Message, ...]) -> None:
    body = json.loads(encode(replace(REQUEST, messages=messages), SERVER))

    assert FakeAnthropic([]).complaint(HEADERS, body) is None


@given(histories(), histories())
def test_a_longer_history_begins_with_the_bytes_of_the_shorter(
    before: tuple[Message, ...], after: tuple[Message, ...]
) -> None:
    shorter = encode(replace(REQUEST, messages=before), SERVER)
    longer = encode(replace(REQUEST, messages=before + after), SERVER)

    assert longer.startswith(shorter.removesuffix(b"]}]}"))


def test_blocks_of_every_kind_are_put_together() -> None:
    deltas, message = read(
        {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}},
        {"type": "ping"},
        opening(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="H"),
        delta(0, type="thinking_delta", thinking="m."),
        delta(0, type="signature_delta", signature="abc"),
        opening(1, type="redacted_thinking", data="xyz"),
        opening(2, type="text", text="So"),
        delta(2, type="text_delta", text=" be it."),
        delta(2, type="citations_delta", citation={"cited_text": "x"}),
        opening(3, type="server_tool_use", id="s", name="web_search", input={}),
        delta(3, type="input_json_delta", partial_json='{"q":1}'),
        opening(4, type="tool_use", id="a", name="time", input={}),
        opening(5, type="tool_use", id="b", name="read_file", input={"path": "a.md"}),
        delta(9, type="text_delta", text="of no block"),
        {"type": "something_new", "index": 4},
        *ending("tool_use", output_tokens=9, cache_read_input_tokens=4),
    )

    assert deltas == [
        ThinkingDelta(text="H"),
        ThinkingDelta(text="m."),
        TextDelta(text="So"),
        TextDelta(text=" be it."),
    ]
    assert message == AssistantMessage(
        text="So be it.",
        stop=StopReason.TOOL_USE,
        tool_calls=(
            ToolCall(id="a", name="time", arguments="{}"),
            ToolCall(id="b", name="read_file", arguments='{"path":"a.md"}'),
        ),
        thinking=(Thinking(text="Hm.", signature="abc"), Thinking(redacted="xyz")),
        model="model-1",
        usage=Usage(input_tokens=7, output_tokens=9, cached_tokens=4),
    )


@pytest.mark.parametrize(
    ("said", "stop"),
    [
        ("end_turn", StopReason.END),
        ("stop_sequence", StopReason.END),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("pause_turn", StopReason.LENGTH),
        ("refusal", StopReason.REFUSAL),
    ],
)
def test_a_stop_reason(said: str, stop: StopReason) -> None:
    assert read(opening(0, type="text", text="So"), *ending(said))[1].stop is stop


def test_a_stop_with_calls_is_tool_use() -> None:
    _, message = read(opening(0, type="tool_use", id="a", name="f"), *ending("end_turn"))

    assert message.stop is StopReason.TOOL_USE


def test_no_room_for_a_single_word_is_an_overflow() -> None:
    with pytest.raises(ContextOverflow):
        read(*ending("model_context_window_exceeded"))


def test_a_stop_reason_without_the_end_is_a_fault() -> None:
    stop, _ = ending("end_turn")
    with pytest.raises(ModelDisconnected):
        read(opening(0, type="text", text="So"), stop)


@pytest.mark.parametrize(
    "event",
    [
        None,
        7,
        {},
        {"type": 7},
        {"type": "content_block_start", "content_block": 7},
        opening(0, type="tool_use", id="a", name="f", input=[1]),
    ],
)
def test_what_is_no_event_is_a_fault(event: object) -> None:
    with pytest.raises(ModelDisconnected):
        read(event, *ending("end_turn"))
