"""Commits, transactions and statements of a turn are counted, so that they do not creep back up."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.contracts.tool import Effect
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import Step, call, words
from tests.doubles.tools import Ledger


@dataclass
class Counts:
    """What the store's two connections did."""

    commits: int = 0
    empty: int = 0
    """Transactions that wrote nothing."""
    statements: int = 0
    reads: int = 0

    def watch(self, connection: sqlite3.Connection) -> None:
        """Count what the connection that writes does."""
        before = connection.total_changes

        def trace(statement: str) -> None:
            nonlocal before
            self.statements += 1
            if statement.startswith("BEGIN"):
                before = connection.total_changes
            elif statement == "COMMIT":
                changed = connection.total_changes > before
                self.commits += changed
                self.empty += not changed

        connection.set_trace_callback(trace)

    def watch_reads(self, connection: sqlite3.Connection) -> None:
        """Count the snapshots of the connection that reads."""

        def trace(statement: str) -> None:
            self.reads += statement == "BEGIN"

        connection.set_trace_callback(trace)


@asynccontextmanager
async def counted(home: Path, *steps: Step, effect: Effect) -> AsyncIterator[tuple[Rig, Counts]]:
    """A bot that has answered once, with its counters at nought."""
    tool = Ledger().tool(effect=effect)
    async with a_rig(home, words("Hello."), *steps, tools=[tool]) as rig:
        await rig.answered("hello")
        counts = Counts()
        store: Any = rig.app.store  # only the connections know what they do
        await store._reader.read(counts.watch_reads)
        await store._writer.write(counts.watch)
        counts.commits = counts.empty = counts.statements = 0
        yield rig, counts
        await store._writer.write(lambda connection: connection.set_trace_callback(None))
        await store._reader.read(lambda connection: connection.set_trace_callback(None))


async def said(rig: Rig) -> None:
    """Say something, and wait for the news that it was answered without asking the store."""
    with rig.app.gateway.follow(rig.conversation) as news:
        await rig.say("once more")
        while type(await anext(news)).__name__ != "TurnEnded":
            pass


async def test_an_answer_is_two_commits_and_nothing_for_nothing(tmp_path: Path) -> None:
    async with counted(tmp_path / "home", words("Here."), effect=Effect.PURE) as (rig, counts):
        await said(rig)
        assert (counts.commits, counts.empty, counts.reads) == (2, 0, 0)
        assert counts.statements <= 27  # two of them are the trigger that ends open questions


@pytest.mark.parametrize(("effect", "commits"), [(Effect.PURE, 3), (Effect.UNSAFE, 4)])
async def test_a_call_is_one_commit_with_its_end_and_one_more_before_an_effect(
    tmp_path: Path, effect: Effect, commits: int
) -> None:
    steps = (call("act", word="a"), words("Done."))
    async with counted(tmp_path / "home", *steps, effect=effect) as (rig, counts):
        await said(rig)
        assert (counts.commits, counts.empty, counts.reads) == (commits, 0, 0)
