"""The process dies while a program runs: what is known is told, and nothing is repeated."""

import json
from pathlib import Path

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call, Raw


def publisher(asked: Asked) -> Answer | Raw:
    if not asked.results:
        command = json.dumps({"command": "echo published >> ledger.txt"})
        return Answer(calls=(Call(name="shell", arguments=command),))
    result = asked.results[-1].text
    if "unknown" in result:
        return Answer(text="I was interrupted, and I cannot tell whether it was published.")
    return Answer(text="It is published.")


async def test_a_program_with_an_unknown_end_is_not_run_again_and_the_person_is_told(
    tmp_path: Path,
) -> None:
    async with FakeOpenAI(publisher) as model:
        bot = BotProcess(
            tmp_path / "home", {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        )
        await bot.start(fault="tool.commit:before=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("publish it")
            assert await bot.died() == -9
            await bot.start()
            await witness.outcome(said)
        await bot.stop()

    assert witness.answers(said) == [
        "I was interrupted, and I cannot tell whether it was published."
    ]
    assert (bot.workspace / "ledger.txt").read_text() == "published\n"
