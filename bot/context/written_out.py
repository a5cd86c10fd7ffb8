"""A session as people read it, and as programs do: Markdown and JSON."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final, assert_never

from bot.context.quoted import quoted
from bot.contracts.messages import AssistantMessage, ToolResult
from bot.contracts.session import SessionKey
from bot.contracts.transcript import (
    CallStarted,
    Corrected,
    Decided,
    Nudge,
    Observed,
    Received,
    Recorded,
    Reset,
    Stopped,
    Summarized,
    Unanswered,
)

_LONGEST_RESULT: Final = 2_000
"""Characters of a tool's result in the Markdown; the JSON has all of it."""


_TICKS: Final = re.compile("`+")


def as_markdown(session_key: SessionKey, chapters: Sequence[Sequence[Recorded]]) -> str:
    """Write chapters for people, in order (pure)."""
    parts = [f"# {session_key}"]
    for chapter in chapters:
        parts += [part for one in chapter for part in _told(one)]
    return "\n\n".join(parts) + "\n"


def as_json(session_key: SessionKey, chapters: Sequence[Sequence[Recorded]]) -> str:
    """Write chapters for programs, in order and complete (pure)."""
    whole = {
        "session": session_key,
        "chapters": [[asdict(one) for one in chapter] for chapter in chapters],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in an export")


def fenced(text: str) -> str:
    """Put *text* between fences that it cannot close (pure)."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}\n{text}\n{fence}"


def _told(one: Recorded) -> Iterator[str]:
    match one.entry:
        case Received(inbound=inbound):
            who = inbound.sender.display_name or inbound.sender.id
            yield f"## {who}, {one.at:%Y-%m-%d %H:%M} UTC, {inbound.channel}"
            yield inbound.text or "(no text)"
            yield from (f"Attached: {file.name}" for file in inbound.attachments)
        case AssistantMessage() as message:
            yield f"## Stonechat, {one.at:%Y-%m-%d %H:%M} UTC"
            yield from filter(None, [message.text])
            yield from (
                f"Called `{call.name}`:\n\n{fenced(call.arguments)}" for call in message.tool_calls
            )
        case ToolResult() as result:
            text = result.text
            cut = f"{text[:_LONGEST_RESULT]}…" if len(text) > _LONGEST_RESULT else text
            yield f"Result of `{result.name}` ({result.state}):\n\n{fenced(cut)}"
        case Reset():
            yield "---\n\nHere it began anew."
        case Decided():
            yield f"{one.entry.by} said {one.entry.decision} to `{one.entry.call.name}`."
        case Observed() | Summarized() | Corrected():
            yield fenced(quoted(one.entry, UTC))
        case Stopped(said=said):
            yield from filter(None, [said])
            yield "It was stopped here."
        case CallStarted() | Nudge() | Unanswered():
            pass
        case _:
            assert_never(one.entry)
