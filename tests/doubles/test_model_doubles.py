"""Are the doubles what they stand for? Their own SDKs say so, driven as their makers meant it."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from multidict import CIMultiDict

from bot.contracts.model import ModelParts
from bot.contracts.secret import Secret
from bot.models import open_model
from tests.doubles.fake_anthropic import FakeAnthropic
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call, ModelServer, Said
from tests.doubles.stubborn import SCRIPTS, meeting
from tests.models.rig import HELLO, StillClock

ROOT = Path(__file__).parents[2]
MEETING = (ROOT / "workspace-template/notes/meeting.md").read_text("utf-8")
LOOK = Answer(text="I look.", calls=(Call(name="read_file", arguments='{"path": "a.md"}'),))
Body = dict[str, Any]


def openai_body(*messages: Body, **more: object) -> Body:
    return {"model": "m", "stream": True, "messages": list(messages), **more}


def anthropic_body(*messages: Body, **more: object) -> Body:
    return {"model": "m", "max_tokens": 9, "stream": True, "messages": list(messages), **more}


USER: Body = {"role": "user", "content": "hi"}
OPENAI_CALL: Body = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
OPENAI_RESULT: Body = {"role": "tool", "tool_call_id": "a", "content": "done"}
TOOL_USE: Body = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
ANTHROPIC_CALL: Body = {"role": "assistant", "content": [TOOL_USE]}
RESULT: Body = {"type": "tool_result", "tool_use_id": "a", "content": "done"}
ANTHROPIC_RESULT: Body = {"role": "user", "content": [RESULT]}


@asynccontextmanager
async def openai_client(server: ModelServer) -> AsyncIterator[openai.AsyncOpenAI]:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    async with openai.AsyncOpenAI(
        api_key=server.key, base_url=server.base_url, http_client=http
    ) as client:
        yield client


@asynccontextmanager
async def anthropic_client(server: ModelServer) -> AsyncIterator[anthropic.AsyncAnthropic]:
    http = anthropic.DefaultAsyncHttpxClient(trust_env=False)
    async with anthropic.AsyncAnthropic(
        api_key=server.key, base_url=server.base_url, http_client=http
    ) as client:
        yield client


async def test_openais_own_streaming_understands_the_double() -> None:
    async with (
        FakeOpenAI([LOOK]) as server,
        openai_client(server) as client,
        client.chat.completions.stream(
            model="m",
            messages=[{"role": "user", "content": "read a.md"}],
            stream_options={"include_usage": True},
        ) as stream,
    ):
        kinds = [event.type async for event in stream]
        whole = await stream.get_final_completion()

    message = whole.choices[0].message
    assert "content.delta" in kinds
    assert message.content == "I look."
    assert message.tool_calls is not None
    assert message.tool_calls[0].function.name == "read_file"
    assert message.tool_calls[0].function.arguments == '{"path": "a.md"}'
    assert whole.choices[0].finish_reason == "tool_calls"
    assert whole.usage is not None
    assert whole.usage.total_tokens == 18


async def test_anthropics_own_streaming_understands_the_double() -> None:
    answer = Answer(text=LOOK.text, calls=LOOK.calls, thinking="Hm.")
    async with (
        FakeAnthropic([answer]) as server,
        anthropic_client(server) as client,
        client.messages.stream(
            model="m", max_tokens=99, messages=[{"role": "user", "content": "read a.md"}]
        ) as stream,
    ):
        words = [text async for text in stream.text_stream]
        whole = await stream.get_final_message()

    thought, text, call = whole.content
    assert "".join(words) == "I look."
    assert thought.type == "thinking"
    assert thought.signature
    assert text.type == "text"
    assert call.type == "tool_use"
    assert call.input == {"path": "a.md"}
    assert whole.stop_reason == "tool_use"
    assert whole.usage.output_tokens == 7


@pytest.mark.parametrize(
    ("provider", "double", "body", "names"),
    [
        ("openai", FakeOpenAI, openai_body(USER), ("Authorization", "Content-Type")),
        (
            "anthropic",
            FakeAnthropic,
            anthropic_body(USER),
            ("Authorization", "Anthropic-Version", "Content-Type"),
        ),
    ],
)
async def test_our_requests_go_where_the_sdks_do_with_the_same_headers(
    provider: str, double: type[ModelServer], body: Body, names: tuple[str, ...]
) -> None:
    async with double([LOOK, LOOK]) as server:
        if provider == "openai":
            async with openai_client(server) as one:
                await one.chat.completions.create(**body)
        else:
            async with anthropic_client(server) as other:
                await other.messages.create(**body)
        key = Secret(server.key)
        parts = ModelParts(model="m", clock=StillClock(), base_url=server.base_url, key=key)
        model = open_model(provider, parts)
        _ = [event async for event in model.stream(HELLO)]
        await model.close()

    theirs, ours = (CIMultiDict(asked.headers) for asked in server.requests)
    assert server.complaints == []
    assert [ours[name] for name in names] == [theirs[name] for name in names]


async def test_openais_sdk_knows_the_doubles_refusals() -> None:
    async with (
        FakeOpenAI([], models=frozenset({"other"})) as server,
        openai_client(server) as client,
    ):
        with pytest.raises(openai.NotFoundError) as unknown:
            await client.chat.completions.create(**openai_body(USER))
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(**openai_body(OPENAI_RESULT))

    assert unknown.value.code == "model_not_found"
    assert len(server.complaints) == 2
    assert server.requests == []


async def test_anthropics_sdk_knows_the_doubles_refusals() -> None:
    async with FakeAnthropic([]) as server, anthropic_client(server) as client:
        with pytest.raises(anthropic.BadRequestError) as refused:
            await client.messages.create(**anthropic_body(ANTHROPIC_RESULT))

    assert refused.value.type == "invalid_request_error"


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param(openai_body(USER, OPENAI_CALL, OPENAI_RESULT), None, id="a legal one"),
        pytest.param(openai_body(), "too short - 'messages'", id="no messages"),
        pytest.param(openai_body(USER, top_k=3), "supplied: top_k", id="an unknown field"),
        pytest.param(openai_body(USER, tools=[]), "too short - 'tools'", id="an empty tool list"),
        pytest.param(
            openai_body(
                USER, tools=[{"type": "function", "function": {"name": "f", "schema": {}}}]
            ),
            "Unknown parameter in 'tools[].function'",
            id="an unknown field of a tool",
        ),
        pytest.param(openai_body(USER, OPENAI_CALL), "Missing: a", id="a call without a result"),
        pytest.param(
            openai_body(USER, OPENAI_CALL, USER, OPENAI_RESULT), "Missing: a", id="a late result"
        ),
        pytest.param(
            openai_body(USER, OPENAI_RESULT), "must respond to a preceding", id="an orphan result"
        ),
        pytest.param(
            openai_body(USER, OPENAI_CALL, OPENAI_RESULT, OPENAI_CALL, OPENAI_RESULT),
            "Invalid or duplicate",
            id="an id twice",
        ),
        pytest.param(
            openai_body({"role": "user", "content": ""}), "Invalid value for", id="empty content"
        ),
        pytest.param(
            openai_body(USER, {"role": "assistant", "content": None}), "got null", id="no words"
        ),
        pytest.param(openai_body({"role": "bot", "content": "x"}), "no role", id="a wrong role"),
        pytest.param(
            openai_body(USER, {"role": "system", "content": "x"}), "come first", id="a late system"
        ),
        pytest.param(
            openai_body(USER, max_tokens=1, max_completion_tokens=1), "same time", id="two limits"
        ),
    ],
)
def test_openais_double_is_strict(body: Body, complaint: str | None) -> None:
    headers = {"Authorization": f"Bearer {FakeOpenAI.key}", "Content-Type": "application/json"}

    found = FakeOpenAI([]).complaint(headers, body)

    assert (found is None) == (complaint is None)
    assert found is None or str(complaint) in found.message


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param(
            anthropic_body(USER, ANTHROPIC_CALL, ANTHROPIC_RESULT), None, id="a legal one"
        ),
        pytest.param(anthropic_body(), "at least one message", id="no messages"),
        pytest.param(anthropic_body(USER, top_k=3), "top_k: Extra inputs", id="an unknown field"),
        pytest.param(
            anthropic_body(USER, tools=[{"name": "f", "parameters": {}}]),
            "tools.0: Extra inputs",
            id="an unknown field of a tool",
        ),
        pytest.param(
            anthropic_body(USER, ANTHROPIC_CALL, USER),
            "without `tool_result` blocks",
            id="a call without a result",
        ),
        pytest.param(
            anthropic_body(ANTHROPIC_RESULT), "unexpected `tool_use_id`", id="an orphan result"
        ),
        pytest.param(anthropic_body(USER, USER), "alternate", id="two of one role"),
        pytest.param(anthropic_body(ANTHROPIC_CALL), "alternate", id="the model begins"),
        pytest.param(
            anthropic_body({"role": "user", "content": [{"type": "text", "text": " "}]}),
            "non-whitespace",
            id="blank text",
        ),
        pytest.param(
            anthropic_body({"role": "user", "content": []}), "non-empty", id="empty content"
        ),
        pytest.param(
            anthropic_body(USER, {"role": "assistant", "content": "So"}), "prefill", id="a prefill"
        ),
        pytest.param(
            anthropic_body(
                USER, {"role": "assistant", "content": [{**TOOL_USE, "input": "{}"}]}, USER
            ),
            "valid dictionary",
            id="arguments as text",
        ),
        pytest.param(
            anthropic_body(
                USER, {"role": "assistant", "content": [TOOL_USE, TOOL_USE]}, ANTHROPIC_RESULT
            ),
            "ids must be unique",
            id="an id twice",
        ),
        pytest.param(
            anthropic_body(
                USER,
                {
                    "role": "assistant",
                    "content": [{"type": "thinking", "thinking": "Hm.", "signature": "forged"}],
                },
                USER,
            ),
            "Invalid `signature`",
            id="a forged signature",
        ),
    ],
)
def test_anthropics_double_is_strict(body: Body, complaint: str | None) -> None:
    headers = {
        "x-api-key": FakeAnthropic.key,
        "Content-Type": "application/json",
        "anthropic-version": "2023-06-01",
    }

    found = FakeAnthropic([]).complaint(headers, body)

    assert (found is None) == (complaint is None)
    assert found is None or str(complaint) in found.message


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "another"}, 401),
        ({"x-api-key": FakeAnthropic.key, "Content-Type": "application/json"}, 400),
    ],
)
def test_anthropics_double_wants_a_key_and_a_version(headers: Body, status: int) -> None:
    found = FakeAnthropic([]).complaint(headers, anthropic_body(USER))

    assert found is not None
    assert found.status == status


def asks(*said: Said) -> Asked:
    return Asked(system="", said=said, tools=("read_file",), body={}, raw=b"", headers={})


def test_the_meeting_script_reads_the_file_that_was_named() -> None:
    answer = meeting(asks(Said(role="user", text="read notes/other.md and list my tasks")))

    assert isinstance(answer, Answer)
    assert json.loads(answer.calls[0].arguments) == {"path": "notes/other.md"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MEETING, id="as it is"),
        pytest.param(
            "\n".join(f"{at}\t{line}" for at, line in enumerate(MEETING.splitlines(), 1)),
            id="with numbered lines",
        ),
    ],
)
def test_the_meeting_script_lists_what_stands_in_the_result(text: str) -> None:
    answer = meeting(asks(Said(role="user", text="what must I do?"), Said(role="tool", text=text)))

    assert isinstance(answer, Answer)
    listed = str(answer.text).splitlines()[2:]
    assert len(listed) == 3
    for task, word in zip(listed, ("budget", "insurance", "schedule"), strict=True):
        assert word in task


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_script_answers_the_same_each_time(name: str) -> None:
    asked = asks(Said(role="user", text="read notes/meeting.md"))

    assert SCRIPTS[name](asked) == SCRIPTS[name](asked)


@pytest.mark.parametrize("double", ["fake_openai", "fake_anthropic"])
async def test_a_double_runs_as_a_process_of_its_own(double: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"tests.doubles.{double}", "--script", "promise",
        cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    base_url = (await process.stdout.readline()).decode().strip()

    process.send_signal(signal.SIGTERM)
    await process.communicate()

    assert base_url.startswith("http://127.0.0.1:")
