"""What a turn may still spend: model calls, tool calls, and patience with repetition.

Everything is counted on the transcript, so that a restart neither forgets nor
spends anything twice.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.contracts.errors import BudgetSpent
from bot.contracts.messages import AssistantMessage, ResultState, ToolCall, ToolResult
from bot.contracts.transcript import Entry
from bot.contracts.turn import Failure

WARNING: Final = "\n\n[You have asked for exactly this several times; the result will not change.]"
"""What is added to a result that came before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one turn may do."""

    model_calls: int = 60
    tool_calls: int = 120
    same_call_warned: int = 3
    """From so many calls of one kind with one result on, the model is told."""
    same_call_denied: int = 6
    same_call_ended: int = 10


class Repetition(StrEnum):
    """What to do about a call that was asked for before."""

    FINE = "fine"
    WARN = "warn"
    DENY = "deny"
    UNKNOWN_BEFORE = "unknown_before"
    """The same call has an unknown end in this turn: not again without a person."""


class Budget:
    """Reads a turn's entries, which grow while it runs. Pure."""

    def __init__(self, limits: Limits, entries: Sequence[Entry]) -> None:
        self._limits = limits
        self._entries = entries

    def check_model_call(self) -> None:
        """Ask before a model call.

        Raises:
            BudgetSpent: the turn has made all the calls it may make.
        """
        said = [e for e in self._entries if isinstance(e, AssistantMessage)]
        calls = [fingerprint(call) for message in said for call in message.tool_calls]
        most = max(Counter(calls).values(), default=0)
        if len(said) >= self._limits.model_calls:
            raise BudgetSpent(_spent("model", len(said)), Failure.MODEL_CALLS)
        if len(calls) >= self._limits.tool_calls:
            raise BudgetSpent(_spent("tool", len(calls)), Failure.TOOL_CALLS)
        if most >= self._limits.same_call_ended:
            raise BudgetSpent(f"asked for the same thing {most} times", Failure.REPETITION)

    def tool_calls_over(self) -> int:
        """How many of the calls asked for so far are more than the turn may make."""
        calls = sum(len(e.tool_calls) for e in self._entries if isinstance(e, AssistantMessage))
        return max(calls - self._limits.tool_calls, 0)

    def repetition(self, call: ToolCall) -> Repetition:
        """Say whether *call* goes round in circles: asked before, always with one result."""
        print_ = fingerprint(call)
        ids = {
            asked.id
            for entry in self._entries
            if isinstance(entry, AssistantMessage)
            for asked in entry.tool_calls
            if fingerprint(asked) == print_
        }
        results = [e for e in self._entries if isinstance(e, ToolResult) and e.call_id in ids]
        if any(result.state is ResultState.UNKNOWN for result in results):
            return Repetition.UNKNOWN_BEFORE
        most = max(Counter(_outcome(result) for result in results).values(), default=0)
        if most + 1 >= self._limits.same_call_denied:
            return Repetition.DENY
        if most + 1 >= self._limits.same_call_warned:
            return Repetition.WARN
        return Repetition.FINE


def fingerprint(call: ToolCall) -> str:
    """Return what makes two calls the same: the tool and the bytes of its arguments (pure)."""
    return hashlib.sha256(
        f"{call.name}\0{call.arguments.strip()}".encode("utf-8", "surrogatepass")
    ).hexdigest()


def _outcome(result: ToolResult) -> str:
    return f"{result.state}\0{result.text.split(WARNING, 1)[0]}"


def _spent(what: str, count: int) -> str:
    return f"not done after {count} {what} calls; `limits.{what}_calls` sets the limit"
