"""Transcript to messages: what the model reads of what a session remembers."""

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from itertools import groupby
from typing import Final

from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.transcript import CallStarted, Entry, Nudge, Received, Recorded

_STRIDE: Final = 4
"""A long history is cut only at every (limit / 4)th turn, so that the prefix of the request
stays byte-identical between cuts and providers can cache it."""

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""Written out, because `strftime` speaks whatever language the machine is set to."""


def fold(recorded: Sequence[Recorded], *, history: int, zone: tzinfo) -> tuple[Message, ...]:
    """Return the session as messages, its latest *history* turns at least (pure).

    An assistant message and the results of its calls stay together, results in
    the order of the calls; a call that has no result (its turn ended before)
    gets one that says so. Whatever the record holds, the messages are legal.
    """
    turns = [list(group) for _, group in groupby(recorded, key=lambda r: r.turn_id)]
    kept = turns[_first_kept(len(turns), history) :]
    return tuple(message for turn in kept for message in _messages([r.entry for r in turn], zone))


def said(received: Received, zone: tzinfo) -> UserMessage:
    """Return what somebody said as the model reads it: when, where, and the words (pure)."""
    at = received.inbound.sent_at.astimezone(zone)
    day = _DAYS[at.weekday()]
    stamp = f"{day} {at:%Y-%m-%d %H:%M} {zone}, {received.inbound.channel}"
    return UserMessage(text=f"[{stamp}] {received.inbound.text}")


def _first_kept(turns: int, history: int) -> int:
    stride = max(history // _STRIDE, 1)
    over = max(turns - history, 0)
    return over // stride * stride


def _messages(entries: Sequence[Entry], zone: tzinfo) -> Iterable[Message]:
    results = {e.call_id: e for e in entries if isinstance(e, ToolResult)}
    started = {e.call_id for e in entries if isinstance(e, CallStarted)}
    for entry in entries:
        match entry:
            case Received():
                yield said(entry, zone)
            case Nudge():
                yield UserMessage(text=entry.text)
            case AssistantMessage():
                if entry.text or entry.tool_calls:
                    yield entry
                for call in entry.tool_calls:
                    yield results.get(call.id) or _left_open(call, started=call.id in started)
            case CallStarted() | ToolResult():
                pass


def _left_open(call: ToolCall, *, started: bool) -> ToolResult:
    """Answer a call of a turn that ended before it had a result, as far as is known."""
    return ToolResult(
        call_id=call.id,
        name=call.name,
        text=(
            "The turn ended while this was running; its outcome is unknown."
            if started
            else "The turn ended before this began."
        ),
        state=ResultState.UNKNOWN if started else ResultState.KILLED,
    )
