"""The first thing a person tries: three open tasks, found in a file that was really read."""

from pathlib import Path

import pytest

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_anthropic import FakeAnthropic
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import ModelServer
from tests.doubles.stubborn import meeting

QUESTION = "read notes/meeting.md and list the three things I have to do"
TASKS = ("final budget to Priya by Thursday", "insurance company", "the schedule")


def lists_the_three(text: str) -> bool:
    items = [line for line in text.splitlines() if line[:1].isdigit()]
    return len(items) == 3 and all(task in item for task, item in zip(TASKS, items, strict=True))


async def asked_once(bot: BotProcess) -> str:
    await bot.start()
    async with a_witness(bot) as witness:
        said = await witness.say(QUESTION)
        ended = await witness.outcome(said)
    await bot.stop()
    assert ended.outcome == "answered", ended.reason
    assert len(witness.answers(said)) == 1
    return witness.answers(said)[0]


async def test_the_demo_lists_them_without_any_account(tmp_path: Path) -> None:
    assert lists_the_three(await asked_once(BotProcess(tmp_path / "home")))


@pytest.mark.parametrize(
    ("server", "key", "address"),
    [
        (FakeOpenAI(meeting), "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        (FakeAnthropic(meeting), "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    ],
    ids=["openai", "anthropic"],
)
async def test_a_model_reads_the_file_over_the_wire(
    tmp_path: Path, server: ModelServer, key: str, address: str
) -> None:
    async with server:
        bot = BotProcess(tmp_path / "home", {key: server.key, address: server.base_url})
        answer = await asked_once(bot)

    assert lists_the_three(answer)
    assert server.complaints == []
    assert len(server.requests) == 2
    assert "order the posters" in server.requests[1].results[0].text


async def test_a_file_that_a_person_changed_is_read_anew_in_the_next_message(
    tmp_path: Path,
) -> None:
    bot = BotProcess(tmp_path / "home")
    await bot.start()
    async with a_witness(bot) as witness:
        first = await witness.say(QUESTION)
        await witness.outcome(first)
        (bot.workspace / "notes" / "meeting.md").write_text("- [ ] You: water the plants\n")
        second = await witness.say(QUESTION)
        await witness.outcome(second)
    await bot.stop()

    assert "plants" not in witness.answers(first)[0]
    assert "Water the plants" in witness.answers(second)[0]
