"""A key reaches the model's server and nothing else: no argument, no child, no tool's output."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Call

LOOK = (
    "touch began; while [ ! -e go ]; do sleep 0.05; done; "
    "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; ps axeww; echo looked"
)


def children(pid: int) -> Iterator[int]:
    """Everything *pid* started and everything that started, as far as it still runs."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            yield int(child)
            yield from children(int(child))


def what_ps_shows(pid: int) -> bytes:
    return b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ"))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="NOT TESTED: there is no /proc")
@pytest.mark.parametrize("is_exported", [False, True], ids=["in .env", "in the environment"])
async def test_neither_the_bot_nor_what_its_model_starts_shows_the_key(
    tmp_path: Path, is_exported: bool
) -> None:
    """O2. What is exported to the bot stands in the bot's own environment, and in no other."""
    look = Call(name="shell", arguments=json.dumps({"command": LOOK}))
    async with FakeOpenAI([Answer(calls=(look,)), Answer(text="Done.")]) as server:
        key = {"OPENAI_API_KEY": server.key}
        home = tmp_path / "home"
        home.mkdir(mode=0o700)
        if not is_exported:
            (home / ".env").write_text(f"OPENAI_API_KEY={server.key}\n")
            (home / ".env").chmod(0o600)
        bot = BotProcess(home, {"OPENAI_BASE_URL": server.base_url, **(key if is_exported else {})})
        await bot.start()
        async with a_witness(bot) as witness:
            said = await witness.say("look around")
            async with asyncio.timeout(30):
                while not (bot.workspace / "began").exists():  # noqa: ASYNC110 - only a file says it
                    await asyncio.sleep(0.02)
            shown = {pid: what_ps_shows(pid) for pid in (bot.pid, *children(bot.pid))}
            (bot.workspace / "go").touch()
            ended = await witness.outcome(said)
        await bot.stop()

    secret = server.key.encode()
    assert len(shown) > 1
    assert b"OPENAI_BASE_URL" in shown[bot.pid]
    assert [pid for pid, seen in shown.items() if secret in seen] == [bot.pid] * is_exported
    [result] = server.requests[-1].results
    assert "looked" in result.text
    assert server.key not in result.text
    assert ended.outcome == "answered"
