"""What it costs to be there: start, memory, size."""

import json
import socket
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from bench.double import Behaviour
from bench.inside import Crowd
from bench.processes import (
    ROOT,
    a_process,
    bot_environ,
    home_in,
    installed_bytes,
    output_of,
    until_open,
    until_served,
)
from bench.table import Row
from bench.talk import Double, a_conversation

_IMPORTS = "import aiohttp, markdown_it, pydantic, structlog, typer, yaml, sqlite3"
"""What a process that only imports the same libraries runs before it is looked at. No provider
needs more: models are asked over aiohttp."""
_THEN_WAIT = "; print('ready', flush=True); import time; time.sleep(600)"


async def starts(double: Double, folder: Path, times: int) -> list[Row]:
    """Start both several times over, in turn, and wait for the page and for an answer."""
    floors: list[tuple[float, float]] = []
    bots: list[tuple[float, float]] = []
    helps: list[float] = []
    await double.behave(Behaviour())
    for number in range(times):
        floors.append(await _floor_start(double, home_in(folder, f"floor-start-{number}")))
        bots.append(await _bot_start(home_in(folder, f"bot-start-{number}")))
        began = time.monotonic()
        await output_of("-m", "bot", "--help")
        helps.append(time.monotonic() - began)
    return [
        _seconds("start to page served", floors, bots, 0, "0.7 s"),
        _seconds("start to first answer (demo)", floors, bots, 1, "1.0 s"),
        Row(name="--help", unit="s", bot=median(helps), aim="0.3 s"),
    ]


def _seconds(
    name: str, floors: list[tuple[float, float]], bots: list[tuple[float, float]], at: int, aim: str
) -> Row:
    beside, bot = (median(one[at] for one in side) for side in (floors, bots))
    return Row(name=name, unit="s", beside=beside, bot=bot, aim=aim)


async def _floor_start(double: Double, home: Path) -> tuple[float, float]:
    arguments = ("-m", "bench.floor", str(home), double.base_url, str(home))
    async with a_process(*arguments) as floor:
        await until_open(home / "control.sock")
        served = time.monotonic() - floor.began
        async with a_conversation(home / "control.sock") as conversation:
            seen = (await conversation.say("hi")).seen
    return served, seen - floor.began


async def _bot_start(home: Path) -> tuple[float, float]:
    port = _free_port()
    arguments = ("-m", "bot", "run", "--port", str(port))
    async with a_process(*arguments, environ=bot_environ(home), log=home / "err") as bot:
        await until_served(port)
        served = time.monotonic() - bot.began
        async with a_conversation(home / "control.sock") as conversation:
            seen = (await conversation.say("hi")).seen
    return served, seen - bot.began


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


async def memory(double: Double, folder: Path) -> list[Row]:
    """Look at the memory of a bot after its first answer, beside one that only imports."""
    async with AsyncExitStack() as stack:
        claude = await stack.enter_async_context(
            a_process("-m", "tests.doubles.fake_anthropic", "--script", "meeting")
        )
        environs = {
            "demo": {},
            "openai": {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": double.base_url},
            "anthropic": {
                "ANTHROPIC_API_KEY": "sk-test-key-of-the-double",
                "ANTHROPIC_BASE_URL": await claude.line(),
            },
        }
        beside = await _imports_pss(_IMPORTS)
        aims = {"demo": "70 MB", "openai": "90 MB", "anthropic": "120 MB"}
        return [
            Row(
                name=f"memory after the first answer, {name}, beside its imports",
                unit="MB",
                beside=beside,
                bot=await _bot_pss(home_in(folder, f"memory-{name}"), environ),
                aim=aims[name],
            )
            for name, environ in environs.items()
        ]


async def _imports_pss(code: str) -> float:
    async with a_process("-c", code + _THEN_WAIT) as process:
        await process.line()
        return process.pss_bytes() / 1e6


async def _bot_pss(home: Path, more: dict[str, str]) -> float:
    control = home / "control.sock"
    arguments = ("-m", "bot", "run", "--port", "0")
    async with a_process(*arguments, environ=bot_environ(home, **more), log=home / "err") as bot:
        await until_open(control)
        async with a_conversation(control) as conversation:
            if not (await conversation.say("hi")).answered:
                raise SystemExit(f"the bot did not answer with {sorted(more)}")
        return bot.pss_bytes() / 1e6


async def crowd(
    double: Double, folder: Path, name: str, *, conversations: int, turns: int, delay: float
) -> tuple[Crowd, Crowd]:
    """Let many conversations speak in one process: of the floor's, then of the bot's."""
    await double.behave(Behaviour(delay=delay))
    found = []
    for whom in ("floor", "bot"):
        home = home_in(folder, f"{name}-{whom}")
        home_in(home, "workspace")
        printed = await output_of(
            *("-m", "bench.inside", whom, str(home), double.base_url),
            *("--conversations", str(conversations), "--turns", str(turns)),
        )
        found.append(Crowd(**json.loads(printed)))
    return found[0], found[1]


def size_row() -> Row:
    """Measure what an installation takes on the disk."""
    return Row(
        name="installed, without bytecode",
        unit="MB",
        bot=installed_bytes(ROOT) / 1e6,
        aim="150 MB",
    )
