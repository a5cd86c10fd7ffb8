"""What the last message of the model means. Only the last one counts."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from bot.contracts.messages import AssistantMessage, StopReason

_PROMISE: Final = re.compile(
    r"""^\W*(?:sure|okay|ok|certainly|of\ course|好的?|当然)?\W*
    (?:i['’]?ll|i\ will(?!\ not)|let\ me(?!\ know)|i['’]?m\ going\ to|
       我(?:这就|现在|马上|来|先|会)|让我)
    .{0,200}?
    (?:read|open|check|look|list|search|find|run|edit|write|fix|do\ (?:that|this)|
       读|看|打开|查|列|搜|运行|执行|修改|处理)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_PROMISE_AT_MOST: Final = 300
"""Longer texts say something besides the promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The turn is answered with these words."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidNothing:
    """The model chose to stay silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """It stopped before it was done; `nudge` is what to tell it, `text` what it said."""

    nudge: str
    text: str = ""
    reason: str


Judgement = Said | SaidNothing | Unfinished


def judge(
    message: AssistantMessage, *, visible: str, silent: bool, tools: Collection[str], acted: bool
) -> Judgement:
    """Say what a message without (further) calls means (pure).

    *visible* is its text as people would see it, *silent* whether it asked for
    silence, *tools* the names it may call, *acted* whether this turn called any.
    Text before a tool call is progress and never comes here.
    """
    if silent:
        return SaidNothing()
    if message.stop is StopReason.TOOL_USE:
        return Unfinished(
            nudge="You stopped to use a tool and named none. Call the tool now, or answer.",
            reason="it stopped to use a tool and named none",
        )
    if not visible.strip():
        return Unfinished(
            nudge="Nothing of your last message is visible. Give the answer now, in plain text.",
            reason="it gave an empty answer",
        )
    if _is_call_as_text(visible, tools):
        return Unfinished(
            nudge="You wrote a tool call as text, so nothing was carried out. "
            "Call the tool itself, or answer without it.",
            text=visible,
            reason="it wrote a tool call as text",
        )
    if not acted and tools and len(visible) <= _PROMISE_AT_MOST and _PROMISE.match(visible):
        return Unfinished(
            nudge="You said what you would do and did not do it. Do it now with a tool; "
            "if that was your whole answer, say it again.",
            text=visible,
            reason="it promised to act and did not",
        )
    return Said(text=message.text)


def _is_call_as_text(text: str, tools: Collection[str]) -> bool:
    stripped = text.strip().strip("`").removeprefix("json").strip()
    if not stripped.startswith(("{", "[", "<tool_call", "<function")):
        return False
    return any(f'"{name}"' in stripped or f"={name}" in stripped for name in tools)
