"""The real process is killed at every fault point and at random moments; each message has
exactly one answer, and no effect happens twice.

The witnesses are outside: the terminal sees what a person sees, the model double counts its
calls, and the ledger is a file that the tool's own program writes.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.contracts.faults import POINTS
from tests.doubles.bot_process import BotProcess, Witness, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call, Raw

KILLS = 40
SEED = 20261130


def worker(asked: Asked) -> Answer | Raw:
    """Append the number it was told to a file, once, then say so: a function of what it sees."""
    number = asked.question.rsplit(" ", 1)[-1]
    if not asked.results:
        command = f"echo {number} >> ledger.txt"
        return Answer(
            text="I will write it down.",
            calls=(Call(name="shell", arguments=json.dumps({"command": command})),),
        )
    if "unknown" in asked.results[-1].text:
        return Answer(text=f"I cannot tell whether {number} was written.")
    return Answer(text=f"Number {number} is written.")


def onlooker(asked: Asked) -> Answer | Raw:
    """Look into a file, once, then say what was asked: a function of what it sees."""
    number = asked.question.rsplit(" ", 1)[-1]
    if not asked.results:
        look = Call(name="read_file", arguments=json.dumps({"path": "AGENTS.md"}))
        return Answer(text="I will look.", calls=(look,))
    return Answer(text=f"Number {number} is seen.")


@asynccontextmanager
async def a_bot(
    folder: Path, answer: Callable[[Asked], Answer | Raw] = worker
) -> AsyncIterator[tuple[BotProcess, FakeOpenAI]]:
    """A bot on a model double, not yet started."""
    async with FakeOpenAI(answer) as model:
        bot = BotProcess(
            folder / "home",
            {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url},
        )
        yield bot, model
        if not bot.is_dead:
            await bot.stop()


def written(bot: BotProcess) -> list[str]:
    """What the ledger holds: one line an effect."""
    ledger = bot.workspace / "ledger.txt"
    return ledger.read_text().split() if ledger.exists() else []


async def one_answer(witness: Witness, bot: BotProcess, said: str, number: str) -> None:
    """Wait for the outcome; there is one answer, and the effect happened at most once."""
    ended = await witness.outcome(said)

    assert ended.outcome == "answered", ended.reason
    assert len(witness.answers(said)) == 1
    assert written(bot).count(number) <= 1
    if "is written" in ended.text:
        assert written(bot).count(number) == 1


@pytest.mark.timeout(400)
async def test_killed_at_every_fault_point(tmp_path: Path) -> None:
    async with a_bot(tmp_path) as (bot, _):
        for point in (
            point for point in POINTS if not point.startswith(("ob.", "run.start", "approval."))
        ):
            number = point.replace(".", "-").replace(":", "-")
            await bot.start(fault=f"{point}=kill")
            async with a_witness(bot) as witness:
                said = "" if bot.is_dead else await witness.say(f"write {number}")
                if point != "recover":
                    assert await bot.died() == -9, point
                    await bot.start()
                if not said:
                    said = await witness.say(f"write {number}")
                await one_answer(witness, bot, said, number)
            if point == "recover":
                await bot.stop()
            else:
                await bot.stop()


@pytest.mark.timeout(400)
async def test_killed_while_a_look_is_recorded_beside_the_next_question(tmp_path: Path) -> None:
    points = ("tool.exec", "model.commit:before", "tool.commit:before", "tool.commit:after")
    async with a_bot(tmp_path, onlooker) as (bot, _):
        for number, point in enumerate(points):
            await bot.start(fault=f"{point}=kill")
            async with a_witness(bot) as witness:
                said = await witness.say(f"look {number}")
                assert await bot.died() == -9, point
                await bot.start()
                ended = await witness.outcome(said)

                assert (ended.outcome, len(witness.answers(said))) == ("answered", 1), point
                assert ended.text == f"Number {number} is seen."
                assert ended.usage.tool_calls == 1, "what was not recorded did not happen"
            await bot.stop()


@pytest.mark.parametrize("point", ["run.start:before", "run.start:after"])
async def test_killed_while_it_takes_what_another_crash_left(tmp_path: Path, point: str) -> None:
    async with a_bot(tmp_path) as (bot, _):
        await bot.start(fault="in.commit:after=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("write 7")
            assert await bot.died() == -9
            await bot.start(fault=f"{point}=kill")
            assert await bot.died() == -9
            await bot.start()
            await one_answer(witness, bot, said, "7")


@pytest.mark.parametrize("point", [point for point in POINTS if point.startswith("ob.")])
async def test_killed_while_the_courier_is_on_its_way(tmp_path: Path, point: str) -> None:
    """An answer to the page needs no courier; what is said at the door does."""
    async with a_bot(tmp_path) as (bot, _):
        await bot.start(fault=f"{point}=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("/stop")
            assert await bot.died() == -9
            await bot.start()
            ended = await witness.outcome(said)

            assert ended.outcome == "answered"
            assert len(witness.answers(said)) == 1


async def test_killed_while_it_mends_what_a_crash_left(tmp_path: Path) -> None:
    async with a_bot(tmp_path) as (bot, _):
        await bot.start(fault="tool.start:after=kill")
        async with a_witness(bot) as witness:
            said = await witness.say("write 7")
            assert await bot.died() == -9
            await bot.start(fault="recover=kill")
            assert await bot.died() == -9
            await bot.start()
            await one_answer(witness, bot, said, "7")


@pytest.mark.timeout(400)
async def test_killed_at_random_moments(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    async with a_bot(tmp_path) as (bot, model):
        await bot.start()
        async with a_witness(bot) as witness:
            for number in range(KILLS):
                said = await witness.say(f"write {number}")
                await asyncio.sleep(chance.uniform(0.0, 0.12))
                await bot.kill()
                await bot.start()
                await one_answer(witness, bot, said, str(number))
        heard = [f for f in witness.lines if f.direction == "heard"]

    assert len(heard) == KILLS
    assert bot.deaths >= KILLS
    assert model.complaints == []
