import json

import pytest

from bot.contracts.errors import (
    ContextOverflow,
    KeyExhausted,
    KeyRefused,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
)
from tests.doubles.fake_anthropic import FakeAnthropic, frame
from tests.doubles.model_server import Answer, ModelServer, Raw
from tests.models.chat_model_contract import ChatModelContract
from tests.models.rig import HELLO, Rig


class TestAnthropic(ChatModelContract):
    provider = "anthropic"
    double = FakeAnthropic
    opening = 4

    async def test_a_stop_reason_is_not_yet_the_end(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hello", ends=False))

        assert "without a stop reason" in str(await rig.fails())

    async def test_a_server_that_never_hangs_up_is_left(self, rig: Rig) -> None:
        stop = frame({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
        end = frame({"type": "message_stop"})
        await rig.plays(Answer(frames=(stop, end, end), stall=True, after=2), patience=0.1)

        assert (await rig.message()).text == ""

    async def test_thinking_goes_back_with_its_signature(self, rig: Rig) -> None:
        await rig.plays(Answer(thinking="Hm.", text="Yes."), Answer(text="Still yes."))
        first = await rig.message()

        again = await rig.message(*HELLO.messages, first, *HELLO.messages)

        assert again.text == "Still yes."
        assert b'"signature":"signed(3)"' in rig.last.raw

    async def test_pings_are_no_words_and_no_end(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=(frame({"type": "ping"}),)))

        assert "without a stop reason" in str(await rig.fails())


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
