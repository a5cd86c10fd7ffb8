import json

from hypothesis import given

from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.model import ModelRequest, SystemPrompt, ToolOffer
from bot.models.ollama.wire import encode
from bot.models.server import Server
from tests.doubles.fake_ollama import FakeOllama
from tests.models.histories import histories

SERVER = Server(provider="Ollama", model="qwen3:8b", base_url="http://127.0.0.1:1", keyed=True)
HEADERS = {"Authorization": f"Bearer {FakeOllama.key}", "Content-Type": "application/json"}
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


def test_a_request_is_written_like_this() -> None:
    assert json.loads(encode(REQUEST, SERVER, window=8192)) == {
        "model": "qwen3:8b",
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": 8192, "num_predict": 100},
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
                "content": "",
                "tool_calls": [
                    {"id": "c1", "function": {"name": "read_file", "arguments": {"path": "a.md"}}}
                ],
            },
            {
                "role": "tool",
                "tool_name": "read_file",
                "tool_call_id": "c1",
                "content": "Error: no file",
            },
        ],
    }


@given(histories())
def test_whatever_the_history_the_request_is_legal(history: tuple[Message, ...]) -> None:
    request = ModelRequest(system=REQUEST.system, messages=history, tools=REQUEST.tools)

    body = json.loads(encode(request, SERVER, window=8192))

    assert FakeOllama([]).complaint(HEADERS, body) is None


@given(histories())
def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter_one(
    history: tuple[Message, ...],
) -> None:
    said = UserMessage(text="and then?")
    shorter = ModelRequest(system=REQUEST.system, messages=(said,))
    longer = ModelRequest(system=REQUEST.system, messages=(said, *history))

    before = encode(shorter, SERVER, window=8192).removesuffix(b"]}")

    assert encode(longer, SERVER, window=8192).startswith(before)
