import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.agent.budget import Limits
from bot.contracts.errors import (
    ContextOverflow,
    KeyRefused,
    LeaseLost,
    ModelDisconnected,
    StoreUnavailable,
    TurnInterrupted,
)
from bot.contracts.messages import (
    AssistantMessage,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.tool import Effect, Probe
from bot.contracts.transcript import CallStarted, Entry, Nudge, Received, Recorded
from bot.contracts.turn import Failure, Lane, OutcomeKind, Rank, Turn, TurnId
from tests.doubles.agent import AgentBench, a_bench, until
from tests.doubles.scripted_model import ScriptedModel, call, calls, words
from tests.doubles.tools import Ledger
from tests.doubles.transcripts import MemoryTranscripts


async def test_an_answer_comes_with_its_words_for_the_commit_that_ends_the_turn(
    tmp_path: Path,
) -> None:
    bench = a_bench(tmp_path, words("Hello there."))

    ending = await bench.ending(bench.turn("hi"))
    outcome = ending.outcome

    assert (outcome.kind, outcome.text) == (OutcomeKind.ANSWERED, "Hello there.")
    assert ending.words == (words("Hello there."),)
    assert [entry.kind for entry in bench.transcripts.entries()] == ["received"]
    assert "".join(bench.words) == "Hello there."
    assert outcome.usage.model_calls == 1


async def test_an_effect_is_announced_in_the_record_and_its_result_follows(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act", word="a"), words("Done."), tools=[ledger.tool()])

    outcome = await bench.answer(bench.turn())

    kinds = [entry.kind for entry in bench.transcripts.entries()]
    assert kinds == ["received", "assistant", "call_started", "tool_result", "assistant"]
    assert outcome.text == "Done."
    assert ledger.acts == ["act:a"]
    assert bench.news == ["progress", "started act", "ended act: ok", "answer"]


async def test_looking_leaves_no_mark_before_it(tmp_path: Path) -> None:
    ledger = Ledger()
    look = ledger.tool("look", effect=Effect.PURE)
    bench = a_bench(tmp_path, call("look"), words("Seen."), tools=[look])

    await bench.answer(bench.turn())

    kinds = [entry.kind for entry in bench.transcripts.entries()]
    assert kinds == ["received", "assistant", "tool_result", "assistant"]


async def test_what_was_said_meanwhile_joins_after_the_tools(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act"), words("Both done."), tools=[ledger.tool()])
    bench.joining = ["and hurry"]

    await bench.answer(bench.turn())

    last = bench.models[0].requests[-1].messages[-1]
    assert isinstance(last, UserMessage)
    assert last.text.endswith("and hurry")


async def test_every_call_is_given_an_id_of_our_own(tmp_path: Path) -> None:
    ledger = Ledger()
    twice = calls(("act", {"word": "a"}, "call_0"), ("act", {"word": "b"}, "call_0"))
    bench = a_bench(tmp_path, twice, words("Done."), tools=[ledger.tool()])

    await bench.answer(bench.turn())

    results = [e for e in bench.transcripts.entries() if isinstance(e, ToolResult)]
    assert len({result.call_id for result in results}) == 2
    assert all(result.call_id.isalnum() for result in results)


async def test_an_unknown_tool_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("reed_file"), words("Sorry."), tools=[ledger.tool()])

    await bench.answer(bench.turn())

    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.ERROR
    assert "'reed_file'" in result.text
    assert "act" in result.text


@pytest.mark.parametrize("name", ["ACT", " act "])
async def test_a_name_that_differs_in_case_alone_is_understood(tmp_path: Path, name: str) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call(name), words("Done."), tools=[ledger.tool()])

    await bench.answer(bench.turn())

    assert ledger.acts == ["act:hello"]


async def test_calls_of_a_message_that_was_cut_off_are_not_carried_out(tmp_path: Path) -> None:
    ledger = Ledger()
    cut = calls(("act", {"word": "a"}, "x"), stop=StopReason.LENGTH)
    bench = a_bench(tmp_path, cut, words("I was cut off."), tools=[ledger.tool()])

    await bench.answer(bench.turn())

    assert ledger.acts == []
    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.ERROR


async def test_wrong_arguments_are_told_back_and_nothing_runs(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act", wrong=1), words("Sorry."), tools=[ledger.tool()])

    await bench.answer(bench.turn())

    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.ERROR
    assert ledger.acts == []


async def test_a_tool_that_breaks_is_a_result_without_its_insides(tmp_path: Path) -> None:
    async def broken(_context: object, _arguments: object) -> str:
        raise RuntimeError("secret path /etc/shadow")

    ledger = Ledger()
    bench = a_bench(tmp_path, call("act"), words("It broke."), tools=[ledger.tool(act=broken)])

    outcome = await bench.answer(bench.turn())

    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.ERROR
    assert "RuntimeError" in result.text
    assert "shadow" not in result.text
    assert outcome.kind is OutcomeKind.ANSWERED


async def test_a_tool_that_takes_too_long_is_ended_and_said_so(tmp_path: Path) -> None:
    ledger = Ledger()
    slow = ledger.tool(act=ledger.wait_forever, timeout_seconds=0.01)
    bench = a_bench(tmp_path, call("act"), words("Too slow."), tools=[slow])

    await bench.answer(bench.turn())

    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.KILLED


async def test_tools_run_side_by_side_unless_one_must_run_alone(tmp_path: Path) -> None:
    meeting = asyncio.Barrier(2)

    async def meet(_context: object, _arguments: object) -> str:
        async with asyncio.timeout(10):
            await meeting.wait()
        return "met"

    ledger = Ledger()
    both = calls(("act", {"word": "a"}, "1"), ("act", {"word": "b"}, "2"))
    bench = a_bench(tmp_path, both, words("Met."), tools=[ledger.tool(act=meet)])

    await bench.answer(bench.turn())

    alone = Ledger()
    order: list[str] = []

    async def note(_context: object, arguments: object) -> str:
        order.append(f"in {arguments}")
        await asyncio.sleep(0)
        order.append(f"out {arguments}")
        return "noted"

    bench = a_bench(tmp_path, both, words("Noted."), tools=[alone.tool(act=note, alone=True)])
    await bench.answer(bench.turn())

    assert [step.split()[0] for step in order] == ["in", "out", "in", "out"]


async def test_results_reach_the_model_in_the_order_of_the_calls(tmp_path: Path) -> None:
    first_done = asyncio.Event()

    async def second_first(_context: object, arguments: object) -> str:
        if "slow" in str(arguments):
            await first_done.wait()
        else:
            first_done.set()
        return "done"

    ledger = Ledger()
    both = calls(("act", {"word": "slow"}, "1"), ("act", {"word": "fast"}, "2"))
    bench = a_bench(tmp_path, both, words("Done."), tools=[ledger.tool(act=second_first)])

    await bench.answer(bench.turn())

    messages = bench.models[0].requests[-1].messages
    asked = next(m for m in messages if isinstance(m, AssistantMessage))
    told = [m.call_id for m in messages if isinstance(m, ToolResult)]
    assert told == [c.id for c in asked.tool_calls]


async def test_a_call_that_failed_is_made_again_and_only_the_call(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(
        tmp_path,
        call("act"),
        ModelDisconnected("it was cut"),
        words("Done after all."),
        tools=[ledger.tool()],
    )

    outcome = await bench.answer(bench.turn())

    assert outcome.text == "Done after all."
    assert ledger.acts == ["act:hello"]
    assert "dropped" in bench.news
    assert bench.clock.slept == [1.0]


async def test_another_model_goes_on_from_the_record(tmp_path: Path) -> None:
    ledger = Ledger()
    first = ScriptedModel(call("act"), KeyRefused("the key was refused"), name="first")
    second = ScriptedModel(words("The second one knows."), name="second")
    bench = AgentBench(root=tmp_path, models=[first, second], tools=[ledger.tool()])

    outcome = await bench.answer(bench.turn())

    assert outcome.text == "The second one knows."
    assert ledger.acts == ["act:hello"]
    assert any(isinstance(m, ToolResult) for m in second.requests[0].messages)


async def test_when_no_model_answers_the_turn_fails_with_every_cause(tmp_path: Path) -> None:
    bench = a_bench(tmp_path, KeyRefused("the key was refused"))

    outcome = await bench.answer(bench.turn())

    assert outcome.kind is OutcomeKind.FAILED
    assert "the key was refused" in outcome.reason


async def test_a_request_that_does_not_fit_sees_less_of_the_past(tmp_path: Path) -> None:
    bench = a_bench(tmp_path, ContextOverflow("too long"), words("Shorter."))
    for number in range(40):
        bench.transcripts.record(_id(f"old{number}"), words(f"old {number}"))

    await bench.answer(bench.turn())

    longer, shorter = bench.models[0].requests
    assert len(shorter.messages) < len(longer.messages)


@pytest.mark.parametrize(
    "last",
    [words(""), words("I'll read it now."), words('{"name": "act", "arguments": {}}')],
)
async def test_a_model_that_stops_too_early_is_told_so_once(
    tmp_path: Path, last: AssistantMessage
) -> None:
    bench = a_bench(tmp_path, last, words("Here is the answer."), tools=[Ledger().tool()])

    outcome = await bench.answer(bench.turn())

    assert outcome.text == "Here is the answer."
    assert sum(isinstance(e, Nudge) for e in bench.transcripts.entries()) == 1


async def test_a_model_that_stays_empty_is_a_failure_and_not_silence(tmp_path: Path) -> None:
    bench = a_bench(tmp_path, words(""), words(" "))

    outcome = await bench.answer(bench.turn())

    assert outcome.kind is OutcomeKind.FAILED
    assert outcome.reason


async def test_a_model_that_only_ever_promises_is_taken_at_its_word_after_one_nudge(
    tmp_path: Path,
) -> None:
    bench = a_bench(
        tmp_path, words("I'll read it."), words("I will check."), tools=[Ledger().tool()]
    )

    outcome = await bench.answer(bench.turn())

    assert (outcome.kind, outcome.text) == (OutcomeKind.ANSWERED, "I will check.")


async def test_a_model_that_asks_for_one_thing_for_ever_is_ended(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, *([call("act")] * 20), tools=[ledger.tool()])

    outcome = await bench.answer(bench.turn())

    assert outcome.kind is OutcomeKind.FAILED
    assert "the same thing" in outcome.reason
    assert len(ledger.acts) == 5


async def test_calls_beyond_the_limit_are_refused_even_in_one_message(tmp_path: Path) -> None:
    ledger = Ledger()
    many = calls(*(("act", {"word": str(n)}, str(n)) for n in range(9)))
    bench = a_bench(tmp_path, many, words("unreached"), tools=[ledger.tool()])
    bench.limits = Limits(tool_calls=4)

    outcome = await bench.answer(bench.turn())

    assert len(ledger.acts) == 4
    assert outcome.kind is OutcomeKind.FAILED
    results = [e for e in bench.transcripts.entries() if isinstance(e, ToolResult)]
    assert sum(r.state is ResultState.DENIED for r in results) == 5


async def test_words_of_a_message_that_was_no_answer_are_taken_back(tmp_path: Path) -> None:
    bench = a_bench(tmp_path, words("I'll read it."), words("Done."), tools=[Ledger().tool()])

    await bench.answer(bench.turn())

    assert bench.news == ["progress", "answer"]


async def test_a_guest_has_no_tools_and_a_member_only_those_that_say_so(tmp_path: Path) -> None:
    ledger = Ledger()
    look = replace(ledger.tool("look", effect=Effect.PURE), least_rank=Rank.MEMBER)
    tools = [ledger.tool(), look, ledger.tool("peek", effect=Effect.PURE)]
    for rank, offered in (
        (Rank.GUEST, []),
        (Rank.MEMBER, ["look"]),
        (Rank.OWNER, ["act", "look", "peek"]),
    ):
        bench = a_bench(tmp_path, words("Hi."), tools=tools)
        turn = bench.turn()
        await bench.answer(replace(turn, arrival=replace(turn.arrival, rank=rank)))

        assert [tool.name for tool in bench.models[0].requests[0].tools] == offered


# --- after a crash -----------------------------------------------------------------------------


def crashed(bench: AgentBench, *, effect: Effect, started: bool = True) -> Turn:
    """A turn whose first attempt ended with its process in the middle of a call."""
    turn = bench.turn()
    asked = AssistantMessage(
        text="",
        stop=StopReason.TOOL_USE,
        tool_calls=(ToolCall(id="open", name="act", arguments='{"word": "x"}'),),
    )
    bench.transcripts.record(turn.id, asked)
    if started:
        mark = CallStarted(call_id="open", name="act", effect=effect)
        bench.transcripts.record(turn.id, mark)
    return replace(turn, attempt=2, crashes=1)


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED])
async def test_a_harmless_call_is_run_again_under_the_same_id(
    tmp_path: Path, effect: Effect
) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, words("Done."), tools=[ledger.tool(effect=effect)])

    outcome = await bench.answer(crashed(bench, effect=effect))

    assert outcome.text == "Done."
    assert ledger.acts == ["act:x"]
    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.call_id == "open"


async def test_an_unsafe_call_is_not_run_again_and_the_model_is_told(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, words("I cannot tell."), tools=[ledger.tool()])

    await bench.answer(crashed(bench, effect=Effect.UNSAFE))

    assert ledger.acts == []
    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.UNKNOWN
    assert "16:04:00 UTC" in result.text


async def test_an_unsafe_call_that_had_not_begun_is_run(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, words("Done."), tools=[ledger.tool()])

    await bench.answer(crashed(bench, effect=Effect.UNSAFE, started=False))

    assert ledger.acts == ["act:x"]


async def test_the_model_cannot_repeat_an_unknown_call_by_asking_again(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act", word="x"), words("Then not."), tools=[ledger.tool()])
    turn = crashed(bench, effect=Effect.UNSAFE)

    await bench.answer(turn)
    again = [e for e in bench.transcripts.entries() if isinstance(e, ToolResult)][-1]

    assert again.state in {ResultState.DENIED, ResultState.OK}
    assert (again.state is ResultState.DENIED) == (ledger.acts == [])


async def test_a_call_that_was_cut_off_is_not_carried_out_after_a_crash_either(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, words("I was cut off."), tools=[ledger.tool()])
    turn = bench.turn()
    cut = calls(("act", {"word": "a"}, "open"), stop=StopReason.LENGTH)
    bench.transcripts.record(turn.id, cut)

    await bench.answer(replace(turn, attempt=2, crashes=1))

    assert ledger.acts == []
    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.ERROR


@pytest.mark.parametrize(
    ("found", "acts", "state"),
    [
        (Probe.DONE, [], ResultState.OK),
        (Probe.NOT_DONE, ["act:x"], ResultState.OK),
        (Probe.UNCLEAR, [], ResultState.UNKNOWN),
    ],
)
async def test_a_checkable_call_is_probed_first(
    tmp_path: Path, found: Probe, acts: list[str], state: ResultState
) -> None:
    ledger = Ledger()
    tool = ledger.tool(effect=Effect.CHECKABLE, probe=found)
    bench = a_bench(tmp_path, words("Done."), tools=[tool])

    await bench.answer(crashed(bench, effect=Effect.CHECKABLE))

    assert ledger.acts == acts
    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is state


@pytest.mark.parametrize("fault", [OSError("gone"), ValueError("a bug"), None])
async def test_a_probe_that_breaks_or_hangs_has_found_nothing_out(
    tmp_path: Path, fault: Exception | None
) -> None:
    async def probe(_context: object, _arguments: object) -> Probe:
        if fault is not None:
            raise fault
        await asyncio.Event().wait()
        return Probe.NOT_DONE

    ledger = Ledger()
    tool = replace(ledger.tool(effect=Effect.CHECKABLE, timeout_seconds=0.02), probe=probe)
    bench = a_bench(tmp_path, words("I cannot tell."), tools=[tool])

    async with asyncio.timeout(5):
        outcome = await bench.answer(crashed(bench, effect=Effect.CHECKABLE))

    assert outcome.text == "I cannot tell."
    assert ledger.acts == []
    (result,) = (e for e in bench.transcripts.entries() if isinstance(e, ToolResult))
    assert result.state is ResultState.UNKNOWN


async def test_a_message_that_joined_does_not_make_a_late_turn_begin(tmp_path: Path) -> None:
    bench = a_bench(tmp_path)
    turn = bench.turn()
    bench.transcripts.record(turn.id, Received(inbound=turn.arrival.inbound, rank=Rank.OWNER))
    bench.clock.jump(timedelta(hours=25))

    outcome = await bench.answer(turn)

    assert outcome.failure is Failure.TOO_LATE
    assert bench.models[0].requests == []


async def test_a_recorded_last_word_is_not_asked_for_again(tmp_path: Path) -> None:
    bench = a_bench(tmp_path)
    turn = bench.turn()
    bench.transcripts.record(turn.id, words("Already said."))

    outcome = await bench.answer(replace(turn, attempt=2, crashes=1))

    assert outcome.text == "Already said."
    assert bench.models[0].requests == []


async def test_nobody_watching_an_open_unsafe_call_ends_the_turn(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, tools=[ledger.tool()])
    turn = crashed(bench, effect=Effect.UNSAFE)

    outcome = await bench.answer(replace(turn, arrival=replace(turn.arrival, lane=Lane.BACKGROUND)))

    assert outcome.kind is OutcomeKind.FAILED
    assert ledger.acts == []


async def test_a_message_that_crashed_us_three_times_is_not_begun_again(tmp_path: Path) -> None:
    bench = a_bench(tmp_path)

    outcome = await bench.answer(replace(bench.turn(), attempt=4, crashes=3))

    assert outcome.kind is OutcomeKind.FAILED
    assert bench.models[0].requests == []


async def test_a_stop_that_was_asked_for_before_it_began_is_obeyed(tmp_path: Path) -> None:
    bench = a_bench(tmp_path)

    with pytest.raises(TurnInterrupted):
        await bench.answer(replace(bench.turn(), cancel_asked=True))


# --- being ended in the middle ------------------------------------------------------------------


async def test_a_call_that_is_ended_in_the_middle_has_a_result(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act"), tools=[ledger.tool(act=ledger.wait_forever)])
    running = asyncio.create_task(bench.answer(bench.turn()))
    await until(ledger.began)

    running.cancel()
    await asyncio.wait({running})

    assert running.cancelled()
    last = bench.transcripts.entries()[-1]
    assert isinstance(last, ToolResult)
    assert last.state is ResultState.KILLED


async def test_calls_that_never_began_have_a_result_too(tmp_path: Path) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever, alone=True)
    both = calls(("act", {"word": "a"}, "1"), ("act", {"word": "b"}, "2"))
    bench = a_bench(tmp_path, both, tools=[tool])
    running = asyncio.create_task(bench.answer(bench.turn()))
    await until(ledger.began)

    running.cancel()
    await asyncio.wait({running})

    assert ledger.acts == ["act:a"]
    results = [e for e in bench.transcripts.entries() if isinstance(e, ToolResult)]
    assert [result.state for result in results] == [ResultState.KILLED, ResultState.KILLED]


class SlowTranscripts(MemoryTranscripts):
    """Takes a while for each commit, as a disk does."""

    async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
        await asyncio.sleep(0)
        added = await super().append(turn, *entries)
        await asyncio.sleep(0)
        return added


@pytest.mark.parametrize("effect", [Effect.UNSAFE, Effect.PURE])
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("timeout_seconds", [60.0, 0.0])
async def test_wherever_it_is_ended_what_had_begun_has_a_result_and_nothing_runs_on(
    tmp_path: Path, *, alone: bool, timeout_seconds: float, effect: Effect
) -> None:
    step = 0
    while True:
        ledger = Ledger()
        tool = ledger.tool(
            act=ledger.note_the_end, alone=alone, timeout_seconds=timeout_seconds, effect=effect
        )
        both = calls(("act", {"word": "a"}, "1"), ("act", {"word": "b"}, "2"))
        bench = a_bench(tmp_path, both, words("Done."), tools=[tool])
        bench.transcripts = SlowTranscripts()
        running = asyncio.create_task(bench.answer(bench.turn()))
        for _ in range(step):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait({running})

        entries = bench.transcripts.entries()
        started = {e.call_id for e in entries if isinstance(e, CallStarted)}
        ended = [e.call_id for e in entries if isinstance(e, ToolResult)]
        asked = [c.id for e in entries if isinstance(e, AssistantMessage) for c in e.tool_calls]
        assert started <= set(ended) <= set(asked), f"ended at step {step}"
        assert len(ended) == len(set(ended))
        assert len([a for a in ledger.acts if a.startswith("end")]) * 2 == len(ledger.acts)
        if not running.cancelled():
            break
        step += 1
    assert step > 10


async def test_a_store_that_cannot_write_ends_the_work_after_one_step_that_is_not_recorded(
    tmp_path: Path,
) -> None:
    class FullDisk(MemoryTranscripts):
        async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
            raise StoreUnavailable(f"no room for {len(entries)} entries of {turn.id}")

    ledger = Ledger()
    look = ledger.tool("look", effect=Effect.PURE)
    bench = a_bench(tmp_path, call("look", word="a"), call("look", word="b"), tools=[look])
    bench.transcripts = FullDisk()

    with pytest.raises(StoreUnavailable):
        await bench.answer(bench.turn())

    assert ledger.acts == ["look:a"]
    assert len(bench.models[0].requests) == 2


async def test_losing_the_lease_ends_the_work_and_writes_nothing(tmp_path: Path) -> None:
    ledger = Ledger()
    bench = a_bench(tmp_path, call("act"), tools=[ledger.tool(act=ledger.wait_forever)])
    turn = bench.turn()
    bench.transcripts.lost = True

    with pytest.raises(LeaseLost):
        await bench.answer(turn)

    assert ledger.acts == []


def _id(text: str) -> TurnId:
    return TurnId(text)
