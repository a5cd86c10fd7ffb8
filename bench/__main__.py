"""``script/bench``: floor and bot in one run against one fast double; prints ratios.

It never fails because of a time. It fails if a message was not answered, or if one of the
two did not commit with ``synchronous = FULL``.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bench import places, turns
from bench.double import Behaviour
from bench.inside import Crowd
from bench.processes import (
    Running,
    a_process,
    bot_environ,
    database_in,
    home_in,
    until_open,
)
from bench.table import Row, as_json, table
from bench.talk import Double, a_conversation, a_double
from bench.turns import Calls, Duel, Side

_FULL: Final = 2
"""What SQLite calls synchronous = FULL (https://www.sqlite.org/pragma.html#pragma_synchronous)."""
_WINDOW: Final = 20
"""Turns at either end of a long session that are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured."""

    bursts: int
    tool_bursts: int
    starts: int
    crowds: int
    crowd_turns: int
    long_turns: int
    ceiling_seconds: float


QUICK: Final = Plan(
    bursts=2, tool_bursts=1, starts=2, crowds=1, crowd_turns=3, long_turns=120, ceiling_seconds=1.0
)
WHOLE: Final = Plan(
    bursts=10, tool_bursts=4, starts=7, crowds=3, crowd_turns=5, long_turns=500, ceiling_seconds=3.0
)


@dataclass(slots=True)
class Findings:
    """The table so far, and what must not be."""

    rows: list[Row] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def check(self, whom: str, unanswered: int, synchronous: int = _FULL) -> None:
        """Note what no run may show."""
        if unanswered:
            self.faults.append(f"{whom}: {unanswered} messages were not answered")
        if synchronous != _FULL:
            self.faults.append(f"{whom}: synchronous is {synchronous}, not FULL")


class Steps:
    """Says on a terminal how far it is."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=total)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Stand around one step."""
        self._progress.update(self._task, description=what)
        yield
        self._progress.advance(self._task)


async def _measure(plan: Plan, folder: Path, steps: Steps) -> Findings:
    findings = Findings()
    async with a_double() as double:
        with steps.step("the double alone"):
            ceiling = await double.ceiling(plan.ceiling_seconds)
        async with AsyncExitStack() as stack:
            duel = await _duel(double, folder, stack)
            await _turns(duel, plan, folder, steps, findings)
        await _crowds(double, plan, folder, steps, findings)
        with steps.step("starts"):
            findings.rows += await places.starts(double, folder, plan.starts)
        with steps.step("memory"):
            findings.rows += await places.memory(double, folder)
    findings.rows.append(places.size_row())
    findings.rows.append(Row(name="the double alone, 8 kB requests", unit="1/s", bot=ceiling))
    return findings


async def _duel(double: Double, folder: Path, stack: AsyncExitStack) -> Duel:
    """Start floor and bot; they stay until *stack* is left."""
    floor_home, bot_home = home_in(folder, "floor"), home_in(folder, "bot")
    key = {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": double.base_url}
    bot = await stack.enter_async_context(
        a_process(
            *("-m", "bot", "run", "--port", "0"),
            environ=bot_environ(bot_home, **key),
            log=folder / "bot.log",
        )
    )
    await until_open(bot_home / "control.sock")
    workspace = bot_home / "workspace"
    floor = await stack.enter_async_context(
        a_process("-m", "bench.floor", str(floor_home), double.base_url, str(workspace))
    )
    await until_open(floor_home / "control.sock")

    async def side(running: Running, home: Path) -> Side:
        database = database_in(home)
        conversation = await stack.enter_async_context(a_conversation(home / "control.sock"))
        return Side(running=running, conversation=conversation, database=database)

    await double.behave(Behaviour())
    return Duel(
        double,
        await side(floor, floor_home),
        await side(bot, bot_home),
    )


async def _turns(duel: Duel, plan: Plan, folder: Path, steps: Steps, findings: Findings) -> None:
    with steps.step("first words"):
        size = await duel.first()
    for number in range(plan.bursts):
        with steps.step(f"turns {number + 1}/{plan.bursts}"):
            await duel.burst()
    for number in range(plan.tool_bursts):
        with steps.step(f"turns with a tool {number + 1}/{plan.tool_bursts}"):
            await duel.burst(tool=True)
    with steps.step("system calls"):
        calls = await duel.calls(duel.bot, folder)
        floor_calls = await duel.calls(duel.floor, folder)
    findings.check("floor", duel.floor.unanswered)
    findings.check("bot", duel.bot.unanswered)
    findings.rows += turns.rows(duel)
    findings.rows.append(Row(name='request for "hi"', unit="kB", bot=size / 1e3, aim="10 kB"))
    findings.rows.append(turns.prefix_row(duel.bot))
    findings.rows += _calls_rows(floor_calls, calls)


def _calls_rows(floor: Calls | None, bot: Calls | None) -> list[Row]:
    if bot is None or floor is None:
        return []
    return [
        Row(
            name="file system calls of a turn, database aside",
            unit="",
            beside=floor.elsewhere,
            bot=bot.elsewhere,
            aim="0",
        ),
        Row(name="syncs of a turn", unit="", beside=floor.syncs, bot=bot.syncs),
    ]


async def _crowds(
    double: Double, plan: Plan, folder: Path, steps: Steps, findings: Findings
) -> None:
    crowds: list[tuple[Crowd, Crowd]] = []
    for number in range(plan.crowds):
        with steps.step(f"100 conversations {number + 1}/{plan.crowds}"):
            crowds.append(
                await places.crowd(
                    *(double, folder, f"crowd-{number}"),
                    conversations=100,
                    turns=plan.crowd_turns,
                    delay=0.2,
                )
            )
    with steps.step(f"{plan.long_turns} turns of a session"):
        long_floor, long_bot = await places.crowd(
            double, folder, "long", conversations=1, turns=plan.long_turns, delay=0.0
        )
    floors, bots = zip(*crowds, strict=True)
    for whom, found in (("floor", (*floors, long_floor)), ("bot", (*bots, long_bot))):
        for one in found:
            findings.check(f"{whom} in one process", one.unanswered, one.synchronous)
    findings.rows += [
        Row(
            name="CPU of a turn, 100 conversations (in process)",
            unit="ms",
            beside=median(map(_cpu_ms, floors)),
            bot=median(map(_cpu_ms, bots)),
            aim="5x",
        ),
        Row(
            name="turns, 100 conversations, 200 ms model (in process)",
            unit="1/s",
            beside=median(map(_pace, floors)),
            bot=median(map(_pace, bots)),
            aim="250",
        ),
        *_growth(long_floor, long_bot, plan.long_turns),
    ]


def _growth(floor: Crowd, bot: Crowd, last: int) -> list[Row]:
    def grown(values: list[float]) -> float:
        early, late = values[4 : 4 + _WINDOW], values[-_WINDOW:]
        return (median(late) - median(early)) * 1e3

    return [
        Row(
            name=f"growth from turn 5 to {last}, {what} (in process)",
            unit="ms",
            beside=grown(floor_values),
            bot=grown(bot_values),
            aim="no more",
            times=False,
        )
        for what, floor_values, bot_values in (
            ("time", floor.latencies, bot.latencies),
            ("CPU", floor.cpu, bot.cpu),
        )
    ]


def _cpu_ms(crowd: Crowd) -> float:
    return crowd.cpu_seconds / len(crowd.latencies) * 1e3


def _pace(crowd: Crowd) -> float:
    return len(crowd.latencies) / crowd.seconds


def main() -> int:
    """Measure, print, and say whether something was found that must not be."""
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less of everything, within 2 minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there, too")
    chosen = parser.parse_args()
    plan = QUICK if chosen.quick else WHOLE
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    total = plan.bursts + plan.tool_bursts + plan.crowds + 6
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
    ):
        findings = asyncio.run(_measure(plan, Path(folder), Steps(progress, total)))
    Console(width=None if sys.stdout.isatty() else 120).print(table(findings.rows))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(as_json(findings.rows), indent=1) + "\n")
    for fault in findings.faults:
        console.print(fault, style="bold red")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
