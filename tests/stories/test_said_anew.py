from pathlib import Path
from uuid import uuid4

from bot.contracts.messages import AssistantMessage, UserMessage
from tests.doubles.rig import a_rig
from tests.doubles.scripted_model import words


async def test_the_model_sees_only_what_was_said_last(tmp_path: Path) -> None:
    steps = [words("Hello."), words("Five."), words("Six."), words("Half a dozen.")]
    async with a_rig(tmp_path / "home", *steps) as rig:
        await rig.answered("hello")
        first, second = str(uuid4()), str(uuid4())
        await rig.outcome((await rig.say("two plus three?", client_id=first)).turn_id)
        edited = await rig.say("two plus four?", client_id=second, replaces=first)
        await rig.outcome(edited.turn_id)
        again = await rig.say("two plus four?", replaces=second)
        await rig.outcome(again.turn_id)
        screen = await rig.screen()

    seen = [
        message.text.partition("] ")[2] or message.text
        for message in rig.model.requests[-1].messages
        if isinstance(message, UserMessage | AssistantMessage)
    ]
    assert seen == ["hello", "Hello.", "two plus four?"]
    assert screen[2:] == [
        "two plus three?",
        "Five.",
        "two plus four?",
        "Six.",
        "two plus four?",
        "Half a dozen.",
    ]


async def test_it_is_still_so_after_a_restart(tmp_path: Path) -> None:
    home, first = tmp_path / "home", str(uuid4())
    async with a_rig(home, words("Five.")) as rig:
        await rig.outcome((await rig.say("two plus three?", client_id=first)).turn_id)
    async with a_rig(home, words("Six.")) as rig:
        await rig.outcome((await rig.say("two plus four?", replaces=first)).turn_id)

    assert len(rig.model.requests[-1].messages) == 1
