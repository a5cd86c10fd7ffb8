from tests.doubles.fake_anthropic import FakeAnthropic, frame
from tests.doubles.model_server import Answer
from tests.models.chat_model_contract import ChatModelContract
from tests.models.rig import HELLO, Rig


class TestAnthropic(ChatModelContract):
    provider = "anthropic"
    double = FakeAnthropic

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
