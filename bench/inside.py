"""Many conversations in one process, without sockets: ``python -m bench.inside floor|bot …``.

Few conversations can be had over the bot's own sockets, and those are paced. So the crowd
speaks where a channel does: to the bot's gateway, and to the floor's one function. Prints
one JSON object.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from bench.floor import Floor

Say = Callable[[int, str], Awaitable[bool]]
"""Says something in a conversation and returns, once it was answered, whether it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """What came of it; times in seconds, one a turn, in the order of a conversation's turns."""

    seconds: float
    cpu_seconds: float
    latencies: list[float]
    cpu: list[float]
    """The process's own, between the beginning and the end of a turn: of one conversation only."""
    unanswered: int
    synchronous: int


async def speak(say: Say, conversations: int, turns: int, synchronous: int) -> Crowd:
    """Let so many conversations take so many turns each, side by side, after one to warm up."""
    latencies: list[float] = []
    cpu: list[float] = []
    answered: list[bool] = []

    async def one(conversation: int) -> None:
        for turn in range(turns):
            began, cpu_began = time.monotonic(), time.process_time()
            answered.append(await say(conversation, f"Message {turn} of a few words."))
            latencies.append(time.monotonic() - began)
            cpu.append(time.process_time() - cpu_began)

    await say(-1, "The first of all.")
    began, cpu_began = time.monotonic(), time.process_time()
    await asyncio.gather(*(one(number) for number in range(conversations)))
    return Crowd(
        seconds=time.monotonic() - began,
        cpu_seconds=time.process_time() - cpu_began,
        latencies=latencies,
        cpu=cpu if conversations == 1 else [],
        unanswered=answered.count(False),
        synchronous=synchronous,
    )


@asynccontextmanager
async def a_floor(home: Path, base_url: str) -> AsyncIterator[tuple[Say, int]]:
    """Give what says something to the floor, and how its database commits."""
    floor = Floor(home / "floor.sqlite3", base_url, home / "workspace")

    async def say(conversation: int, text: str) -> bool:
        words: list[str] = []
        return bool(await floor.answer(str(conversation), text, words.append))

    try:
        yield say, floor.synchronous
    finally:
        await floor.close()


async def _main(chosen: argparse.Namespace) -> None:
    # Imported by name, because the floor's process must not pay for what the bot imports.
    whom = a_floor if chosen.whom == "floor" else import_module("bench.gateway").a_bot
    async with whom(chosen.home, chosen.base_url) as (say, synchronous):
        crowd = await speak(say, chosen.conversations, chosen.turns, synchronous)
    sys.stdout.write(f"{json.dumps(asdict(crowd))}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("whom", choices=("floor", "bot"))
    parser.add_argument("home", type=Path)
    parser.add_argument("base_url")
    parser.add_argument("--conversations", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    os.umask(0o077)
    asyncio.run(_main(parser.parse_args()))
