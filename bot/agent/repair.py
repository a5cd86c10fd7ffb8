"""Closes the calls that a crash left open, by what the record proves about each."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from bot.agent.toolbox import Toolbox
from bot.agent.transcript import LiveTranscript
from bot.agent.verdict import CallEvidence, Mending, mending
from bot.contracts import faults
from bot.contracts.messages import AssistantMessage, ResultState, StopReason, ToolCall, ToolResult
from bot.contracts.tool import Probe


async def repair(
    evidence: Sequence[CallEvidence], transcript: LiveTranscript, tools: Toolbox
) -> None:
    """Give every open call its result.

    It happens under a fresh lease, so nothing of the attempt before can still
    be writing. It may be cut off and begun again: what it did is recorded too.
    """
    again: list[ToolCall] = []
    for call in evidence:
        faults.reach("recover")
        match mending(call):
            case Mending.NOTHING:
                pass
            case Mending.RUN:
                again.append(call.call)
            case Mending.TELL:
                await transcript.keep(_unknown(call.call, call.started_at))
            case Mending.PROBE:
                match await tools.probe(call.call):
                    case Probe.DONE:
                        await transcript.keep(_done(call.call))
                    case Probe.NOT_DONE:
                        again.append(call.call)
                    case Probe.UNCLEAR:
                        await transcript.keep(_unknown(call.call, call.started_at))
                    case probe:
                        assert_never(probe)
            case action:
                assert_never(action)
    if again:
        asked = [e for e in transcript.of_this_turn if isinstance(e, AssistantMessage)]
        await tools.carry_out(again, stop=asked[-1].stop if asked else StopReason.TOOL_USE)


def _unknown(call: ToolCall, at: datetime | None) -> ToolResult:
    when = f" at {at:%H:%M:%S %Z}" if at else ""
    return ToolResult(
        call_id=call.id,
        name=call.name,
        text=f"This call was started{when}, then the bot was interrupted. Its outcome is unknown "
        "and it was not repeated. Find out what it did before you go on, and tell the person.",
        state=ResultState.UNKNOWN,
    )


def _done(call: ToolCall) -> ToolResult:
    return ToolResult(
        call_id=call.id,
        name=call.name,
        text="It had been carried out before the bot was interrupted; a check found its effect.",
    )
