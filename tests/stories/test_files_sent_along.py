"""A file sent with a message: the model knows it, tools reach it, a crash loses nothing."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.cli.ask import outcome
from bot.cli.client import NotAttached, Talk, control
from tests.doubles.bot_process import BotProcess
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call

_NOTES = "- [ ] Send the budget\n- Please call Ana.\n- Tom will pay.\n"


async def test_the_demo_says_what_an_attached_file_asks(tmp_path: Path) -> None:
    bot = BotProcess(tmp_path / "home")
    notes = tmp_path / "minutes of the 会议.md"
    notes.write_text(_NOTES)
    await bot.start()
    async with control(bot.control_socket) as http:
        talk = Talk(http)
        file = await talk.attach(notes)
        ended = await outcome(talk, "Have a look.", asyncio.Event(), None, [file])
    await bot.stop()

    assert ended.outcome == "answered"
    assert "1. Send the budget\n2. Call Ana" in ended.text
    assert "minutes of the 会议.md asks this of you" in ended.text


async def test_a_file_sent_before_a_crash_is_read_after_it(tmp_path: Path) -> None:
    def reader(asked: Asked) -> Answer:
        path = asked.question.partition("in the workspace at ")[2].partition("]")[0]
        if not asked.results:
            command = json.dumps({"command": f"wc -l < '{path}'"})
            return Answer(text="I count.", calls=(Call(name="shell", arguments=command),))
        return Answer(text=f"It has {asked.results[-1].text.strip().splitlines()[-1]} lines.")

    table = tmp_path / "big.csv"
    table.write_text("1,2\n" * 1_000_000)
    async with FakeOpenAI(reader) as model:
        environ = {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        bot = BotProcess(tmp_path / "home", environ)
        await bot.start()
        async with control(bot.control_socket) as http:
            talk = Talk(http)
            file = await talk.attach(table)
            await bot.kill()
            await bot.start()
            ended = await outcome(talk, "How many rows?", asyncio.Event(), None, [file])
        await bot.stop()

    assert "1000000" in ended.text.replace(",", "")


async def test_what_the_terminal_cannot_attach_is_one_sentence(tmp_path: Path) -> None:
    bot = BotProcess(tmp_path / "home")
    empty = tmp_path / "empty"
    empty.touch()
    await bot.start()
    async with control(bot.control_socket) as http:
        talk = Talk(http)
        for path, sentence in (
            (empty, "The file is empty"),
            (tmp_path, "is a directory"),
            (tmp_path / "none", "no such file"),
        ):
            with pytest.raises(NotAttached, match=sentence):
                await talk.attach(path)
    await bot.stop()
