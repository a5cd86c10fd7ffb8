"""What the agent needs from its surroundings, passed in: words, news, and new messages."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.agent.failover import Try
from bot.contracts.approval import Question
from bot.contracts.messages import ResultState, ToolCall
from bot.contracts.model import ModelRequest
from bot.contracts.tool import Tool, ToolContext
from bot.contracts.transcript import Recorded
from bot.contracts.turn import Turn


class LiveWords(Protocol):
    """An incremental filter: pieces of the model's text in, what people may see out."""

    def feed(self, piece: str) -> str:
        """Take some more text; return what has become visible."""
        ...

    def end(self) -> str:
        """Say that the message is over; return what was held back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What people would see of a whole message, and whether it asked for silence."""

    visible: str
    silent: bool


BuildRequest = Callable[
    [Turn, Sequence[Recorded], Sequence[Tool[Any]], Try], Awaitable[ModelRequest]
]
"""Gives what the model sees: of the session, with the tools it may use, for this try."""

ToolContextOf = Callable[[Turn, ToolCall], ToolContext]
"""Gives what a tool may know during one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """The surroundings of one turn. Nothing here may fail or wait, but `absorb`."""

    absorb: Callable[[], Awaitable[Sequence[Recorded]]]
    """Let waiting messages join; they are recorded already."""
    live: Callable[[], LiveWords]
    """A fresh filter for the words of one message."""
    read: Callable[[str], Reading]
    """What people would see of a whole text."""
    words: Callable[[str], None]
    """Visible words came."""
    message_made: Callable[[bool], None]
    """A message is complete; whether its words are the answer."""
    message_dropped: Callable[[], None]
    """The message that was being written counts for nothing."""
    attempt_failed: Callable[[str], None]
    """A model call failed and something else is tried."""
    can_show: Callable[[Question], bool]
    """Whether a question can be shown in full where the answer goes."""
    tool_started: Callable[[ToolCall, str], None]
    tool_ended: Callable[[ToolCall, ResultState], None]
