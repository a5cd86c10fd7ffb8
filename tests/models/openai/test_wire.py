import json
from dataclasses import replace

import pytest
from hypothesis import given

from bot.contracts.errors import ModelDisconnected
from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.model import Delta, ModelRequest, SystemPrompt, TextDelta, ToolOffer
from bot.contracts.turn import Usage
from bot.models.openai.wire import ChunkReader, Encoder
from bot.models.server import Server
from tests.doubles.fake_openai import FakeOpenAI
from tests.models.histories import histories

SERVER = Server(provider="OpenAI", model="model-1", base_url="http://127.0.0.1:1/v1", keyed=True)
HEADERS = {"Authorization": f"Bearer {FakeOpenAI.key}", "Content-Type": "application/json"}
REQUEST = ModelRequest(
    system=SystemPrompt(stable="Be kind.", volatile="It is Monday."),
    messages=(
        UserMessage(text="read a.md"),
        AssistantMessage(
            text="",
            stop=StopReason.TOOL_USE,
            tool_calls=(ToolCall(id="c1", name="read_file", arguments='{"path": "a.md"}'),),
        ),
        ToolResult(call_id="c1", name="read_file", text="no file", state=ResultState.ERROR),
    ),
    tools=(ToolOffer(name="read_file", description="Read.", schema={"type": "object"}),),
    max_output=100,
)


def encode(
    request: ModelRequest, server: Server = SERVER, *, max_output: int | None = None
) -> bytes:
    return Encoder(server, max_output=max_output)(request)


def read(*chunks: object) -> tuple[list[Delta], AssistantMessage]:
    reader = ChunkReader(SERVER)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
    return deltas, reader.message()


def delta(finish: str | None = None, **fields: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def piece(**fields: object) -> dict[str, object]:
    return delta(tool_calls=[fields])


STOP = delta("stop")


def test_a_request_is_written_like_this() -> None:
    assert json.loads(encode(REQUEST, SERVER)) == {
        "model": "model-1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read_file",
                    "description": "Read.",
                    "parameters": {"type": "object"},
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "Be kind.\n\nIt is Monday."},
            {"role": "user", "content": "read a.md"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": '{"path": "a.md"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Error: no file"},
        ],
    }


def test_a_request_without_tools_has_no_list_of_them() -> None:
    assert "tools" not in json.loads(encode(replace(REQUEST, tools=()), SERVER))


@pytest.mark.parametrize(
    ("base_url", "field"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("https://notopenai.com/v1", "max_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_the_server_knows(base_url: str, field: str) -> None:
    body = json.loads(encode(REQUEST, replace(SERVER, base_url=base_url), max_output=50))

    assert body[field] == 50
    assert ("max_tokens" in body) != ("max_completion_tokens" in body)


@given(histories())
def test_whatever_the_history_the_request_is_legal(messages: tuple[Message, ...]) -> None:
    body = json.loads(encode(replace(REQUEST, messages=messages), SERVER))

    assert FakeOpenAI([]).complaint(HEADERS, body) is None


@given(histories(), histories())
def test_a_longer_history_begins_with_the_bytes_of_the_shorter(
    before: tuple[Message, ...], after: tuple[Message, ...]
) -> None:
    shorter = encode(replace(REQUEST, messages=before), SERVER)
    longer = encode(replace(REQUEST, messages=before + after), SERVER)

    assert longer.startswith(shorter.removesuffix(b"]}"))


def test_no_character_is_escaped_that_need_not_be() -> None:
    raw = encode(replace(REQUEST, messages=(UserMessage(text="日本 é"),)), SERVER)

    assert "日本 é".encode() in raw


def test_content_may_be_a_list_of_parts_or_nothing() -> None:
    parts = [{"type": "text", "text": "Good "}, {"type": "image"}, {"type": "text", "text": "day"}]

    deltas, message = read(
        delta(role="assistant", content=None), delta(content=parts), {"choices": None}, STOP
    )

    assert deltas == [TextDelta(text="Good day")]
    assert message.text == "Good day"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_thinking(field: str) -> None:
    _, message = read(delta(**{field: "Hm."}), delta(content="Yes."), STOP)

    assert (message.thinking[0].text, message.text) == ("Hm.", "Yes.")


def test_a_refusal_is_said_and_called_one() -> None:
    deltas, message = read(delta(refusal="I will not."), STOP)

    assert deltas == [TextDelta(text="I will not.")]
    assert message.stop is StopReason.REFUSAL


def test_a_stop_with_calls_is_tool_use() -> None:
    _, message = read(piece(index=0, id="a", function={"name": "time", "arguments": "{}"}), STOP)

    assert message.stop is StopReason.TOOL_USE


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        pytest.param(
            [
                piece(index=0, id="a", function={"name": "f", "arguments": ""}),
                piece(index=1, id="b", function={"name": "g", "arguments": '{"y'}),
                piece(index=0, function={"arguments": '{"x":1}'}),
                piece(index=1, function={"arguments": '":2}'}),
            ],
            [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')],
            id="pieces of two calls take turns",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function={"name": "f", "arguments": '{"x":1}'}),
                piece(index=0, id="b", function={"name": "f", "arguments": '{"x":2}'}),
            ],
            [("a", "f", '{"x":1}'), ("b", "f", '{"x":2}')],
            id="every call is numbered 0",
        ),
        pytest.param(
            [
                piece(id="a", function={"name": "f", "arguments": '{"x"'}),
                piece(function={"arguments": ":1}"}),
                piece(id="b", function={"name": "f", "arguments": "{}"}),
            ],
            [("a", "f", '{"x":1}'), ("b", "f", "{}")],
            id="no call is numbered",
        ),
        pytest.param(
            [
                piece(function={"name": "f", "arguments": "{}"}),
                piece(function={"name": "g", "arguments": "{}"}),
            ],
            [("", "f", "{}"), ("", "g", "{}")],
            id="neither number nor id",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function={"name": "f", "arguments": '{"x"'}),
                piece(index=0, id="a", function={"name": "f", "arguments": ":1}"}),
            ],
            [("a", "f", '{"x":1}')],
            id="id and name are repeated in every piece",
        ),
        pytest.param(
            [piece(index=0, id="a", function={"name": "f", "arguments": {"x": 1}})],
            [("a", "f", '{"x":1}')],
            id="arguments are an object",
        ),
        pytest.param(
            [piece(index=0, id=None, function={"name": None, "arguments": None})],
            [("", "", "{}")],
            id="nothing but nulls",
        ),
        pytest.param([piece(index=0, id="a")], [("a", "", "{}")], id="no function"),
    ],
)
def test_calls_are_put_together(pieces: list[object], calls: list[tuple[str, str, str]]) -> None:
    _, message = read(*pieces, delta("tool_calls"))

    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == calls


def test_usage_may_be_missing_partial_or_null() -> None:
    assert read(STOP)[1].usage == Usage()
    usage = {"prompt_tokens": 5, "completion_tokens": None, "prompt_tokens_details": None}
    assert read(STOP, {"choices": [], "usage": usage})[1].usage == Usage(input_tokens=5)


def test_an_end_without_a_finish_reason_is_a_fault() -> None:
    with pytest.raises(ModelDisconnected, match="without a finish reason"):
        read(delta(content="Half"))


@pytest.mark.parametrize("chunk", [None, 7, [], {"choices": 7}, {"choices": [{"delta": []}]}])
def test_what_is_no_chunk_is_a_fault(chunk: object) -> None:
    with pytest.raises(ModelDisconnected):
        read(chunk, STOP)
