"""A disk without room: what is not accepted says so, and what was accepted still ends once."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from bot.cli import Exit
from bot.cli.client import control
from channels.webchat.protocol import (
    EndedFrame,
    HelloFrame,
    RefusedFrame,
    SayFrame,
    encode,
    read_server,
)
from tests.doubles.bot_process import a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Call, Gate
from tests.doubles.small_disk import BotOnSmallDisk, needs_small_disk

pytestmark = needs_small_disk

LONG = "word " * 30_000
"""More than a journal that was emptied may have left over."""

WRITE = Call(name="write_file", arguments=json.dumps({"path": "long.txt", "content": LONG}))


@pytest.fixture
def home() -> Iterator[Path]:
    """A state directory with a short name: the path of a UNIX socket has at most 103 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "h"


async def refusal(bot: BotOnSmallDisk, text: str) -> RefusedFrame:
    """Say something once, and return why it was not taken."""
    async with control(bot.control_socket) as http, http.ws_connect("/ws") as socket:
        await socket.send_str(encode(HelloFrame(protocol=1)))
        await socket.send_str(encode(SayFrame(id=str(uuid4()), text=text)))
        while True:
            frame = read_server(await socket.receive_str(timeout=20))
            if isinstance(frame, RefusedFrame):
                return frame


def bot_with(server: FakeOpenAI, home: Path) -> BotOnSmallDisk:
    return BotOnSmallDisk(home, {"OPENAI_API_KEY": server.key, "OPENAI_BASE_URL": server.base_url})


async def test_a_message_is_put_off_with_the_reason_and_taken_once_there_is_room(
    home: Path,
) -> None:
    async with FakeOpenAI([Answer(text="Read.")]) as server:
        bot = bot_with(server, home)
        await bot.start()
        bot.fill()

        refused = await refusal(bot, LONG)
        async with a_witness(bot) as witness:
            said = await witness.say(LONG)
            bot.empty()
            ended = await witness.outcome(said)
        await bot.kill()

    assert "is full: free some space" in refused.reason
    assert refused.retry is not None
    assert ended.outcome == "answered"
    assert witness.answers(said) == ["Read."]
    assert len(server.requests) == 1


async def test_an_answer_that_met_it_waits_and_is_given_once_there_is_room(home: Path) -> None:
    ended, answers = await meet(Answer(text=(LONG,)), home)

    assert ended.outcome == "answered"
    assert answers == [LONG.strip()]


async def test_a_turn_whose_work_met_it_is_told_of_once_there_is_room(home: Path) -> None:
    ended, answers = await meet(Answer(calls=(WRITE,)), home)

    assert ended.outcome == "failed"
    assert "is full: free some space" in ended.reason
    assert len(answers) == 1


async def meet(answer: Answer, home: Path) -> tuple[EndedFrame, list[str]]:
    """Let the disk be full when *answer* comes, and make room later; return what was seen of it.

    Until then nothing is seen, and afterwards the bot goes on by itself.
    """
    gate = Gate()
    script = [replace(answer, hold=gate), Answer(text="Here.")]
    async with FakeOpenAI(script) as server:
        bot = bot_with(server, home)
        await bot.start()
        async with a_witness(bot) as witness:
            said = await witness.say("write a long text")
            await gate.reached()
            bot.fill()
            gate.open()
            await bot.logs("outcome not recorded yet")
            seen_meanwhile = witness.answers(said)
            bot.empty()
            ended = await witness.outcome(said)

            after = await witness.say("are you still there?")
            await witness.outcome(after)
        await bot.kill()

    assert seen_meanwhile == []
    assert witness.answers(after) == ["Here."]
    return ended, witness.answers(said)


async def test_a_start_without_room_is_one_line(home: Path) -> None:
    bot = BotOnSmallDisk(home, size=64 * 1024)
    await bot.start()

    assert await bot.died() == Exit.FAILED

    said = bot.log.read_text()
    assert said.startswith("stonechat: the disk with")
    assert "is full: free some space" in said
    assert said.count("\n") == 1
