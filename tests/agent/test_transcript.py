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


async def _rounds(number: int = 5) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_question_is_seen_at_once_and_recorded_with_what_follows_from_it() -> None:
    disk = Disk()
    disk.open_.set()
    transcript = _a_transcript(disk)

    transcript.hold(_ASKED)
    await _rounds()
    assert (transcript.of_this_turn, disk.commits) == ([_ASKED], [])

    await transcript.keep(_STARTED)
    await transcript.keep(_result("a"))

    assert disk.commits == [["assistant", "call_started"], ["tool_result"]]
    assert transcript.of_this_turn == [_ASKED, _STARTED, _result("a")]
    assert transcript.recorded == disk.recorded


async def test_what_is_held_has_the_place_that_its_record_will_have() -> None:
    disk = Disk()
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    transcript.hold_briefly(_result("a"))
    await _rounds()
    transcript.hold_briefly(_result("b"))
    places = [(one.seq, one.turn_id, one.attempt, one.entry) for one in transcript.recorded]
    disk.open_.set()

    await transcript.flush()

    assert disk.commits == [["assistant", "tool_result"], ["tool_result"]]
    recorded = [(one.seq, one.turn_id, one.attempt, one.entry) for one in disk.recorded]
    assert recorded == places
    assert transcript.recorded == disk.recorded
    assert transcript.of_this_turn == disk.entries()


async def test_what_could_not_be_written_beside_is_written_before_what_is_kept_next() -> None:
    disk = Disk(failing=1)
    disk.open_.set()
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    transcript.hold_briefly(_result("a"))
    await _rounds()
    assert disk.commits == []

    await transcript.keep(_STARTED)

    assert disk.commits == [["assistant", "tool_result", "call_started"]]
    assert transcript.recorded == disk.recorded


async def test_nothing_ends_before_all_that_is_held_is_recorded() -> None:
    disk = Disk(failing=2)
    disk.open_.set()
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    transcript.hold_briefly(_result("a"))
    await _rounds()

    with pytest.raises(StoreUnavailable):
        await transcript.flush()
    await transcript.flush()
    await transcript.flush()

    assert disk.commits == [["assistant", "tool_result"]]


async def test_results_that_come_while_the_disk_is_busy_are_one_commit() -> None:
    disk = Disk()
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    keeping = [asyncio.create_task(transcript.keep(_result("a")))]
    await _rounds()
    keeping += [asyncio.create_task(transcript.keep(_result(one))) for one in "bc"]
    await _rounds()
    disk.open_.set()

    await asyncio.gather(*keeping)

    assert disk.commits == [["assistant", "tool_result"], ["tool_result", "tool_result"]]
    assert disk.entries() == [_ASKED, *map(_result, "abc")]


async def test_no_result_is_written_whose_question_failed_to_be() -> None:
    disk = Disk(failing=1)
    transcript = _a_transcript(disk)
    transcript.hold(_ASKED)
    first = asyncio.create_task(transcript.keep(_result("a")))
    await _rounds()
    second = asyncio.create_task(transcript.keep(_result("b")))
    await _rounds()
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
