"""The real process: started, killed, started again, and talked to over its control socket."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.cli.client import Talk, control, is_answered
from channels.webchat.protocol import AcceptedFrame, EndedFrame, LineFrame
from tests.doubles.leftovers import ALIVE

ROOT = Path(__file__).parents[2]
_STARTING_SECONDS = 30.0
_ENDING_SECONDS = 60.0


class BotProcess:
    """``stonechat run`` on a state directory of its own."""

    def __init__(
        self,
        home: Path,
        environ: Mapping[str, str] | None = None,
        *,
        port: int = 0,
        command: Sequence[str] = (sys.executable, "-m", "bot", "run"),
        folder: Path = ROOT,
    ) -> None:
        self.home = home
        self.environ = dict(environ or {})
        self.port = port
        self.command = tuple(command)
        self.folder = folder
        self.deaths = 0
        self._process: asyncio.subprocess.Process | None = None

    @property
    def control_socket(self) -> Path:
        return self.home / "control.sock"

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self, *, fault: str = "") -> None:
        """Start it; return once it answers, or once it died on its way there."""
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home.parent),
            "STONECHAT_HOME": str(self.home),
            "STONECHAT_FAULT": fault,
            **self.environ,
        }
        with (self.home.parent / "bot.log").open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                "--port",
                str(self.port),
                env=environ,
                cwd=self.folder,
                stdout=output,
                stderr=output,
            )
        ALIVE.add(self._process.pid)
        async with asyncio.timeout(_STARTING_SECONDS):
            while self._process.returncode is None:
                if await is_answered(self.control_socket):
                    return
                await asyncio.sleep(0.02)

    async def link(self) -> str:
        """Ask it for a fresh link to its page."""
        async with control(self.control_socket) as http, http.post("/open") as response:
            return str((await response.json())["link"])

    async def died(self) -> int:
        """Wait until it has ended; return how (negative: the signal)."""
        assert self._process is not None
        async with asyncio.timeout(_ENDING_SECONDS):
            code = await self._process.wait()
        ALIVE.discard(self._process.pid)
        self.deaths += 1
        return code

    async def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        await self.died()

    async def stop(self) -> int:
        """End it as an operator would."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        return await self.died()

    @property
    def is_dead(self) -> bool:
        assert self._process is not None
        return self._process.returncode is not None


class Witness:
    """Somebody at the terminal who says things, and sees what everybody would see."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self.lines: list[LineFrame] = []
        self.ended: dict[str, EndedFrame] = {}
        self._turns: dict[str, str] = {}
        self._news = asyncio.Condition()

    async def watch(self) -> None:
        """Look on until cancelled."""
        async for frame in self._talk.frames():
            async with self._news:
                match frame:
                    case LineFrame():
                        self.lines.append(frame)
                    case AcceptedFrame():
                        self._turns[frame.id] = frame.turn
                    case EndedFrame():
                        self.ended[frame.turn] = frame
                    case _:
                        continue
                self._news.notify_all()

    async def say(self, text: str) -> str:
        """Say something; return its client id at once."""
        return await self._talk.say(text)

    async def outcome(self, said: str) -> EndedFrame:
        """Wait for how it ended, and until what tells of it has arrived."""
        async with asyncio.timeout(_ENDING_SECONDS), self._news:
            await self._news.wait_for(lambda: self._turns.get(said) in self.ended)
            ended = self.ended[self._turns[said]]
            await self._news.wait_for(lambda: self.answers(said))
            return ended

    def answers(self, said: str) -> list[str]:
        """What was said to it, in order: every copy that reached the screen."""
        turn = self._turns.get(said)
        return [f.text for f in self.lines if f.turn == turn and f.direction == "said"]


@asynccontextmanager
async def a_witness(bot: BotProcess) -> AsyncIterator[Witness]:
    """Watch the terminal's conversation, over as many lives of the bot as there are."""
    async with control(bot.control_socket) as http:
        witness = Witness(Talk(http))
        watching = asyncio.create_task(witness.watch())
        try:
            yield witness
        finally:
            watching.cancel()
            await asyncio.wait({watching})
