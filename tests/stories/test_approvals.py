"""A call that a person has to decide about: asked, decided, carried out, told."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.contracts.approval import Approval, ApprovalState
from bot.contracts.channel import Accepted
from bot.contracts.decision import Decision
from bot.contracts.inbound import EventClass, Inbound, Sender
from bot.contracts.messages import ResultState, ToolResult, UserMessage
from bot.contracts.turn import OutcomeKind
from tests.doubles.agent import until
from tests.doubles.rig import PAGE, Rig, a_rig
from tests.doubles.scripted_model import Step, call, calls, words
from tests.doubles.tools import Ledger

_SAYS_BYE = """
from bot.contracts.extension import Changed, ToolHooks


async def before(use):
    return Changed(arguments={"word": "bye"})


HOOKS = ToolHooks(before_tool=before)
"""


@asynccontextmanager
async def asking(
    home: Path, ledger: Ledger, *steps: Step, extra: Sequence[str] = (), **approvals: object
) -> AsyncIterator[Rig]:
    """A bot whose tool `act` has to be approved."""
    home.mkdir(mode=0o700, exist_ok=True)
    settings = {"tools": {"ask": ["act"], "extra": list(extra)}, "approvals": approvals}
    (home / "config.yaml").write_text(json.dumps(settings))
    async with a_rig(home, *steps, tools=[ledger.tool()]) as rig:
        yield rig


async def question(rig: Rig, accepted: Accepted, nth: int = 0) -> str:
    """Wait until a message has been answered with questions; return the code of one."""
    record = await rig.outcome(accepted.turn_id)
    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.ASKED, record.outcome
    return record.outcome.reference.split()[nth]


async def press(rig: Rig, code: str, word: str, *, by: str = "owner") -> Accepted:
    """Press a button of the question."""
    (accepted,) = await rig.app.gateway.receive(pressed(rig, code, word, by=by))
    return accepted


def pressed(rig: Rig, code: str, word: str, *, by: str = "owner") -> Inbound:
    """Make what a channel makes of a pressed button."""
    inbound = rig.inbound(f"/approve {code} {word}", event=EventClass.INTERACTION)
    return replace(inbound, sender=Sender(id=by, display_name=by.title()))


async def known(rig: Rig, code: str) -> Approval:
    approval = await rig.app.store.approvals.get(code)
    assert approval is not None
    return approval


async def settled(rig: Rig, code: str) -> Approval:
    """Wait for the end of the turn that a decision opened."""
    approval = await known(rig, code)
    assert approval.decided_in is not None
    await rig.outcome(approval.decided_in)
    return await known(rig, code)


async def test_a_call_is_shown_in_full_and_carried_out_once_it_is_approved(tmp_path: Path) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act", word="hi"), words("Done.")) as rig:
        accepted = await rig.say("do it")
        code = await question(rig, accepted)
        before = list(ledger.acts)
        (card,) = await rig.said_to(accepted.turn_id)
        await press(rig, code, "once")
        approval = await settled(rig, code)
        screen = await rig.screen()

    assert before == []
    assert "hi" in card
    assert f"/approve {code} once" in card
    assert ledger.acts == ["act:hi"]
    assert approval.state is ApprovalState.CARRIED_OUT
    assert approval.decision is Decision.ONCE
    assert screen[-1] == "Done."


async def test_the_model_is_told_who_decided_and_what_came_of_it(tmp_path: Path) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act", word="hi"), words("Done.")) as rig:
        code = await question(rig, await rig.say("do it"))
        await press(rig, code, "once")
        await settled(rig, code)
        seen = rig.model.requests[-1].messages

    results = [one for one in seen if isinstance(one, ToolResult)]
    assert [one.state for one in results] == [ResultState.ASKED, ResultState.OK]
    assert results[-1].text == "said hi"
    assert len({one.call_id for one in results}) == 2
    assert any(isinstance(one, UserMessage) and "Owner approved" in one.text for one in seen)


async def test_the_person_goes_on_talking_while_a_question_waits(tmp_path: Path) -> None:
    ledger = Ledger()
    steps = (call("act", word="hi"), words("Four."), words("Done."))
    async with asking(tmp_path / "home", ledger, *steps) as rig:
        code = await question(rig, await rig.say("do it"))
        between = await rig.answered("what is two and two?")
        seen = rig.model.requests[-1].messages
        await rig.answered(f"/approve {code} once")
        await settled(rig, code)

    assert between == "Four."
    waiting = [one for one in seen if isinstance(one, ToolResult)]
    assert [one.state for one in waiting] == [ResultState.ASKED]
    assert code in waiting[0].text
    assert ledger.acts == ["act:hi"]


async def test_a_no_is_told_to_the_model_and_a_second_one_ends_the_plan(tmp_path: Path) -> None:
    ledger = Ledger()
    steps = (call("act", word="a"), call("act", word="b"), words("I do what you say."))
    async with asking(tmp_path / "home", ledger, *steps) as rig:
        first = await question(rig, await rig.say("do it"))
        await press(rig, first, "no")
        refused = await settled(rig, first)
        assert refused.decided_in is not None
        record = await rig.outcome(refused.decided_in)
        assert record.outcome is not None
        second = record.outcome.reference
        await press(rig, second, "no")
        await settled(rig, second)
        asked = len(rig.model.requests)
        screen = await rig.screen()
        await rig.answered("all right, leave it")
        seen = rig.model.requests[-1].messages

    assert ledger.acts == []
    assert asked == 2
    assert "no twice" in screen[-1]
    told = [one.text for one in seen if isinstance(one, UserMessage)]
    assert any("the plan is over" in text for text in told)


async def test_what_was_always_allowed_is_not_asked_for_again_and_nothing_else_is(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    steps = (
        call("act", word="hi"),
        words("Done."),
        call("act", word="hi"),
        words("Again."),
        call("act", word="hi!"),
    )
    async with asking(tmp_path / "home", ledger, *steps) as rig:
        code = await question(rig, await rig.say("do it"))
        await press(rig, code, "always")
        await settled(rig, code)
        again = await rig.answered("and again")
        await question(rig, await rig.say("and a little else"))
        (rule,) = await rig.app.store.approvals.rules()

    assert again == "Again."
    assert ledger.acts == ["act:hi", "act:hi"]
    assert (rule.tool, rule.identity) == ("act", '{"word": "hi"}')


async def test_a_rule_that_was_taken_back_is_asked_for_again(tmp_path: Path) -> None:
    ledger = Ledger()
    steps = (call("act", word="hi"), words("Done."), call("act", word="hi"))
    async with asking(tmp_path / "home", ledger, *steps) as rig:
        code = await question(rig, await rig.say("do it"))
        await press(rig, code, "always")
        await settled(rig, code)
        (rule,) = await rig.app.store.approvals.rules()
        taken = await rig.app.store.approvals.revoke(rule.number)
        await question(rig, await rig.say("and again"))

    assert taken == rule
    assert ledger.acts == ["act:hi"]


async def test_two_who_decide_at_the_same_moment_one_wins_and_the_other_is_told(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act"), words("Done.")) as rig:
        code = await question(rig, await rig.say("do it"))
        presses = pressed(rig, code, "once"), pressed(rig, code, "no")
        one, two = await rig.app.gateway.receive(*presses)
        approval = await settled(rig, code)
        await rig.outcome(two.turn_id)
        told = [*await rig.said_to(one.turn_id), *await rig.said_to(two.turn_id)]

    assert told == [f"Somebody else decided about {code} a moment before you."]
    assert approval.decision is Decision.ONCE
    assert ledger.acts == ["act:hello"]


async def test_several_questions_are_open_at_once_and_decided_one_by_one(tmp_path: Path) -> None:
    ledger = Ledger()
    steps = (
        calls(("act", {"word": "a"}, ""), ("act", {"word": "b"}, "")),
        words("First."),
        words("Second."),
    )
    async with asking(tmp_path / "home", ledger, *steps) as rig:
        accepted = await rig.say("do both")
        a, b = await question(rig, accepted), await question(rig, accepted, 1)
        cards = await rig.said_to(accepted.turn_id)
        await press(rig, b, "once")
        await settled(rig, b)
        await press(rig, a, "once")
        await settled(rig, a)

    assert len(cards) == 2
    assert ledger.acts == ["act:b", "act:a"]


async def test_a_decision_that_comes_twice_or_for_nothing_gets_one_clear_sentence(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act"), words("Done.")) as rig:
        code = await question(rig, await rig.say("do it"))
        how = await rig.answered(f"/approve {code} maybe")
        listed = await rig.answered("/approve")
        await press(rig, code, "once")
        await settled(rig, code)
        twice = await rig.answered(f"/approve {code.upper()} once")
        unknown = await rig.answered("/approve zz99z once")

    assert how == f"Write /approve {code} and then once, always or no."
    assert code in listed
    assert re.fullmatch(f"{code} was approved already, by Owner.", twice)
    assert unknown == "There is no question 'zz99z'."
    assert ledger.acts == ["act:hello"]


async def test_a_question_survives_a_restart_and_is_decided_after_it(tmp_path: Path) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act", word="hi")) as rig:
        code = await question(rig, await rig.say("do it"))
    async with asking(tmp_path / "home", ledger, words("Done.")) as rig:
        await press(rig, code, "once")
        await settled(rig, code)
        screen = await rig.screen()

    assert ledger.acts == ["act:hi"]
    assert screen[-1] == "Done."


async def test_a_deleted_conversation_takes_its_questions_along(tmp_path: Path) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act")) as rig:
        code = await question(rig, await rig.say("do it"))
        await rig.app.gateway.forget(PAGE)
        gone = await rig.answered(f"/approve {code} once")

    assert gone == f"There is no question {code!r}."
    assert ledger.acts == []


async def test_a_new_chapter_withdraws_what_the_one_before_asked(tmp_path: Path) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act")) as rig:
        code = await question(rig, await rig.say("do it"))
        await rig.answered("/new")
        told = await rig.answered(f"/approve {code} once")

    assert told == f"{code} is withdrawn: what asked for it has ended."
    assert ledger.acts == []


async def test_a_decision_that_waits_behind_a_turn_is_withdrawn_by_a_stop(tmp_path: Path) -> None:
    ledger = Ledger()
    async with asking(tmp_path / "home", ledger, call("act"), words("never")) as rig:
        code = await question(rig, await rig.say("do it"))
        rig.model.holding = asyncio.Event()
        rig.model.asked.clear()
        running = await rig.say("something long")
        await until(rig.model.asked)
        await press(rig, code, "once")
        approved = await known(rig, code)
        await rig.press_stop()
        await rig.outcome(running.turn_id)
        approval = await settled(rig, code)

    assert approved.state is ApprovalState.APPROVED
    assert approval.state is ApprovalState.WITHDRAWN
    assert ledger.acts == []


async def test_a_press_by_somebody_who_may_not_decide_leaves_it_waiting(tmp_path: Path) -> None:
    ledger = Ledger()
    steps = (call("act"), words("Done."))
    async with asking(tmp_path / "home", ledger, *steps, approvers=["webchat:ana"]) as rig:
        code = await question(rig, await rig.say("do it"))
        pressed_by_owner = await press(rig, code, "once")
        await rig.outcome(pressed_by_owner.turn_id)
        told = await rig.said_to(pressed_by_owner.turn_id)
        approval = await known(rig, code)

    assert told == [f"That is not yours to decide. {code} still waits."]
    assert approval.state is ApprovalState.ASKED
    assert ledger.acts == []


async def test_no_hook_makes_another_call_of_what_was_approved(tmp_path: Path) -> None:
    """The person saw one call in full; the module of another package makes a second of it."""
    home, ledger = tmp_path / "home", Ledger()
    extensions = home / "extensions"
    extensions.mkdir(mode=0o700, parents=True)
    (extensions / "says_bye.py").write_text(_SAYS_BYE)
    steps = (call("act", word="hi"), words("It was refused."))
    async with asking(home, ledger, *steps, extra=["says_bye"]) as rig:
        code = await question(rig, await rig.say("do it"))
        await press(rig, code, "once")
        await settled(rig, code)
        (result,) = [
            one
            for one in rig.model.requests[-1].messages
            if isinstance(one, ToolResult) and one.state is not ResultState.ASKED
        ]

    assert ledger.acts == []
    assert result.state is ResultState.DENIED
    assert "says_bye changed the arguments" in result.text
