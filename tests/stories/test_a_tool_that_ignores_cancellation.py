from pathlib import Path

from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.turn import OutcomeKind
from tests.doubles.agent import until
from tests.doubles.rig import a_rig
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger


async def test_it_cannot_hold_the_turn_and_its_late_end_changes_nothing(tmp_path: Path) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.ignore_cancellation)
    async with a_rig(tmp_path / "home", call("act"), words("I am free."), tools=[tool]) as rig:
        running = await rig.say("do it")
        await until(ledger.began)
        await rig.press_stop()
        record = await rig.outcome(running.turn_id)
        after = await rig.answered("are you there?")
        ledger.going_on.set()

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.INTERRUPTED
    assert after == "I am free."
    results = [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]
    assert [result.state for result in results] == [ResultState.UNKNOWN]
    assert "late" not in {result.text for result in results}
