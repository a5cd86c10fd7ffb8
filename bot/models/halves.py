r"""Characters that a server cut in two, or sent one half of.

A server that escapes its JSON may end one piece with ``\ud83d`` and begin the next with
``\ude00`` (https://www.rfc-editor.org/rfc/rfc8259#section-7). Together they are an emoji; alone
neither can be written anywhere, and becomes U+FFFD.
"""

from dataclasses import replace
from typing import TypeVar

from bot.contracts.messages import AssistantMessage, ToolCall
from bot.contracts.model import Delta

_Delta = TypeVar("_Delta", bound=Delta)


class Halves:
    """Keeps the first half of a character until the second comes. One for each stream."""

    def __init__(self) -> None:
        self._kept: dict[type[object], str] = {}

    def joined(self, delta: _Delta) -> _Delta:
        """Return *delta* with whole characters: what was kept before it, without what is kept."""
        if not self._kept and delta.text.isascii():
            return delta
        text = self._kept.pop(type(delta), "") + delta.text
        if "\ud800" <= text[-1:] <= "\udbff":
            self._kept[type(delta)] = text[-1]
            text = text[:-1]
        return replace(delta, text=_whole(text))


def whole_message(message: AssistantMessage) -> AssistantMessage:
    """Return *message* with whole characters in all that it says and asks for (pure)."""
    return replace(
        message,
        text=_whole(message.text),
        tool_calls=tuple(_whole_call(call) for call in message.tool_calls),
        thinking=tuple(replace(block, text=_whole(block.text)) for block in message.thinking),
    )


def _whole_call(call: ToolCall) -> ToolCall:
    return ToolCall(id=_whole(call.id), name=_whole(call.name), arguments=_whole(call.arguments))


def _whole(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
