"""What the record permits after a crash or a failure.

A turn may go on in a way that the record proves to be safe, and in no other: a
timeout, an empty answer or a missing row proves nothing. Everything here is
pure and enumerated in the tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from bot.contracts.messages import AssistantMessage, ToolCall, ToolResult
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Decided, Recorded
from bot.contracts.turn import TurnId

MAX_CRASHES: Final = 3
"""A message that ended the process three times is not begun a fourth time."""

RESUME_WITHIN: Final = timedelta(minutes=30)
"""How late a turn may be resumed in which an unsafe call had begun: later, the person no
longer expects its consequences."""


class Progress(StrEnum):
    """How far a call got, by the record."""

    NOT_STARTED = "not_started"
    """Asked for, and nothing says that it began."""
    STARTED = "started"
    """It began, and nothing says how it ended."""
    ENDED = "ended"
    """Its result is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvidence:
    """What is recorded of one call. `effect` is what was recorded, or what the tool declares."""

    call: ToolCall
    progress: Progress
    effect: Effect
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is recorded of one turn, reduced to what a verdict needs."""

    crashes: int
    cancel_asked: bool
    same_epoch: bool
    """The store was not rolled back since the turn was begun."""
    can_act: bool
    """The agent has a tool that is not pure."""
    attended: bool
    """A person waits for the outcome."""
    in_time: bool
    """It is young enough to be begun."""
    resumable: bool
    """It is young enough to go on after an unsafe call."""
    has_begun: bool
    """A model call of this turn is recorded, or an earlier attempt was made."""
    calls: tuple[CallEvidence, ...] = ()
    """Those of the latest assistant message; earlier ones all have results."""
    unsafe_begun: bool = False
    """Some unsafe call of this turn was started, whatever became of it."""


class Verdict(StrEnum):
    """What may be done with a turn."""

    START = "start"
    """Nothing happened yet: begin."""
    RESUME = "resume"
    """Go on from the transcript; calls that were left open are mended one by one."""
    CANCEL = "cancel"
    """Somebody asked for it to stop."""
    POISON = "poison"
    """It ended the process too often."""
    STALE = "stale"
    """It is too late to begin, or to go on."""
    ROLLED_BACK = "rolled_back"
    """History was rolled back: an absent row proves nothing any more."""
    ABANDON = "abandon"
    """An unsafe call has an unknown end and nobody is there to judge it."""


class Mending(StrEnum):
    """What is done about one call that was left open."""

    NOTHING = "nothing"
    RUN = "run"
    """Run it (again), under the same call id."""
    PROBE = "probe"
    """Ask whether it happened, then run it or report it."""
    TELL = "tell"
    """Its result says that the outcome is unknown and that it was not repeated."""


def verdict(evidence: Evidence) -> Verdict:
    """Say what the record permits; the first rule that applies wins (pure)."""
    if evidence.cancel_asked:
        return Verdict.CANCEL
    if not evidence.same_epoch and evidence.has_begun and evidence.can_act:
        return Verdict.ROLLED_BACK
    if evidence.crashes >= MAX_CRASHES:
        return Verdict.POISON
    if not evidence.has_begun:
        return Verdict.START if evidence.in_time else Verdict.STALE
    if evidence.unsafe_begun and not evidence.resumable:
        return Verdict.STALE
    open_ended = any(mending(call) is Mending.TELL for call in evidence.calls)
    if open_ended and not evidence.attended:
        return Verdict.ABANDON
    return Verdict.RESUME


def mending(call: CallEvidence) -> Mending:
    """Say what becomes of one call: only what was proven may be repeated (pure)."""
    if call.progress is Progress.ENDED:
        return Mending.NOTHING
    if call.progress is Progress.NOT_STARTED:
        return Mending.RUN
    match call.effect:
        case Effect.PURE | Effect.IDEMPOTENT | Effect.KEYED | Effect.TRANSACTIONAL:
            return Mending.RUN
        case Effect.CHECKABLE:
            return Mending.PROBE
        case Effect.UNSAFE:
            return Mending.TELL


def call_evidence(
    recorded: Sequence[Recorded], turn_id: TurnId, effect_of: Callable[[str], Effect]
) -> tuple[CallEvidence, ...]:
    """Collect what is recorded of the calls of a turn's latest assistant message (pure).

    Before it has one: of the call that a person approved, which the turn begins with.

    *effect_of* tells what repeating a tool's call would do; what was recorded
    when the call was started counts for more.
    """
    mine = [r for r in recorded if r.turn_id == turn_id]
    started = {r.entry.call_id: r for r in mine if isinstance(r.entry, CallStarted)}
    ended = {r.entry.call_id for r in mine if isinstance(r.entry, ToolResult)}
    said = [r.entry for r in mine if isinstance(r.entry, AssistantMessage)]
    approved = [r.entry.call for r in mine if isinstance(r.entry, Decided) and r.entry.is_approved]
    return tuple(
        _one_call(call, started.get(call.id), ended, effect_of)
        for call in (said[-1].tool_calls if said else approved)
    )


def _one_call(
    call: ToolCall, started: Recorded | None, ended: set[str], effect_of: Callable[[str], Effect]
) -> CallEvidence:
    effect = effect_of(call.name)
    if started is not None and isinstance(started.entry, CallStarted):
        effect = started.entry.effect
    return CallEvidence(
        call=call,
        progress=(
            Progress.ENDED
            if call.id in ended
            else Progress.NOT_STARTED
            if started is None
            else Progress.STARTED
        ),
        effect=effect,
        started_at=started.at if started else None,
    )


def unsafe_begun(recorded: Sequence[Recorded], turn_id: TurnId) -> bool:
    """Whether an unsafe call of the turn was ever started. It never becomes false again (pure)."""
    return any(
        isinstance(r.entry, CallStarted) and r.entry.effect is Effect.UNSAFE
        for r in recorded
        if r.turn_id == turn_id
    )


def in_time(received_at: datetime, now: datetime, within: timedelta) -> bool:
    """Whether *now* is not more than *within* later; a clock that went back makes nothing late."""
    return max(now - received_at, timedelta()) <= within
