import json
from datetime import UTC, datetime

import pytest
from anthropic import AnthropicError

from bot.contracts.errors import (
    ContextOverflow,
    KeyExhausted,
    KeyRefused,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
)
from bot.models.anthropic.errors import translate
from bot.models.server import Server
from tests.doubles.fake_anthropic import FakeAnthropic, frame
from tests.doubles.model_server import Answer, ModelServer, Raw
from tests.models.chat_model_contract import ChatModelContract
from tests.models.rig import Rig

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SERVER = Server(provider="Anthropic", model="m", base_url="https://x.test", keyed=True)


def error(kind: str, message: str = "No.", code: str | None = None) -> dict[str, object]:
    details = {"details": {"error_code": code}} if code else {}
    return {"type": "error", "error": {"type": kind, "message": message, **details}}


class TestAsTheServerSendsThem:
    provider = "anthropic"
    double: type[ModelServer] = FakeAnthropic
    rig = ChatModelContract.rig

    @pytest.mark.parametrize(
        ("status", "body", "expected"),
        [
            (400, error("invalid_request_error", "prompt is too long: 9 > 8"), ContextOverflow),
            (400, error("invalid_request_error", "Your credit balance is too low"), KeyExhausted),
            (403, error("permission_error"), KeyRefused),
            (429, error("rate_limit_error"), KeyExhausted),
            (529, error("overloaded_error"), ModelUnavailable),
        ],
    )
    async def test_an_error_instead_of_a_stream(
        self, rig: Rig, status: int, body: object, expected: type[ModelError]
    ) -> None:
        await rig.plays(Raw(status=status, body=json.dumps(body)))

        assert type(await rig.fails()) is expected

    async def test_a_spend_limit_under_the_status_of_a_rate_limit(self, rig: Rig) -> None:
        body = error("rate_limit_error", code="enforced_spend_limit_reached")
        await rig.plays(Raw(status=429, body=json.dumps(body)))

        failure = await rig.fails()

        assert isinstance(failure, KeyExhausted)
        assert failure.spent

    @pytest.mark.parametrize(
        ("event", "expected"),
        [
            (frame(error("overloaded_error")), ModelUnavailable),
            (frame(error("api_error")), ModelDisconnected),
            (frame(error("rate_limit_error")), KeyExhausted),
            (b"event: error\ndata: oops\n\n", ModelDisconnected),
        ],
    )
    async def test_an_error_in_the_middle_of_one(
        self, rig: Rig, event: bytes, expected: type[ModelError]
    ) -> None:
        await rig.plays(Answer(frames=(event,)))

        assert type(await rig.fails()) is expected


def test_what_else_the_sdk_may_raise_is_a_broken_connection() -> None:
    assert isinstance(translate(AnthropicError("?"), SERVER, NOW), ModelDisconnected)
