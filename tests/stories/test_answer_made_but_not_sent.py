"""The answer is made and the process dies before it is sent: it arrives, and no model is asked."""

from pathlib import Path

import pytest

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer


@pytest.mark.parametrize(
    "point",
    ["model.commit:after", "run.finish:before", "run.finish:after", "ob.start:after", "ob.net"],
)
async def test_it_arrives_after_the_restart_and_no_model_is_asked_again(
    tmp_path: Path, point: str
) -> None:
    async with FakeOpenAI([Answer(text="The answer.")]) as model:
        bot = BotProcess(
            tmp_path / "home", {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        )
        await bot.start(fault=f"{point}=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("hello")
            assert await bot.died() == -9
            await bot.start()
            ended = await witness.outcome(said)
        await bot.stop()

    assert ended.text == "The answer."
    assert witness.answers(said) == ["The answer."]
    assert len(model.requests) == 1
