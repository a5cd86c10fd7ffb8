import asyncio
import json
from dataclasses import replace

import pytest

from bot.contracts.errors import (
    ContextOverflow,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    ModelUnknown,
    RequestRefused,
)
from bot.contracts.messages import StopReason, UserMessage
from bot.contracts.model import ModelParts, ModelTimeouts
from bot.contracts.secret import Secret
from bot.contracts.turn import Usage
from bot.models import open_model
from tests.doubles.fake_ollama import FakeOllama, Pulled
from tests.doubles.model_server import Answer, Call, ModelServer, Raw
from tests.doubles.raw_server import RawServer, Visit
from tests.models.chat_model_contract import ChatModelContract
from tests.models.rig import HELLO, Rig, StillClock


def lines(*values: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(value).encode() + b"\n" for value in values)


WORDS = {"message": {"content": "hello"}, "done": False}
LAST = {"message": {"content": ""}, "done": True, "done_reason": "stop"}


class TestOllama(ChatModelContract):
    provider = "ollama"
    double = FakeOllama
    opening = 1

    async def test_arguments_that_were_cut_off_stay_cut_off(self, rig: Rig) -> None:
        """Ollama reads the calls out of the words, and half a call is none."""
        await rig.plays(Answer(text="I", calls=(Call(name="x", arguments='{"a'),), stop="length"))

        message = await rig.message()

        assert (message.stop, message.tool_calls) == (StopReason.LENGTH, ())

    async def test_cached_tokens_are_part_of_the_input(self, rig: Rig) -> None:
        """Ollama does not say how many were."""
        await rig.plays(Answer(text="hi", tokens=(100, 5, 80)))

        assert (await rig.message()).usage == Usage(input_tokens=100, output_tokens=5)

    @pytest.mark.parametrize(
        ("word", "stop"), [("", StopReason.END), ("length", StopReason.LENGTH)]
    )
    async def test_a_stop_reason(self, rig: Rig, word: str, stop: StopReason) -> None:
        await rig.plays(Answer(text="So", stop=word))

        assert (await rig.message()).stop is stop

    @pytest.mark.parametrize("frame", [b"{oops\n", b"[1]\n", b"\xff\xfe\n"])
    async def test_a_piece_that_cannot_be_read_is_a_fault(self, rig: Rig, frame: bytes) -> None:
        await rig.plays(Answer(frames=(frame,)))

        assert isinstance(await rig.fails(), ModelDisconnected)

    async def test_an_answer_nested_without_end_is_a_fault(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=(b"[" * 200_000 + b"\n",)))

        assert isinstance(await rig.fails(), ModelDisconnected)

    async def test_an_older_server_gives_no_reason_for_its_end(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=lines(WORDS, {"done": True})))

        assert (await rig.message()).stop is StopReason.END

    async def test_the_last_line_may_lack_its_end(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=(*lines(WORDS), json.dumps(LAST).encode())))

        assert (await rig.message()).text == "hello"

    async def test_calls_without_ids_are_taken_and_the_agent_gives_them_some(
        self, rig: Rig
    ) -> None:
        await rig.plays(Answer(calls=(Call(name="time"), Call(name="time"))))

        message = await rig.message()

        assert [call.id for call in message.tool_calls] == ["", ""]
        assert message.stop is StopReason.TOOL_USE

    async def test_an_error_in_the_middle_says_what_it_is(self, rig: Rig) -> None:
        await rig.plays(Answer(frames=lines(WORDS, {"error": "an error was encountered"})))

        error = await rig.fails()

        assert isinstance(error, ModelDisconnected)
        assert "an error was encountered" in str(error)

    @pytest.mark.parametrize(
        ("status", "said", "expected", "fix"),
        [
            (
                500,
                "model requires more system memory (5.6 GiB) than is available (3.2 GiB)",
                ModelUnavailable,
                "choose a smaller model",
            ),
            (
                400,
                "the input length exceeds the context length",
                ContextOverflow,
                "",
            ),
            (
                400,
                "the prompt is longer than the context length currently available to the model",
                ContextOverflow,
                "",
            ),
            (400, '"model-1" does not support tools', RequestRefused, "`ollama show`"),
            (503, "server busy, please try again", ModelUnavailable, ""),
        ],
    )
    async def test_what_it_says_in_words_is_understood(
        self, rig: Rig, status: int, said: str, expected: type[ModelError], fix: str
    ) -> None:
        await rig.plays(Raw(status=status, body=json.dumps({"error": said})))

        error = await rig.fails()

        assert type(error) is expected
        assert said in str(error)
        assert fix in str(error)

    async def test_a_model_that_was_not_pulled_is_named_with_the_command(self, rig: Rig) -> None:
        server = await rig.stack.enter_async_context(FakeOllama([], pulled={}))

        rig.opens(base_url=server.base_url)
        error = await rig.fails()

        assert isinstance(error, ModelUnknown)
        assert "run `ollama pull model-1`" in str(error)

    async def test_nobody_listening_is_said_with_the_command_that_starts_it(self, rig: Rig) -> None:
        rig.opens(base_url="http://127.0.0.1:1")

        assert "`ollama serve`" in str(await rig.fails())

    @pytest.mark.parametrize(
        ("pulled", "context", "window"),
        [
            pytest.param(Pulled(), None, 16_384, id="as much as memory should bear"),
            pytest.param(Pulled(trained=8_192), None, 8_192, id="no more than it was trained with"),
            pytest.param(Pulled(), 65_536, 65_536, id="what the settings say"),
            pytest.param(
                Pulled(trained=8_192), 65_536, 8_192, id="within what it was trained with"
            ),
            pytest.param(
                Pulled(parameters='stop "x"\nnum_ctx                        32768\n'),
                None,
                32_768,
                id="what its own file says",
            ),
            pytest.param(Pulled(trained=None), None, 4_096, id="little, where nobody says"),
        ],
    )
    async def test_the_window_is_asked_for_with_every_request_and_found_out_once(
        self, rig: Rig, pulled: Pulled, context: int | None, window: int
    ) -> None:
        double = FakeOllama(lambda _: Answer(text="hi"), pulled={"m": pulled})
        server = await rig.stack.enter_async_context(double)
        model = open_model(
            "ollama",
            ModelParts(
                model="m",
                clock=StillClock(),
                base_url=server.base_url,
                key=Secret(ModelServer.key),
                context=context,
            ),
        )
        rig.stack.push_async_callback(model.close)

        for _ in range(2):
            assert [event async for event in model.stream(HELLO)]

        assert server.shown == ["m"]
        for asked in server.requests:
            options = asked.body["options"]
            assert isinstance(options, dict)
            assert options["num_ctx"] == window
            assert options["num_predict"] == min(8192, window // 2)
            assert (asked.body["truncate"], asked.body["shift"]) == (False, False)

    async def test_what_cannot_fit_is_not_sent_because_it_would_be_cut_silently(
        self, rig: Rig
    ) -> None:
        await rig.plays(Answer(text="hi"))
        long = replace(HELLO, messages=(UserMessage(text="word " * 20_000),))

        with pytest.raises(ContextOverflow, match=r"about \d\d,\d{3} tokens do not fit"):
            await rig.hears(long)

        assert rig.server.requests == []

    async def test_an_answer_to_a_request_that_filled_the_window_is_none(self, rig: Rig) -> None:
        """As servers do that know no ``truncate``: they cut, and say so by the count alone."""
        await rig.plays(Answer(text="hi", tokens=(16_383, 5, 0)))

        error = await rig.fails()

        assert isinstance(error, ContextOverflow)
        assert "raise `context`" in str(error)


async def test_who_waits_for_another_to_ask_waits_no_longer_than_whoever_asks() -> None:
    async def silent(_: Visit) -> None:
        await asyncio.Event().wait()

    async with RawServer(silent) as server:
        parts = ModelParts(
            model="m",
            clock=StillClock(),
            base_url=server.origin,
            timeouts=ModelTimeouts(first_seconds=0.5),
        )
        model = open_model("ollama", parts)

        async def asked() -> None:
            async for _ in model.stream(HELLO):
                raise AssertionError("it was silent")

        async with asyncio.timeout(2.5):  # one after the other it would be four seconds
            ends = await asyncio.gather(*(asked() for _ in range(8)), return_exceptions=True)
        await model.close()

    assert [type(end) for end in ends] == [ModelDisconnected] * 8
