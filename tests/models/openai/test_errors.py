import json
from datetime import UTC, datetime

import pytest
from openai import OpenAIError

from bot.contracts.errors import (
    ContextOverflow,
    KeyExhausted,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    RequestRefused,
)
from bot.models.openai.errors import translate
from bot.models.server import Server
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, ModelServer, Raw
from tests.models.chat_model_contract import ChatModelContract
from tests.models.rig import Rig

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SERVER = Server(provider="OpenAI", model="m", base_url="https://x.test/v1", keyed=True)


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


def test_what_else_the_sdk_may_raise_is_a_broken_connection() -> None:
    assert isinstance(translate(OpenAIError("?"), SERVER, NOW), ModelDisconnected)
