"""Somebody who follows a page to the letter, in a fresh copy and with nothing of their own."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.cli.client import is_answered
from tests.architecture.pages import tracked
from tests.architecture.source import ROOT
from tests.doubles.leftovers import ALIVE
from tests.packaging.installed import editable, empty_environment

UNTIL_STOPPED: Final = "until stopped"
NOT_RUN: Final = re.compile(r"not run here: \w.{9,}")
_SECONDS: Final = 60.0
_SET_UP: Final = (
    "import sys; sys.path.insert(0, 'script'); import set_up;"
    "set_up._stamp('run').write_text(set_up._state('run'))"
)


def fresh_copy(folder: Path) -> Path:
    """Copy what is in the project, with the environment that script/run would make in a minute."""
    for name in tracked():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    environment = empty_environment(folder / ".venv")
    editable(folder, environment)
    python = environment / "bin" / "python"
    subprocess.run([python, "-I", "-c", _SET_UP], cwd=folder, check=True)  # noqa: S603 - ours
    return folder


@dataclass
class Reader:
    """A person with a terminal for what runs, and another one for the rest."""

    copy: Path
    home: Path
    typed: str = ""
    """What they type, or paste, whenever a command reads."""
    _running: asyncio.subprocess.Process | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Take any free port: the page's own may be in use on this machine."""
        state = self.home / ".stonechat"
        state.mkdir(mode=0o700, parents=True)
        (state / "config.yaml").write_text("http: {port: 0}\n")

    async def follow(self, block: str) -> tuple[int, str]:
        """Type a block; return how it ended and what was said."""
        process = await self._start(block, stdin=asyncio.subprocess.PIPE)
        async with asyncio.timeout(_SECONDS):
            said, _ = await process.communicate(self.typed.encode())
        ALIVE.discard(process.pid)
        return process.returncode or 0, said.decode()

    async def keep_running(self, block: str) -> None:
        """Type a block that starts the bot, once the one before is stopped; wait for it."""
        await self.stop()
        # A shell that is interrupted forgets how its command ended; one with a trap passes it on.
        self._running = await self._start(f"trap : INT\n{block}", stdin=asyncio.subprocess.DEVNULL)
        async with asyncio.timeout(_SECONDS):
            while not await is_answered(self.home / ".stonechat" / "control.sock"):
                assert self._running.returncode is None, await _said(self._running)
                await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Press Ctrl-C where the bot runs."""
        process, self._running = self._running, None
        if process is None:
            return
        os.killpg(process.pid, signal.SIGINT)
        async with asyncio.timeout(_SECONDS):
            said, _ = await process.communicate()
        ALIVE.discard(process.pid)
        assert process.returncode == 0, said.decode()

    async def _start(self, block: str, *, stdin: int) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            "sh",
            "-euc",
            block,
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self.copy,
            start_new_session=True,
            env={"PATH": f"{sys.base_prefix}/bin:/usr/bin:/bin", "HOME": str(self.home)},
        )
        ALIVE.add(process.pid)
        return process


async def _said(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.read()).decode()
