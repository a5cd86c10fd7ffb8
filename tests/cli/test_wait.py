"""``stonechat ask --no-wait`` and ``stonechat wait``: hand over now, look later, from anywhere."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from bot.cli import Exit
from bot.cli.wait import exit_of
from bot.contracts.delivery import DeliveryState
from bot.contracts.turn import OutcomeKind, TurnId
from bot.contracts.waiting import DeliverySeen, Waited, WaitState
from tests.doubles.bot_process import ROOT, BotProcess

pytestmark = pytest.mark.timeout(240)


async def say(bot: BotProcess, *arguments: str) -> tuple[int | None, str, str]:
    """Type a command; return its exit code and what it printed."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(bot.home.parent),
        "STONECHAT_HOME": str(bot.home),
    }
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "bot", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, env=environ, cwd=ROOT, stdout=pipe, stderr=pipe
    )
    out, err = await process.communicate()
    return process.returncode, out.decode().strip(), err.decode().strip()


async def test_what_was_handed_over_is_waited_for_beside_the_bot_and_after_it(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    bot = BotProcess(home)
    nobody, _, no_bot = await say(bot, "ask", "--no-wait", "hello")
    await bot.start()
    try:
        _, turn, _ = await say(bot, "ask", "--no-wait", "hello")
        ended, answer, _ = await say(bot, "wait", turn, "--delivered")
        unknown, _, why = await say(bot, "wait", "nobody-s")
    finally:
        await bot.stop()
    _, later, _ = await say(bot, "wait", turn[:20], "--json")
    seen = json.loads(later)

    assert (nobody, ended, unknown) == (Exit.FAILED, Exit.DONE, Exit.FAILED)
    assert "no bot runs" in no_bot
    assert answer.startswith("I am a demo")
    assert "no turn and no message 'nobody-s'" in why
    assert (seen["turn_id"], seen["wait"], seen["outcome"]) == (turn, "ended", "answered")
    assert seen["text"] == answer
    assert [one["state"] for one in seen["deliveries"]] == ["sent"]


@pytest.mark.parametrize(
    ("wait", "outcome", "delivery", "code"),
    [
        (WaitState.PENDING, None, None, Exit.NOT_OVER),
        (WaitState.WAIT_EXPIRED, None, None, Exit.NOT_OVER),
        (WaitState.WAIT_EXPIRED, OutcomeKind.ANSWERED, DeliveryState.PENDING, Exit.NOT_OVER),
        (WaitState.ENDED, OutcomeKind.ANSWERED, DeliveryState.SENT, Exit.DONE),
        (WaitState.ENDED, OutcomeKind.ANSWERED, DeliveryState.REJECTED, Exit.FAILED),
        (WaitState.ENDED, OutcomeKind.SILENT, None, Exit.DONE),
        (WaitState.ENDED, OutcomeKind.INTERRUPTED, None, Exit.INTERRUPTED),
        (WaitState.ENDED, OutcomeKind.FAILED, None, Exit.FAILED),
        (WaitState.NOT_FOUND, None, None, Exit.FAILED),
    ],
)
def test_the_exit_code_tells_an_expired_wait_from_every_end(
    wait: WaitState, outcome: OutcomeKind | None, delivery: DeliveryState | None, code: Exit
) -> None:
    seen = () if delivery is None else (_seen(delivery),)
    learned = Waited(turn_id=TurnId("t"), wait=wait, outcome=outcome, deliveries=seen)

    assert exit_of(learned) is code


def _seen(state: DeliveryState) -> DeliverySeen:
    return DeliverySeen(id="t:0", state=state, receipt=None, reason="")
