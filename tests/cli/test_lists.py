"""The lists and the trace show what the store holds, also while a bot has it open."""

import asyncio
from pathlib import Path

import pytest

from bot.contracts.store import Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind, Usage
from tests.doubles.arrivals import a_delivery, an_arrival
from tests.doubles.commands import Commands, Said
from tests.doubles.stores import a_store


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    found = Commands(tmp_path)
    found.configure("http: {port: 1}")
    return found


async def _answered_and_waiting(store: Store) -> None:
    await store.turns.open(an_arrival("what\nnow?", turn_id="turn-answered"))
    turn = await store.turns.take("worker", {Lane.PEOPLE})
    assert turn is not None
    outcome = Outcome(
        kind=OutcomeKind.ANSWERED,
        text="this",
        usage=Usage(model_calls=2, tool_calls=1, input_tokens=300, output_tokens=40),
    )
    await store.turns.finish(turn, Ending(outcome=outcome), [a_delivery(turn, "this\x1b[2J")])
    await store.turns.open(an_arrival("and then?", turn_id="turn-waiting"))


async def _said(commands: Commands, *arguments: str) -> Said:
    async with a_store(commands.home) as store:
        await _answered_and_waiting(store)
        return await asyncio.to_thread(commands.say, *arguments)


async def test_turns_newest_first(commands: Commands) -> None:
    said = await _said(commands, "turns")

    newest, oldest = [line.split("\t") for line in said.out.splitlines()]
    assert (newest[0], newest[2], newest[5]) == ("turn-waiting", "waiting", "and then?")
    assert (oldest[0], oldest[2], oldest[3]) == ("turn-answered", "finished", "answered")
    assert oldest[5] == "what now?"


async def test_only_open_turns_or_only_those_of_a_session(commands: Commands) -> None:
    said = await _said(commands, "turns", "--open")
    assert [line.split("\t")[0] for line in said.out.splitlines()] == ["turn-waiting"]

    nobody = commands.say("turns", "--session", "nobody's")
    assert (nobody.out, nobody.err) == ("", "No such turn.\n")
    assert commands.say("turns", "--limit", "1").out.count("\n") == 1


async def test_sessions_with_what_they_cost(commands: Commands) -> None:
    said = await _said(commands, "sessions")

    [session] = [line.split("\t") for line in said.out.splitlines()]
    assert session[3:7] == ["2", "1", "300", "40"]


@pytest.mark.parametrize("command", ["turns", "sessions", "outbox"])
async def test_an_empty_list_is_said_beside_the_pipe(commands: Commands, command: str) -> None:
    async with a_store(commands.home):
        said = await asyncio.to_thread(commands.say, command)

    assert (said.code, said.out) == (0, "")
    assert said.err.count("\n") == 1


async def test_the_outbox_has_what_has_not_arrived(commands: Commands) -> None:
    said = await _said(commands, "outbox")

    [delivery] = [line.split("\t") for line in said.out.splitlines()]
    assert delivery[0] == "turn-answered:0"
    assert delivery[1] == "pending"
    assert delivery[5] == "this [2J"


async def test_a_trace_tells_the_whole_story(commands: Commands) -> None:
    said = await _said(commands, "trace", "turn-answered")

    for words in (
        "… It was answered, and the answer is on its way: it waits to be sent.",
        "turn turn-answered",
        "“what now?”",
        "✓ admitted",
        "✓ model     took",
        "✓ outcome   answered",
        "2 model calls, 1 tool call, 300 tokens in, 40 out",
        "… delivery  the answer is on its way",
    ):
        assert words in said.out


async def test_a_trace_of_nothing_is_one_line(commands: Commands) -> None:
    said = await _said(commands, "trace", "turn-unknown")

    assert said.code == 1
    assert said.err == (
        "stonechat: there is no turn and no message 'turn-unknown'; `stonechat turns` lists them, "
        "and `stonechat trace` alone tells of the last one\n"
    )
