"""The commands that talk, as real processes: beside a bot that runs, and with one of their own."""

import asyncio
import json
import os
import pty
import signal
import sys
from pathlib import Path

import pytest

from bot.cli import Exit
from tests.doubles.bot_process import BotProcess
from tests.doubles.commands import ROOT, Commands
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Gate

_QUESTION = "read notes/meeting.md and list the three things I have to do"


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def test_where_no_bot_runs_one_is_started_and_ended(commands: Commands) -> None:
    said = commands.say("ask", "--json", _QUESTION)

    assert said.code == Exit.DONE
    told = json.loads(said.out)
    assert told.keys() == {"outcome", "text", "reason", "turn", "usage"}
    assert told["outcome"] == "answered"
    assert [line[:2] for line in told["text"].splitlines() if line[:1].isdigit()] == [
        "1.",
        "2.",
        "3.",
    ]
    assert not (commands.home / "control.sock").exists()


async def test_beside_a_bot_that_runs_it_is_asked(commands: Commands) -> None:
    bot = BotProcess(commands.home)
    await bot.start()
    try:
        asked = await asyncio.to_thread(commands.say, "ask", "what can you do?")
        link = await asyncio.to_thread(commands.say, "open")
    finally:
        assert await bot.stop() == Exit.DONE

    assert asked.code == Exit.DONE
    assert "demo" in asked.out
    assert link.code == Exit.DONE
    assert link.out.startswith("http://127.0.0.1:")
    assert "/#code=" in link.out


def test_without_a_bot_there_is_no_page_to_open(commands: Commands) -> None:
    said = commands.say("open", STONECHAT_COMMAND="script/run")

    assert said.code == Exit.FAILED
    assert said.err == "stonechat: the bot does not run; start it with `script/run run`\n"


@pytest.mark.parametrize("beside", [True, False])
async def test_ctrl_c_stops_the_turn_and_says_so(commands: Commands, *, beside: bool) -> None:
    gate = Gate()
    async with FakeOpenAI([Answer(text="one two three", hold=gate)]) as model:
        environ = {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        bot = BotProcess(commands.home, environ)
        if beside:
            await bot.start()
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "ask", "think for an hour"),
            cwd=ROOT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(commands.folder), **environ},
        )
        await gate.reached()
        asking.send_signal(signal.SIGINT)
        _, said = await asking.communicate()
        gate.open()
        if beside:
            await bot.stop()

    assert asking.returncode == Exit.INTERRUPTED
    assert b"Traceback" not in said


async def test_a_conversation_in_a_terminal_ends_with_ctrl_d(commands: Commands) -> None:
    ours, theirs = pty.openpty()
    talking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "chat"),
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": os.environ["PATH"], "HOME": str(commands.folder)},
    )
    os.close(theirs)

    async def hear(words: str) -> None:
        heard = ""
        async with asyncio.timeout(30):
            while words not in heard:
                heard += (await asyncio.to_thread(os.read, ours, 4096)).decode()

    await hear("> ")
    os.write(ours, b"what can you do?\n")
    await hear("demo")
    await hear("> ")
    os.write(ours, b"\x04")

    assert await talking.wait() == Exit.DONE
    os.close(ours)
