"""A turn's view and its record: what is committed together, and what a failed commit leaves."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from bot.agent.transcript import LiveTranscript
from bot.contracts import faults
from bot.contracts.errors import StoreUnavailable
from bot.contracts.messages import AssistantMessage, ResultState, StopReason, ToolCall, ToolResult
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Entry, Recorded
from bot.contracts.turn import Turn, TurnState
from tests.doubles.arrivals import an_arrival
from tests.doubles.transcripts import MemoryTranscripts

_ASKED = AssistantMessage(
    text="",
    stop=StopReason.TOOL_USE,
    tool_calls=tuple(ToolCall(id=one, name="look", arguments="{}") for one in "abc"),
)
_STARTED = CallStarted(call_id="a", name="look", effect=Effect.UNSAFE)


def _result(call_id: str) -> ToolResult:
    return ToolResult(call_id=call_id, name="look", text="seen", state=ResultState.OK)


@dataclass
class Disk(MemoryTranscripts):
    """Commits when it is let; as many first tries as it is told fail."""

    failing: int = 0
    open_: asyncio.Event = field(default_factory=asyncio.Event)
    commits: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
        await self.open_.wait()
        if self.failing:
            self.failing -= 1
            raise StoreUnavailable("the disk is full")
        self.commits.append([entry.kind for entry in entries])
        return await super().append(turn, *entries)


def _a_transcript(disk: Disk) -> LiveTranscript:
    arrival = an_arrival("do it", turn_id="turn")
    turn = Turn(id=arrival.turn_id, seq=1, arrival=arrival, state=TurnState.RUNNING, attempt=1)
    return LiveTranscript(disk, turn, ())


async def test_a_question_is_seen_at_once_and_recorded_with_what_follows_from_it() -> None:
    disk = Disk()
    disk.open_.set()
    transcript = _a_transcript(disk)

    transcript.hold(_ASKED)
    assert (transcript.of_this_turn, transcript.recorded, disk.commits) == ([_ASKED], [], [])

    await transcript.keep(_STARTED)
    await transcript.keep(_result("a"))

    assert disk.commits == [["assistant", "call_started"], ["tool_result"]]
    assert transcript.of_this_turn == [_ASKED, _STARTED, _result("a")]
    assert [one.entry for one in transcript.recorded] == disk.entries()


async def test_results_that_come_while_the_disk_is_busy_are_one_commit() -> None:
    disk = Disk()
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    keeping = [asyncio.create_task(transcript.keep(_result(one))) for one in "abc"]
    for _ in range(5):
        await asyncio.sleep(0)
    disk.open_.set()

    await asyncio.gather(*keeping)

    assert disk.commits == [["assistant", "tool_result"], ["tool_result", "tool_result"]]
    assert disk.entries() == [_ASKED, *map(_result, "abc")]


async def test_no_result_is_written_whose_question_failed_to_be() -> None:
    disk = Disk(failing=1)
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    first, second = (asyncio.create_task(transcript.keep(_result(one))) for one in "ab")
    for _ in range(5):
        await asyncio.sleep(0)
    disk.open_.set()

    with pytest.raises(StoreUnavailable):
        await first
    await second

    assert disk.entries() == [_ASKED, _result("a"), _result("b")]
    assert transcript.of_this_turn == disk.entries()


async def test_a_commit_of_several_kinds_reaches_the_points_of_each() -> None:
    disk = Disk()
    disk.open_.set()
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    reached: list[str] = []
    faults.install(reached.append)
    try:
        await transcript.keep(_STARTED)
    finally:
        faults.install(None)

    before, after = reached[:2], reached[2:]
    assert before == ["model.commit:before", "tool.start:before"]
    assert after == ["model.commit:after", "tool.start:after"]
