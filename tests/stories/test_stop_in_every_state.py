"""A stop ends a turn in each state that it can be in, soon, and the next message is answered."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.contracts.channel import Accepted
from bot.contracts.errors import ModelDisconnected
from bot.contracts.events import AttemptFailed
from bot.contracts.messages import AssistantMessage, ToolResult, UserMessage
from bot.contracts.model import ModelRequest
from bot.contracts.turn import OutcomeKind
from tests.doubles.agent import until
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import Step, call, calls, words
from tests.doubles.tools import Ledger

SOON_SECONDS = 1.0


@dataclass
class State:
    """How a turn gets into a state, and how long it would stay there."""

    steps: tuple[Step, ...]
    reach: Callable[[Rig, "State"], Awaitable[Accepted]]
    ledger: Ledger = field(default_factory=Ledger)
    alone: bool = False
    ignores: bool = False
    config: str = ""
    shows: list[str] = field(default_factory=lambda: ["Stopped."])


async def before_a_word(rig: Rig, _state: State) -> Accepted:
    rig.model.holding = asyncio.Event()
    running = await rig.say("go")
    await until(rig.model.asked)
    return running


async def in_the_middle_of_its_words(rig: Rig, _state: State) -> Accepted:
    rig.model.pausing = asyncio.Event()
    running = await rig.say("go")
    await until(rig.model.spoke)
    return running


async def while_it_waits_to_try_again(rig: Rig, _state: State) -> Accepted:
    with rig.app.gateway.follow(rig.conversation) as news:
        running = await rig.say("go")
        async with asyncio.timeout(10):
            while not isinstance(await anext(news), AttemptFailed):
                pass
    return running


async def in_a_tool(rig: Rig, state: State) -> Accepted:
    running = await rig.say("go")
    await until(state.ledger.began)
    return running


async def while_more_may_come(rig: Rig, _state: State) -> Accepted:
    return await rig.say("go")


async def behind_another(rig: Rig, state: State) -> Accepted:
    await in_a_tool(rig, state)
    return await rig.say("/queue followup: go on")


STATES = {
    "before a word": State(steps=(words("never"),), reach=before_a_word),
    "in the middle of its words": State(
        steps=(words("The answer is never told."),),
        reach=in_the_middle_of_its_words,
        shows=["The ans\n\nStopped."],
    ),
    "while it waits to try again": State(
        steps=(ModelDisconnected("gone", retry_after=15.0), words("never")),
        reach=while_it_waits_to_try_again,
    ),
    "in a tool": State(steps=(call("act"),), reach=in_a_tool),
    "in two tools side by side": State(
        steps=(calls(("act", {"word": "a"}, "1"), ("act", {"word": "b"}, "2")),), reach=in_a_tool
    ),
    "in the first of two tools": State(
        steps=(calls(("act", {"word": "a"}, "1"), ("act", {"word": "b"}, "2")),),
        reach=in_a_tool,
        alone=True,
    ),
    "in a tool that does not hear": State(steps=(call("act"),), reach=in_a_tool, ignores=True),
    "while more may come": State(
        steps=(),
        reach=while_more_may_come,
        config="queue: {debounce_seconds: 60, longest_wait_seconds: 120}\n",
        shows=[],
    ),
    "behind another": State(steps=(call("act"),), reach=behind_another, shows=[]),
}


@pytest.mark.parametrize("name", STATES)
async def test_a_stop_ends_it_soon_and_the_next_message_is_answered(
    tmp_path: Path, name: str
) -> None:
    state = STATES[name]
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    if state.config:
        (home / "config.yaml").write_text(state.config)
    ledger = state.ledger = Ledger()
    act = ledger.ignore_cancellation if state.ignores else ledger.wait_forever
    tool = ledger.tool(act=act, alone=state.alone)
    async with a_rig(home, *state.steps, tools=[tool]) as rig:
        running = await state.reach(rig, state)
        began = time.monotonic()
        await rig.press_stop()
        record = await rig.outcome(running.turn_id)
        took = time.monotonic() - began
        ledger.going_on.set()
        rig.model.holding = rig.model.pausing = None
        told = await rig.said_to(running.turn_id)
        if state.config:
            await rig.outcome((await rig.say("/queue debounce:0")).turn_id)
        rig.model.left[:] = [words("Next.")]  # type: ignore[index] # the double's own list
        after = await rig.answered("are you there?")

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.INTERRUPTED
    assert told == state.shows
    assert took < SOON_SECONDS
    assert after == "Next."
    assert_legal_and_noted(rig.model.requests[-1], begun=bool(state.shows))


def assert_legal_and_noted(request: ModelRequest, *, begun: bool) -> None:
    """Every call has its one result right behind it, and the model knows of the stop."""
    open_calls: list[str] = []
    for message in request.messages:
        if isinstance(message, ToolResult):
            open_calls.remove(message.call_id)
        else:
            assert not open_calls
        if isinstance(message, AssistantMessage):
            open_calls = [one.id for one in message.tool_calls]
    assert not open_calls
    told = [message.text for message in request.messages if isinstance(message, UserMessage)]
    assert any("was stopped" in text for text in told) or not begun


async def test_what_was_seen_stays_is_marked_and_the_model_knows_how_far_it_came(
    tmp_path: Path,
) -> None:
    async with a_rig(tmp_path / "home", words("Some **answer** that is never told.")) as rig:
        running = await in_the_middle_of_its_words(rig, STATES["in a tool"])
        await rig.press_stop()
        await rig.outcome(running.turn_id)
        rig.model.pausing = None
        rig.model.then(words("Next."))
        await rig.answered("go on")
        screen = await rig.screen()

    assert screen[1].startswith("Some")
    assert screen[1].endswith("\n\nStopped.")
    assert screen[2:] == ["go on", "Next."]
    said = [m.text for m in rig.model.requests[-1].messages if isinstance(m, AssistantMessage)]
    assert [text for text in said if text.startswith("Some")]
    assert "never told" not in "".join(said)
