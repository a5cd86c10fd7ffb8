"""All combinations of evidence, enumerated."""

from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from bot.agent.verdict import (
    CallEvidence,
    Evidence,
    Mending,
    Progress,
    Verdict,
    call_evidence,
    in_time,
    mending,
    unsafe_begun,
    verdict,
)
from bot.contracts.messages import AssistantMessage, StopReason, ToolCall, ToolResult
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted
from bot.contracts.turn import TurnId
from tests.doubles.clock import START
from tests.doubles.transcripts import MemoryTranscripts

CALL = ToolCall(id="c1", name="shell", arguments="{}")
FRESH = Evidence(
    crashes=0,
    cancel_asked=False,
    same_epoch=True,
    can_act=True,
    attended=True,
    in_time=True,
    resumable=True,
    has_begun=False,
)
BEGUN = replace(FRESH, has_begun=True)
UNSAFE_OPEN = CallEvidence(call=CALL, progress=Progress.STARTED, effect=Effect.UNSAFE)


def all_evidence() -> list[Evidence]:
    flags = product([False, True], repeat=8)
    calls = [
        (),
        *(
            (CallEvidence(call=CALL, progress=progress, effect=effect),)
            for progress in Progress
            for effect in Effect
        ),
    ]
    return [
        Evidence(
            crashes=crashes,
            cancel_asked=cancel,
            same_epoch=epoch,
            can_act=act,
            attended=attended,
            in_time=in_time_,
            resumable=resumable,
            has_begun=begun,
            calls=some,
            unsafe_begun=unsafe
            or any(
                c.effect is Effect.UNSAFE and c.progress is not Progress.NOT_STARTED for c in some
            ),
        )
        for cancel, epoch, act, attended, in_time_, resumable, begun, unsafe in flags
        for crashes in (0, 2, 3, 9)
        for some in calls
    ]


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        pytest.param(FRESH, Verdict.START, id="nothing happened yet"),
        pytest.param(replace(FRESH, in_time=False), Verdict.STALE, id="too late to begin"),
        pytest.param(replace(FRESH, crashes=2), Verdict.START, id="two crashes are forgiven"),
        pytest.param(replace(FRESH, crashes=3), Verdict.POISON, id="the third crash is the last"),
        pytest.param(BEGUN, Verdict.RESUME, id="a step is recorded"),
        pytest.param(
            replace(BEGUN, in_time=False), Verdict.RESUME, id="what was begun harmlessly goes on"
        ),
        pytest.param(
            replace(BEGUN, unsafe_begun=True, resumable=False),
            Verdict.STALE,
            id="late after an unsafe call",
        ),
        pytest.param(
            replace(BEGUN, calls=(UNSAFE_OPEN,), unsafe_begun=True),
            Verdict.RESUME,
            id="an unsafe call is open and a person is there",
        ),
        pytest.param(
            replace(BEGUN, calls=(UNSAFE_OPEN,), unsafe_begun=True, attended=False),
            Verdict.ABANDON,
            id="an unsafe call is open and nobody is there",
        ),
        pytest.param(
            replace(BEGUN, same_epoch=False), Verdict.ROLLED_BACK, id="history was rolled back"
        ),
        pytest.param(
            replace(BEGUN, same_epoch=False, can_act=False),
            Verdict.RESUME,
            id="rolled back, but it can only look",
        ),
        pytest.param(
            replace(BEGUN, cancel_asked=True, crashes=9), Verdict.CANCEL, id="a stop wins"
        ),
    ],
)
def test_a_verdict_for_each_evidence(evidence: Evidence, expected: Verdict) -> None:
    assert verdict(evidence) is expected


@pytest.mark.parametrize("progress", Progress)
@pytest.mark.parametrize("effect", Effect)
def test_only_what_was_proven_may_be_repeated(progress: Progress, effect: Effect) -> None:
    decided = mending(CallEvidence(call=CALL, progress=progress, effect=effect))

    if progress is Progress.ENDED:
        assert decided is Mending.NOTHING
    elif progress is Progress.STARTED and effect is Effect.UNSAFE:
        assert decided is Mending.TELL
    elif progress is Progress.STARTED and effect is Effect.CHECKABLE:
        assert decided is Mending.PROBE
    else:
        assert decided is Mending.RUN


def test_over_all_evidence_an_open_unsafe_call_is_never_begun_again() -> None:
    for evidence in all_evidence():
        ruling = verdict(evidence)
        if ruling is Verdict.START:
            assert not evidence.has_begun
        for call in evidence.calls:
            if call.effect is Effect.UNSAFE and call.progress is Progress.STARTED:
                assert mending(call) is Mending.TELL


def test_over_all_evidence_three_crashes_never_lead_to_a_fourth_start() -> None:
    for evidence in all_evidence():
        if evidence.crashes >= 3:
            assert verdict(evidence) not in {Verdict.START, Verdict.RESUME}


def test_over_all_evidence_a_rolled_back_history_never_permits_acting_on_what_is_absent() -> None:
    for evidence in all_evidence():
        if not evidence.same_epoch and evidence.has_begun and evidence.can_act:
            assert verdict(evidence) in {Verdict.ROLLED_BACK, Verdict.CANCEL}


def test_what_was_recorded_at_the_start_counts_more_than_what_the_tool_says_now() -> None:
    transcripts = MemoryTranscripts()
    turn_id = TurnId("t")
    transcripts.record(
        turn_id,
        AssistantMessage(text="", stop=StopReason.TOOL_USE, tool_calls=(CALL,)),
        CallStarted(call_id="c1", name="shell", effect=Effect.UNSAFE),
    )

    (evidence,) = call_evidence(transcripts.recorded, turn_id, lambda _: Effect.PURE)

    assert evidence.effect is Effect.UNSAFE
    assert evidence.progress is Progress.STARTED
    assert evidence.started_at == START


def test_a_result_ends_a_call_and_another_turns_calls_do_not_count() -> None:
    transcripts = MemoryTranscripts()
    asked = AssistantMessage(text="", stop=StopReason.TOOL_USE, tool_calls=(CALL,))
    transcripts.record(
        TurnId("other"), asked, CallStarted(call_id="c1", name="x", effect=Effect.UNSAFE)
    )
    transcripts.record(TurnId("t"), asked, ToolResult(call_id="c1", name="shell", text="done"))

    (evidence,) = call_evidence(transcripts.recorded, TurnId("t"), lambda _: Effect.UNSAFE)

    assert evidence.progress is Progress.ENDED
    assert not unsafe_begun(transcripts.recorded, TurnId("t"))
    assert unsafe_begun(transcripts.recorded, TurnId("other"))


def test_a_clock_that_went_back_makes_nothing_late() -> None:
    assert in_time(START, START - timedelta(hours=5), timedelta(minutes=30))
    assert not in_time(START, START + timedelta(minutes=31), timedelta(minutes=30))
