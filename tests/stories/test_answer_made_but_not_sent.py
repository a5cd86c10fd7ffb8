"""The answer is committed and the process dies before a word of it is seen: it arrives all the
same, and no model is asked again."""

from pathlib import Path

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer


async def test_it_arrives_after_the_restart_and_no_model_is_asked_again(
    tmp_path: Path,
) -> None:
    async with FakeOpenAI([Answer(text="The answer.")]) as model:
        bot = BotProcess(
            tmp_path / "home", {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        )
        await bot.start(fault="run.finish:after=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("hello")
            assert await bot.died() == -9
            await bot.start()
            ended = await witness.outcome(said)
        await bot.stop()

    assert ended.text == "The answer."
    assert witness.answers(said) == ["The answer."]
    assert len(model.requests) == 1
