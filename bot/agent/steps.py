"""What a turn did on its way, for people who asked to see it with the answer."""

from collections.abc import Sequence
from typing import Any, Final

from bot.agent.summary import summaries
from bot.contracts.messages import AssistantMessage, ToolResult
from bot.contracts.tool import Tool
from bot.contracts.transcript import Entry
from bot.contracts.turn import Verbosity

_LONGEST: Final = 400
"""Characters of a result that are shown; the file or the export has the rest."""


def steps_shown(
    entries: Sequence[Entry], verbosity: Verbosity | None, tools: Sequence[Tool[Any]]
) -> tuple[str, ...]:
    """Return one line a call, with `full` also the beginning of what came of it (pure)."""
    if verbosity is None or verbosity is Verbosity.OFF:
        return ()
    summary_of = summaries(tools)
    results = {one.call_id: one for one in entries if isinstance(one, ToolResult)}
    steps = []
    for message in entries:
        if not isinstance(message, AssistantMessage):
            continue
        for call in message.tool_calls:
            line = f"{call.name} {summary_of(call)}".rstrip()
            result = results.get(call.id)
            state = "" if result is None else f" ({result.state})"
            shown = "" if result is None else _beginning(result.text)
            full = verbosity is Verbosity.FULL and shown
            steps.append(f"{line}{state}\n{shown}" if full else f"{line}{state}")
    return tuple(steps)


def _beginning(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
