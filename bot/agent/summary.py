"""What a call is about, in one line for people."""

from collections.abc import Callable, Sequence
from typing import Any

from bot.contracts.errors import ToolError
from bot.contracts.messages import ToolCall
from bot.contracts.tool import Tool


def summaries(tools: Sequence[Tool[Any]]) -> Callable[[ToolCall], str]:
    """Return what says it of a call of one of *tools*; of any other, nothing."""
    by_name = {tool.name: tool for tool in tools}

    def summary_of(call: ToolCall) -> str:
        tool = by_name.get(call.name)
        if tool is None:
            return ""
        try:
            return tool.summarise(tool.parameters.parse(call.arguments))
        except ToolError:
            return ""

    return summary_of
