import asyncio
from pathlib import Path

import pytest

from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.turn import OutcomeKind
from tests.doubles.agent import until
from tests.doubles.rig import a_rig
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger


@pytest.mark.parametrize("text", ["/stop", "stop", "停"])
async def test_a_stop_word_ends_a_running_tool_and_says_so_once(tmp_path: Path, text: str) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever)
    async with a_rig(tmp_path / "home", call("act"), words("Next."), tools=[tool]) as rig:
        running = await rig.say("work for hours")
        await until(ledger.began)
        await rig.say(text)
        record = await rig.outcome(running.turn_id)
        told = await rig.said_to(running.turn_id)
        after = await rig.answered("are you there?")

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.INTERRUPTED
    assert len(told) == 1
    assert after == "Next."
    results = [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]
    assert [result.state for result in results] == [ResultState.KILLED]


async def test_the_stop_button_ends_a_model_in_the_middle_of_its_words(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("never said"), words("Next.")) as rig:
        rig.model.holding = asyncio.Event()
        running = await rig.say("tell me everything")
        await until(rig.model.asked)
        await rig.press_stop()
        record = await rig.outcome(running.turn_id)
        rig.model.holding = None
        screen = await rig.screen()

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.INTERRUPTED
    assert "never said" not in screen


async def test_a_stop_ends_what_waits_and_its_answer_says_what_was_cancelled(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever)
    async with a_rig(tmp_path / "home", call("act"), tools=[tool]) as rig:
        running = await rig.say("work for hours")
        await until(ledger.began)
        waiting = await rig.say("and then this")
        also = await rig.say("and that")
        stop = await rig.press_stop()
        await rig.outcome(running.turn_id)
        record = await rig.outcome(waiting.turn_id)
        await rig.outcome(also.turn_id)
        await rig.outcome(stop.turn_id)
        told = [await rig.said_to(one.turn_id) for one in (running, waiting, also, stop)]

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.INTERRUPTED
    assert record.outcome.reference == stop.turn_id
    assert told == [
        ["Stopped."],
        [],
        [],
        ["Stopped, and 2 messages that were waiting were cancelled."],
    ]


async def test_a_stop_where_nothing_runs_says_that(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home") as rig:
        accepted = await rig.say("/stop")
        await rig.outcome(accepted.turn_id)
        told = await rig.said_to(accepted.turn_id)

    assert len(told) == 1
