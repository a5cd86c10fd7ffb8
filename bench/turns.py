"""Turn times: floor and bot take turns over their sockets, so that noise meets both."""

import asyncio
import re
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from bench.double import Asked, Behaviour
from bench.processes import Running
from bench.table import Row
from bench.talk import Conversation, Double, TurnTimes

BURST: Final = 18
"""Turns without a pause: the bot takes twenty messages of a conversation in ten seconds."""
_WINDOW_SECONDS: Final = 10.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, and the requests that the model saw of it."""

    times: TurnTimes
    asked: Sequence[Asked]

    @property
    def before(self) -> float:
        """Seconds from the message to its first request."""
        return self.asked[0].arrived - self.times.said

    @property
    def after(self) -> float:
        """Seconds from the last chunk to the answer."""
        return self.times.seen - self.asked[-1].answered

    @property
    def tool_loop(self) -> float:
        """Seconds from the chunk that asks for a tool to the request with its result."""
        return self.asked[1].arrived - self.asked[0].answered


@dataclass(slots=True, kw_only=True)
class Side:
    """One of the two that are measured."""

    running: Running
    conversation: Conversation
    database: str
    """What the names of its database's files have in common."""
    plain: list[Turn] = field(default_factory=list)
    tool: list[Turn] = field(default_factory=list)
    cpu_seconds: float = 0.0
    """Over the plain turns."""
    prefixes: list[tuple[int, int]] = field(default_factory=list)
    unanswered: int = 0


class Duel:
    """Floor and bot at the same double, message by message."""

    def __init__(self, double: Double, floor: Side, bot: Side) -> None:
        self._double = double
        self.floor = floor
        self.bot = bot
        self._room_at = 0.0

    async def first(self) -> int:
        """Say the first words of all to both; return the size of the bot's request for "hi"."""
        await self._turn(self.floor, "hi")
        size = (await self._turn(self.bot, "hi")).asked[0].size
        for number in range(3):
            for side in (self.floor, self.bot):
                await self._turn(side, f"Warm up {number}.")
        self._room_at = time.monotonic() + _WINDOW_SECONDS
        return size

    async def burst(self, *, tool: bool = False) -> None:
        """Let both take `BURST` turns, alternating."""
        await self._room()
        await self._double.behave(Behaviour(tool=tool))
        for number in range(BURST):
            for side in (self.floor, self.bot):
                before = side.running.cpu_seconds()
                turn = await self._turn(side, f"Message {number} of a few words.")
                (side.tool if tool else side.plain).append(turn)
                if not tool:
                    side.cpu_seconds += side.running.cpu_seconds() - before

    async def calls(self, side: Side, folder: Path) -> "Calls | None":
        """Let one side alone take turns; watch its system calls, where there is a `strace`."""
        if side is self.bot:
            await self._room()
        await self._double.behave(Behaviour())
        log = folder / f"strace-{side.database}"
        watching = await self._strace(side, log)
        for number in range(BURST):
            await self._turn(side, f"Message {number} of a few words.")
        side.prefixes = await self._double.prefixes()
        if watching is None:
            return None
        watching.terminate()
        await watching.wait()
        return Calls.of(log.read_text(errors="replace").splitlines(), side.database)

    async def _strace(self, side: Side, log: Path) -> asyncio.subprocess.Process | None:
        """Begin to write down *side*'s system calls about files; None where nobody may."""
        if shutil.which("strace") is None:
            return None
        watching = await asyncio.create_subprocess_exec(
            *("strace", "-f", "-y", "-qq", "-e", "trace=%file,getdents64,fsync,fdatasync"),
            *("-o", str(log), "-p", str(side.running.pid)),
            stderr=asyncio.subprocess.DEVNULL,
        )
        await asyncio.sleep(1.0)
        if watching.returncode is not None:
            return None
        log.write_bytes(b"")  # noqa: ASYNC240 - nothing else waits
        return watching

    async def _room(self) -> None:
        await asyncio.sleep(max(0.0, self._room_at - time.monotonic()))
        self._room_at = time.monotonic() + _WINDOW_SECONDS

    async def _turn(self, side: Side, text: str) -> Turn:
        times = await side.conversation.say(text)
        side.unanswered += not times.answered
        return Turn(times=times, asked=await self._double.asked())


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """System calls a turn, about files."""

    elsewhere: float
    """Outside the database: opens, stats, listings."""
    syncs: float

    @classmethod
    def of(cls, lines: Iterable[str], database: str) -> "Calls":
        """Count in the lines of ``strace -f -y`` (pure)."""
        begun = [line for line in lines if re.match(r"\d+\s+\w+\(", line)]
        syncs = [line for line in begun if re.match(r"\d+\s+f(data)?sync\(", line)]
        others = [line for line in begun if line not in syncs and database not in line]
        return cls(elsewhere=len(others) / BURST, syncs=len(syncs) / BURST)


def rows(duel: Duel) -> list[Row]:
    """Compare what both took (pure)."""
    floor, bot = duel.floor, duel.bot
    overhead = [[turn.before + turn.after for turn in side.plain] for side in (floor, bot)]
    return [
        _ms("overhead of a turn, p50", *overhead, aim="4x, 12 ms"),
        Row(
            name="overhead of a turn, p99, beside the floor's p50",
            unit="ms",
            beside=median(overhead[0]) * 1e3,
            bot=_p(99, overhead[1]) * 1e3,
            aim="12x",
        ),
        _ms("  message to model request", *([t.before for t in s.plain] for s in (floor, bot))),
        _ms("  last chunk to answer", *([t.after for t in s.plain] for s in (floor, bot))),
        Row(
            name="first sign of life, p95",
            unit="ms",
            bot=_p(95, [turn.times.sign - turn.times.said for turn in bot.plain]) * 1e3,
            aim="300 ms",
        ),
        _ms("tool loop (a read)", *([t.tool_loop for t in s.tool] for s in (floor, bot)), aim="4x"),
        Row(
            name="CPU of a turn, one conversation",
            unit="ms",
            beside=floor.cpu_seconds / len(floor.plain) * 1e3,
            bot=bot.cpu_seconds / len(bot.plain) * 1e3,
            aim="3x",
        ),
    ]


def prefix_row(side: Side) -> Row:
    """Say how many requests began with all of the one before, its two closing brackets aside."""
    same = sum(common >= size - len(b"]}") for size, common in side.prefixes)
    return Row(
        name="requests that begin with the one before",
        unit="%",
        bot=100 * same / len(side.prefixes),
        aim="100",
    )


def _ms(name: str, floor: Sequence[float], bot: Sequence[float], *, aim: str = "") -> Row:
    return Row(name=name, unit="ms", beside=median(floor) * 1e3, bot=median(bot) * 1e3, aim=aim)


def _p(percent: int, values: Sequence[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]
