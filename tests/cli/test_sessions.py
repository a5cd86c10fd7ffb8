"""What `stonechat sessions` shows, writes down and deletes, beside a bot and without one."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.admission import Handled
from bot.contracts.store import Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import (
    Lane,
    Outcome,
    OutcomeKind,
    SessionChange,
    SessionChoices,
    ThinkingLevel,
)
from tests.doubles.arrivals import an_arrival
from tests.doubles.commands import Commands
from tests.doubles.stores import a_store

KEY = "agent:main:alice"


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    found = Commands(tmp_path)
    found.configure("http: {port: 1}")
    return found


async def spoken(store: Store) -> None:
    await store.turns.open(an_arrival("what now?"))
    turn = await store.turns.take("worker", {Lane.PEOPLE})
    assert turn is not None
    await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.SILENT)), [])
    chosen = SessionChange(chosen=SessionChoices(thinking=ThinkingLevel.HIGH))
    command = an_arrival("/think high", admission=Handled(reason="command:think"))
    await store.turns.open(replace(command, change=chosen))


@pytest.fixture
async def kept(commands: Commands) -> Commands:
    async with a_store(commands.home) as store:
        await spoken(store)
    return commands


async def said(commands: Commands, *arguments: str) -> str:
    return (await asyncio.to_thread(commands.say, "sessions", *arguments)).out


async def test_a_session_is_shown_with_what_is_chosen_in_it(kept: Commands) -> None:
    shown = await said(kept, "show", KEY)
    assert f"session    {KEY}" in shown
    assert "chosen     thinking high" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


async def test_and_as_json(kept: Commands) -> None:
    assert json.loads(await said(kept, "show", KEY, "--json"))["choices"]["thinking"] == "high"
    [listed] = json.loads(await said(kept, "list", "--json"))
    assert listed["key"] == KEY


async def test_a_session_is_written_down_for_people_and_for_programs(kept: Commands) -> None:
    assert "what now?" in await said(kept, "export", KEY)
    whole = json.loads(await said(kept, "export", KEY, "--json"))
    [[entry]] = whole["chapters"]
    assert entry["entry"]["inbound"]["text"] == "what now?"


async def test_no_file_is_written_over(kept: Commands) -> None:
    file = kept.home / "out.md"
    await said(kept, "export", KEY, "--to", str(file))
    assert "what now?" in file.read_text()
    again = await asyncio.to_thread(kept.say, "sessions", "export", KEY, "--to", str(file))
    assert again.code == 1
    assert "cannot be written: File exists" in again.err


async def test_a_session_is_deleted_once_somebody_said_yes(kept: Commands) -> None:
    assert "✓ Deleted." in await said(kept, "delete", KEY, "--yes")
    gone = await asyncio.to_thread(kept.say, "sessions", "show", KEY)
    assert gone.code == 1
    assert "there is no session 'agent:main:alice'" in gone.err


async def test_what_was_used_lately_is_not_pruned(kept: Commands) -> None:
    pruned = await asyncio.to_thread(kept.say, "sessions", "prune", "--older", "90d", "--yes")
    assert "Every session was used within 90 days." in pruned.err
    assert KEY in await said(kept, "list")


@pytest.mark.parametrize("span", ["90", "d", "-1d", "0d", "9999999d", "3 months"])
async def test_a_span_that_is_none_deletes_nothing(kept: Commands, span: str) -> None:
    refused = await asyncio.to_thread(kept.say, "sessions", "prune", "--older", span, "--yes")
    assert refused.code == 2
    assert KEY in await said(kept, "list")
