"""What people ask of the bot itself, through the whole of it."""

import asyncio
import json
from pathlib import Path

from bot.contracts.messages import UserMessage
from bot.contracts.turn import OutcomeKind, ThinkingLevel
from tests.doubles.agent import until
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger


def seen(rig: Rig) -> list[str]:
    """What the model was told last, without the time and the place."""
    messages = rig.model.requests[-1].messages
    return [m.text.partition("] ")[2] for m in messages if isinstance(m, UserMessage)]


async def test_a_command_is_answered_without_a_model(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home") as rig:
        assert "/status" in await rig.answered("/help")
        assert "Stonechat" in await rig.answered("/Status@me:")
        assert rig.model.requests == []


async def test_status_is_answered_while_the_bot_works(tmp_path: Path) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever)
    async with a_rig(tmp_path / "home", call("act"), tools=[tool]) as rig:
        running = await rig.say("work for hours")
        await until(ledger.began)
        assert "nothing waits, one is being answered" in await rig.answered("/status")
        await rig.press_stop()
        await rig.outcome(running.turn_id)


async def test_new_begins_with_nothing_in_mind_and_resume_brings_it_back(tmp_path: Path) -> None:
    steps = [words(str(number)) for number in range(4)]
    async with a_rig(tmp_path / "home", *steps) as rig:
        await rig.answered("my cat is called Fern")
        assert "begin anew" in await rig.answered("/new")
        await rig.answered("what is my cat called?")
        assert seen(rig) == ["what is my cat called?"]
        assert "my cat is called Fern" in await rig.answered("/resume")
        await rig.answered("and now?")
        assert seen(rig) == ["my cat is called Fern", "and now?"]
        listed = await rig.answered("/resume list")
        assert "1. " in listed
        assert "what is my cat called?" in listed


async def test_the_text_behind_new_is_its_first_message(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("one"), words("two")) as rig:
        await rig.answered("hello")
        assert await rig.answered("/new let us talk\nabout boats") == "two"
        assert seen(rig) == ["let us talk\nabout boats"]


async def test_new_during_a_run_stops_it_first_and_leaves_nothing_behind(tmp_path: Path) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever)
    async with a_rig(tmp_path / "home", call("act"), words("Fresh."), tools=[tool]) as rig:
        running = await rig.say("work for hours")
        await until(ledger.began)
        waiting = await rig.say("and this, too")
        await rig.say("/new")
        stopped = await rig.outcome(running.turn_id)
        never = await rig.outcome(waiting.turn_id)
        assert await rig.answered("hello") == "Fresh."
        assert seen(rig) == ["hello"]
        assert stopped.outcome is not None
        assert stopped.outcome.kind is OutcomeKind.INTERRUPTED
        assert never.outcome is not None
        assert never.outcome.kind is OutcomeKind.INTERRUPTED
        told = [await rig.said_to(one.turn_id) for one in (running, waiting)]
        assert [len(lines) for lines in told] == [1, 1]


async def test_an_answer_that_comes_while_new_is_said_stays_in_what_was_before(
    tmp_path: Path,
) -> None:
    async with a_rig(tmp_path / "home", words("late"), words("Fresh.")) as rig:
        rig.model.holding = asyncio.Event()
        running = await rig.say("think about it")
        await until(rig.model.asked)
        await rig.say("/new")
        rig.model.holding.set()
        await rig.outcome(running.turn_id)
        rig.model.holding = None
        await rig.answered("hello")
        assert seen(rig) == ["hello"]
        assert "think about it" in await rig.answered("/resume")


async def test_the_same_new_twice_begins_once(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("one"), words("two")) as rig:
        first = await rig.say("/new", client_id="the-same")
        await rig.answered("remember this")
        again = await rig.say("/new", client_id="the-same")
        await rig.answered("hello")
        assert (again.turn_id, again.duplicate) == (first.turn_id, True)
        assert seen(rig) == ["remember this", "hello"]


async def test_a_directive_is_for_its_message_and_alone_for_the_session(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("one"), words("two"), words("three")) as rig:
        await rig.answered("/think high fix this")
        assert seen(rig) == ["fix this"]
        assert rig.model.requests[-1].thinking is ThinkingLevel.HIGH
        await rig.answered("and that")
        assert rig.model.requests[-1].thinking is None
        await rig.answered("/think: low")
        await rig.answered("and the rest")
        assert rig.model.requests[-1].thinking is ThinkingLevel.LOW
        assert "thinking low" in await rig.answered("/status")


async def test_a_value_that_is_none_changes_nothing_and_shows_the_right_ones(
    tmp_path: Path,
) -> None:
    async with a_rig(tmp_path / "home") as rig:
        await rig.answered("/think low")
        assert "off, minimal, low" in await rig.answered("/think harrd")
        assert "is low" in await rig.answered("/think")
        assert "There is no model 'gpt'" in await rig.answered("/model gpt")
        assert "1 to 1,000" in await rig.answered("/history many")


async def test_history_is_cut_at_the_number_that_was_chosen(tmp_path: Path) -> None:
    steps = [words(str(number)) for number in range(4)]
    async with a_rig(tmp_path / "home", *steps) as rig:
        await rig.answered("/history 2")
        for text in ("one", "two", "three", "four"):
            await rig.answered(text)
        assert seen(rig) == ["three", "four"]


async def test_an_export_is_there_for_people_and_for_programs(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("Hi, Ann.")) as rig:
        await rig.answered("I am Ann")
        said = await rig.answered("/export")
        markdown, whole = sorted((rig.workspace / "exports").iterdir(), reverse=True)
        assert "1 turn is written down in exports/" in said
        assert "I am Ann" in markdown.read_text()
        assert "Hi, Ann." in markdown.read_text()
        assert json.loads(whole.read_text())["session"] == "agent:main:main"


async def test_verbose_shows_what_was_done_on_the_way(tmp_path: Path) -> None:
    tool = Ledger().tool()
    steps = [call("act"), words("Done."), call("act"), words("Done again.")]
    async with a_rig(tmp_path / "home", *steps, tools=[tool]) as rig:
        assert await rig.answered("do it") == "Done."
        await rig.answered("/verbose on")
        shown = await rig.answered("do it again")
        assert shown.endswith("Done again.")
        assert "act" in shown


async def test_a_command_in_chinese_is_answered_in_chinese(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home") as rig:
        assert "版本" in await rig.answered("/状态")
