"""What a message does to the turn that runs: the four timelines, with the real loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.contracts.messages import UserMessage
from bot.contracts.turn import OutcomeKind
from tests.doubles.agent import until
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger

HOW = ["by the configuration", "by the channel", "by /queue"]

TIMELINES = {
    "steer": ["A", "B", "C", "First."],
    "collect": ["A", "B", "C", "First.", "Second."],
    "followup": ["A", "B", "C", "First.", "Second.", "Third."],
    "interrupt": ["A", "B", "C", "Stopped.", "First."],
}
"""What the page shows, in order, when B and C come while A uses a tool."""


class Work:
    """A tool that goes on when the test says so."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.go_on = asyncio.Event()
        self.tool = self.ledger.tool(act=self._act)

    async def _act(self, _context: object, _arguments: object) -> str:
        await until(self.go_on)
        return "done"


@asynccontextmanager
async def a_bot(tmp_path: Path, mode: str, how: str, work: Work) -> AsyncIterator[Rig]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    if how == "by the configuration":
        (home / "config.yaml").write_text(f"queue: {{mode: {mode}}}\n")
    if how == "by the channel":
        other = "followup" if mode != "followup" else "steer"
        (home / "config.yaml").write_text(
            f"queue: {{mode: {other}, channels: {{webchat: {{mode: {mode}}}}}}}\n"
        )
    steps = (call("act"), words("First."), words("Second."), words("Third."))
    async with a_rig(home, *steps, tools=[work.tool]) as rig:
        if how == "by /queue":
            chosen = await rig.say(f"/queue {mode}")
            await rig.outcome(chosen.turn_id)
        yield rig


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("mode", TIMELINES)
async def test_two_messages_during_a_turn_follow_the_modes_timeline(
    tmp_path: Path, mode: str, how: str
) -> None:
    work = Work()
    async with a_bot(tmp_path, mode, how, work) as rig:
        before = len(await rig.screen())
        a = await rig.say("A")
        await until(work.ledger.began)
        b, c = await rig.say("B"), await rig.say("C")
        work.go_on.set()
        outcomes = [await rig.outcome(one.turn_id) for one in (a, b, c)]
        screen = (await rig.screen())[before:]
        requests = rig.model.requests

    assert screen == TIMELINES[mode]
    kinds = [record.outcome and record.outcome.kind for record in outcomes]
    assert kinds[0] is (OutcomeKind.INTERRUPTED if mode == "interrupt" else OutcomeKind.ANSWERED)
    assert kinds[1:] == [OutcomeKind.ANSWERED] * 2
    last = [m.text.rsplit(" ", 1)[-1] for m in requests[-1].messages if isinstance(m, UserMessage)]
    assert [text for text in last if text in {"A", "B", "C"}] == ["A", "B", "C"]


async def test_one_message_interrupts_where_the_session_steers(tmp_path: Path) -> None:
    work = Work()
    async with a_bot(tmp_path, "steer", "by the configuration", work) as rig:
        a = await rig.say("A")
        await until(work.ledger.began)
        b = await rig.say("/queue interrupt: no, B")
        stopped, answered = await rig.outcome(a.turn_id), await rig.outcome(b.turn_id)

    assert stopped.outcome is not None
    assert stopped.outcome.kind is OutcomeKind.INTERRUPTED
    assert answered.absorbed_by is None


async def test_a_burst_is_one_turn_and_survives_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("queue: {debounce_seconds: 1, mode: followup}\n")
    async with a_rig(home, words("never")) as rig:
        said = [await rig.say(text) for text in ("one", "two")]
        assert rig.model.requests == []
    async with a_rig(home, words("Both.")) as rig:
        records = [await rig.outcome(one.turn_id) for one in said]
        screen = await rig.screen()

    assert screen == ["one", "two", "Both."]
    assert records[1].absorbed_by == said[0].turn_id
