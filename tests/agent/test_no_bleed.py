"""Whoever shares a session or joins a turn: tools are those of the turn's own sender."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.messages import AssistantMessage, ResultState, ToolResult
from bot.contracts.transcript import Received, Recorded
from bot.contracts.turn import Rank, TurnId
from tests.doubles.agent import AgentBench, a_bench
from tests.doubles.arrivals import an_arrival
from tests.doubles.scripted_model import call, words
from tests.doubles.tools import Ledger


async def answered(bench: AgentBench, rank: Rank, joins: Rank | None) -> list[ResultState]:
    """Carry a turn of *rank* to its end, which somebody of rank *joins* after its first call."""
    turn = bench.turn()
    turn = replace(turn, arrival=replace(turn.arrival, rank=rank))
    waiting = [] if joins is None else [joins]

    async def absorb() -> Sequence[Recorded]:
        joined = [
            Received(inbound=an_arrival("do it!").inbound, rank=waiting.pop())
            for _ in list(waiting)
        ]
        return bench.transcripts.record(turn.id, *joined)

    await bench.agent().answer(turn, replace(bench.hooks(turn), absorb=absorb))
    return [e.state for e in bench.transcripts.entries() if isinstance(e, ToolResult)]


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER])
async def test_an_owner_who_joins_a_guest_s_turn_lends_it_no_tool(
    tmp_path: Path, rank: Rank
) -> None:
    ledger = Ledger()
    bench = a_bench(
        tmp_path, call("act"), call("act", word="again"), words("No."), tools=[ledger.tool()]
    )

    states = await answered(bench, rank, joins=Rank.OWNER)

    assert states == [ResultState.DENIED, ResultState.DENIED]
    assert ledger.acts == []
    assert all(request.tools == () for request in bench.models[0].requests)


async def test_the_owner_s_own_turn_has_them(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act"), words("Done."), tools=[ledger.tool()])

    assert await answered(bench, Rank.OWNER, joins=Rank.OWNER) == [ResultState.OK]


async def test_a_guest_s_turn_in_a_session_where_the_owner_used_tools_has_none(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act"), words("No."), tools=[ledger.tool()])
    asked = call("act", id="of-the-owner")
    bench.transcripts.record(
        TurnId("earlier"),
        Received(inbound=an_arrival("earlier").inbound, rank=Rank.OWNER),
        asked,
        ToolResult(call_id="of-the-owner", name="act", text="ok"),
        words("Done."),
    )

    states = await answered(bench, Rank.GUEST, joins=None)

    assert states == [ResultState.OK, ResultState.DENIED]
    assert ledger.acts == []


async def test_what_the_model_is_offered_is_the_same_from_call_to_call(tmp_path: Path) -> None:
    bench = a_bench(tmp_path, call("act"), words("Done."), tools=[Ledger().tool()])

    await answered(bench, Rank.OWNER, joins=Rank.OWNER)

    first, second = bench.models[0].requests
    assert first.tools == second.tools
    assert isinstance(bench.transcripts.entries()[1], AssistantMessage)
