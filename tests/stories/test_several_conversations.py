import asyncio
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from bot.contracts.messages import UserMessage
from bot.contracts.tool import ToolContext
from bot.contracts.turn import OutcomeKind
from tests.doubles.agent import until
from tests.doubles.rig import PAGE, Rig, a_rig
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger, Word

THREAD = replace(PAGE, thread_id=str(uuid4()))


def seen(rig: Rig) -> list[str]:
    """What the model was told last, without the time and the place."""
    messages = rig.model.requests[-1].messages
    return [m.text.partition("] ")[2] for m in messages if isinstance(m, UserMessage)]


async def test_each_conversation_remembers_its_own(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("one"), words("two"), words("three")) as rig:
        await rig.answered("the roof leaks")
        thread = replace(rig, conversation=THREAD)
        assert await thread.answered("buy bread") == "two"
        assert seen(rig) == ["buy bread"]
        await rig.answered("and the wall")

        assert seen(rig) == ["the roof leaks", "and the wall"]
        listed = await rig.app.gateway.conversations(PAGE)
        assert [one.opening for one in listed] == ["the roof leaks", "buy bread"]
        sessions = await rig.app.store.ledger.sessions()
        assert {one.key for one in sessions} == {
            "agent:main:main",
            f"agent:main:webchat:default:direct:main:thread:{THREAD.thread_id}",
        }


async def test_two_conversations_are_worked_on_at_the_same_time(tmp_path: Path) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever)
    async with a_rig(tmp_path / "home", call("act"), words("quick"), tools=[tool]) as rig:
        await rig.say("work for hours")
        await until(ledger.began)

        assert await replace(rig, conversation=THREAD).answered("hello") == "quick"
        await rig.press_stop()


async def test_a_deleted_conversation_stops_its_tool_and_is_remembered_by_nobody(
    tmp_path: Path,
) -> None:
    ledger, ended = Ledger(), asyncio.Event()

    async def act(context: ToolContext, arguments: Word) -> str:
        try:
            return await ledger.wait_forever(context, arguments)
        finally:
            ended.set()

    tool = ledger.tool(act=act)
    home, message_id = tmp_path / "home", str(uuid4())
    async with a_rig(home, words("told"), call("act"), words("Anew."), tools=[tool]) as rig:
        thread = replace(rig, conversation=THREAD)
        await thread.answered("the secret")
        running = await thread.say("work on the secret", client_id=message_id)
        await until(ledger.began)

        await rig.app.gateway.forget(THREAD)
        await until(ended)

        record = await thread.outcome(running.turn_id)
        assert record.outcome is not None
        assert (record.outcome.kind, record.outcome.reason) == (
            OutcomeKind.INTERRUPTED,
            "deleted",
        )
        again = await thread.say("work on the secret", client_id=message_id)
        assert (again.duplicate, again.turn_id) == (True, running.turn_id)
        assert await rig.app.gateway.accepted(THREAD, again.source) == again
        assert await rig.app.gateway.accepted(PAGE, again.source) is None
        assert await thread.screen() == []
        assert await rig.app.gateway.search(PAGE, ["secret"]) == []
        assert await thread.answered("hello") == "Anew."
        assert seen(rig) == ["hello"]
        assert await thread.screen() == ["hello", "Anew."]
