"""The real process is killed while a model answers: what that may have cost is counted, once."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked

_PRICED = """
models:
  paid:
    provider: openai
    model: gpt-x
    base_url: {address}
    key: {key}
    max_output: 1000
    price: {{input: 1, output: 1}}
"""


def answer(asked: Asked) -> Answer:
    return Answer(text=f"Heard: {asked.question[-5:]}")


async def usage(home: Path) -> dict[str, int]:
    """What `stonechat usage` tells beside the running bot."""
    asking = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "usage", "--json"),
        env={"STONECHAT_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await asking.communicate()
    (used,) = json.loads(told)["used"]
    assert isinstance(used, dict)
    return used


@pytest.mark.timeout(120)
async def test_a_call_that_died_with_its_process_costs_the_most_it_may_have(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    async with FakeOpenAI(answer) as model:
        (home / "config.yaml").write_text(_PRICED.format(address=model.base_url, key=model.key))
        (home / "config.yaml").chmod(0o600)
        bot = BotProcess(home, {})
        await bot.start(fault="model.stream=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("hello")
            await bot.died()
            await bot.start()
            await witness.outcome(said)
            after = await usage(home)
            await bot.stop()
            await bot.start()
            again = await usage(home)
            await bot.stop()

    assert after["micro_usd"] > 1_000
    assert after["model_calls"] == 1
    assert after["micro_usd"] > after["input_tokens"] + after["output_tokens"] + 1_000
    assert again == after
