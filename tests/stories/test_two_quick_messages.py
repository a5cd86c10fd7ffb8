import asyncio
from pathlib import Path

from tests.doubles.agent import until
from tests.doubles.rig import a_rig
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger


async def test_a_second_message_joins_the_running_turn_and_both_are_answered_once(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    go_on = asyncio.Event()

    async def wait_for_the_second(_context: object, _arguments: object) -> str:
        await until(go_on)
        return "done"

    tool = ledger.tool(act=wait_for_the_second)
    async with a_rig(tmp_path / "home", call("act"), words("Both."), tools=[tool]) as rig:
        first = await rig.say("fix the tests")
        await until(ledger.began)
        second = await rig.say("and leave the generated files alone")
        go_on.set()
        await rig.outcome(first.turn_id)
        record = await rig.outcome(second.turn_id)
        screen = await rig.screen()

    assert screen == ["fix the tests", "and leave the generated files alone", "Both."]
    assert record.absorbed_by == first.turn_id
    seen = [getattr(message, "text", "") for message in rig.model.requests[-1].messages]
    assert any("leave the generated files alone" in text for text in seen)


async def test_a_message_that_comes_after_the_last_word_has_its_own_turn(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("One."), words("Two.")) as rig:
        assert await rig.answered("first") == "One."
        assert await rig.answered("second") == "Two."
        assert await rig.screen() == ["first", "One.", "second", "Two."]


async def test_the_same_message_sent_three_times_is_one_message(tmp_path: Path) -> None:
    client_id = "5f0c7c1e-3b0e-4b52-9a37-8f1d2f6f0001"
    async with a_rig(tmp_path / "home", words("Once.")) as rig:
        accepted = await asyncio.gather(*(rig.say("hello", client_id=client_id) for _ in range(3)))
        await rig.outcome(accepted[0].turn_id)
        screen = await rig.screen()

    assert screen == ["hello", "Once."]
    assert len({one.turn_id for one in accepted}) == 1
    assert sorted(one.duplicate for one in accepted) == [False, True, True]
