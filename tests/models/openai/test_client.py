import json

import pytest

from bot.contracts.errors import (
    ContextOverflow,
    KeyExhausted,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    RequestRefused,
)
from bot.contracts.model import TextDelta
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, ModelServer, Raw
from tests.models.chat_model_contract import ChatModelContract
from tests.models.rig import Rig


def frames(*chunks: object, done: bool = False) -> tuple[bytes, ...]:
    lines = tuple(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    return (*lines, b"data: [DONE]\n\n") if done else lines


WORDS = {"choices": [{"delta": {"content": "hello"}}]}
STOP = {"choices": [{"delta": {}, "finish_reason": "stop"}]}


class TestOpenAI(ChatModelContract):
    provider = "openai"
    double = FakeOpenAI
    opening = 2

    async def test_the_mark_of_the_end_may_be_missing(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hello", ends=False))

        assert (await rig.message()).text == "hello"

    async def test_a_mark_of_the_end_is_no_stop_reason(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=frames(WORDS, done=True)))

        assert "without a finish reason" in str(await rig.fails())

    async def test_a_server_that_never_hangs_up_is_left(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=frames(WORDS, STOP, STOP), stall=True, after=2), patience=0.1)

        assert (await rig.message()).text == "hello"

    async def test_a_stream_may_call_itself_something_else(self, rig: Rig) -> None:
        body = b"".join(frames(WORDS, STOP, done=True))
        await rig.plays(Raw(body=body, kind="text/plain; charset=utf-8"))

        assert (await rig.hears())[0] == TextDelta(text="hello")

    async def test_signs_of_life_between_the_chunks_are_no_chunks(self, rig: Rig) -> None:
        first, last = frames(WORDS, STOP)
        await rig.plays(Answer(frames=(b": PROCESSING\n\n", first, b": PROCESSING\n\n", last)))

        assert (await rig.message()).text == "hello"


def error(code: str | int | None, message: str, kind: str) -> bytes:
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return json.dumps(body).encode()


class TestAsTheServerSendsThem:
    provider = "openai"
    double: type[ModelServer] = FakeOpenAI
    rig = ChatModelContract.rig

    @pytest.mark.parametrize(
        ("status", "body", "expected"),
        [
            (
                429,
                error("insufficient_quota", "You exceeded …", "insufficient_quota"),
                KeyExhausted,
            ),
            (429, error("rate_limit_exceeded", "Slow down", "requests"), KeyExhausted),
            (400, error("context_length_exceeded", "Too long", "x"), ContextOverflow),
            (400, error("unsupported_parameter", "No max_tokens", "x"), RequestRefused),
            (503, error(None, "Overloaded", "server_error"), ModelUnavailable),
        ],
    )
    async def test_an_error_instead_of_a_stream(
        self, rig: Rig, status: int, body: bytes, expected: type[ModelError]
    ) -> None:
        await rig.plays(Raw(status=status, body=body))

        assert type(await rig.fails()) is expected

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            (error("server_error", "Oops", "server_error"), ModelDisconnected),
            (error(502, "Provider returned error", "x"), ModelDisconnected),
            (error(429, "Too many", "x"), KeyExhausted),
            (b'{"error": "out of memory"}', ModelDisconnected),
        ],
    )
    async def test_an_error_in_the_middle_of_one(
        self, rig: Rig, body: bytes, expected: type[ModelError]
    ) -> None:
        await rig.plays(Answer(frames=(b"data: " + body + b"\n\n",)))

        assert type(await rig.fails()) is expected

    @pytest.mark.parametrize("kind", ["application/json", "application/problem+json"])
    async def test_an_error_that_says_that_all_is_well(self, rig: Rig, kind: str) -> None:
        await rig.plays(Raw(body=error("insufficient_quota", "Pay", "x"), kind=kind))

        assert isinstance(await rig.fails(), KeyExhausted)
