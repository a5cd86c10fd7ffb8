import json

from bot.contracts.model import TextDelta
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Raw
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
