"""Many conversations in one process, without sockets: ``python -m bench.inside floor|bot …``.

Few conversations can be had over the bot's own sockets, and those are paced. So the crowd
speaks where a channel does: to the bot's gateway, and to the floor's one function. Prints
one JSON object.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from bench.floor import Floor

if TYPE_CHECKING:
    from bot.app import App

Say = Callable[[int, str], Awaitable[bool]]
"""Says something in a conversation and returns, once it was answered, whether it was."""

_PATIENCE_SECONDS: Final = 60.0


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


@asynccontextmanager
async def a_bot(home: Path, base_url: str) -> AsyncIterator[tuple[Say, int]]:
    """Give what says something to the bot's gateway, and how its store commits."""
    # Imported here, because the floor's process must not pay for them.
    from bot import log  # noqa: PLC0415 - the floor must not pay for it
    from bot.app import build  # noqa: PLC0415 - the floor must not pay for it
    from bot.serve import serve  # noqa: PLC0415 - the floor must not pay for it
    from bot.settings import load_settings  # noqa: PLC0415 - the floor must not pay for it
    from bot.workspace.seed import seed, template_folder  # noqa: PLC0415 - the floor must not pay for it

    log.configure(terminal=sys.stderr, colours=False, logs=home / "logs")
    environ = {"HOME": str(home), "OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": base_url}
    settings = load_settings(home, environ)
    seed(Path(settings.agents["main"].workspace), template_folder())
    app = await build(settings, web=False)
    ready, until = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(app, ready=lambda _: ready.set(), until=until))
    await ready.wait()
    try:
        yield partial(_say, app), await _synchronous(app)
    finally:
        until.set()
        await serving


async def _say(app: "App", conversation: int, text: str) -> bool:
    """Say something to the bot as its owner, in a thread, which is a session of its own."""
    from bot.contracts import inbound as said  # noqa: PLC0415 - see `a_bot`
    from bot.contracts.events import Delivered, TurnEnded  # noqa: PLC0415 - the floor must not pay for it

    native_id = str(uuid4())
    one = said.Inbound(
        source=said.Source(f"c:{native_id}"),
        event=said.EventClass.MESSAGE,
        channel="webchat",
        account="default",
        conversation=said.Conversation(
            kind=said.ConversationKind.DIRECT, id="bench", thread_id=str(conversation)
        ),
        sender=said.Sender(id="owner"),
        text=text,
        sent_at=app.clock.now(),
        native_id=native_id,
    )
    outcome, delivered = "", False
    with app.gateway.follow(one.conversation_key) as news:
        (accepted,) = await app.gateway.receive(one)
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not (outcome and delivered):
                event = await anext(news)
                if event.turn_id == accepted.turn_id:
                    outcome = event.outcome if isinstance(event, TurnEnded) else outcome
                    delivered = delivered or isinstance(event, Delivered)
    return outcome == "answered"


async def _synchronous(app: "App") -> int:
    def unit(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA synchronous").fetchone()[0])

    store: Any = app.store  # only the connection that writes knows its own mode
    return int(await store._writer.write(unit))  # noqa: SLF001 - reads a pragma that no verb tells


async def _main(chosen: argparse.Namespace) -> None:
    whom = a_bot if chosen.whom == "bot" else a_floor
    async with whom(chosen.home, chosen.base_url) as (say, synchronous):
        crowd = await speak(say, chosen.conversations, chosen.turns, synchronous)
    print(json.dumps(asdict(crowd)), flush=True)  # noqa: T201 - for who started this process


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("whom", choices=("floor", "bot"))
    parser.add_argument("home", type=Path)
    parser.add_argument("base_url")
    parser.add_argument("--conversations", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    os.umask(0o077)
    asyncio.run(_main(parser.parse_args()))
