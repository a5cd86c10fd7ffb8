"""What a model reads and writes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from bot.contracts.turn import Usage


class StopReason(StrEnum):
    """Why the model stopped writing."""

    END = "end"
    TOOL_USE = "tool_use"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """What somebody said to the model, as the model reads it."""

    text: str
    kind: Literal["user"] = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What a model asked for. `arguments` is its JSON text, unparsed, so that bytes stay stable."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """A provider's reasoning block, kept whole so that it can be given back in a tool loop.

    Anthropic demands the signature, or the data of a redacted block, unchanged
    (https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking).
    """

    text: str = ""
    signature: str = ""
    redacted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """What the model said: words, and calls that it asks for."""

    text: str
    stop: StopReason
    tool_calls: tuple[ToolCall, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    model: str = ""
    usage: Usage = Usage()
    kind: Literal["assistant"] = "assistant"


class ResultState(StrEnum):
    """What is known about the end of a call."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    """It was refused before it began."""
    KILLED = "killed"
    """It was ended from outside; part of its effect may have happened."""
    UNKNOWN = "unknown"
    """It was started, and nobody knows how it ended."""
    ASKED = "asked"
    """It was not begun: a person is asked, and what they decide comes later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What became of a call, in words for the model."""

    call_id: str
    name: str
    text: str
    state: ResultState = ResultState.OK
    ran: str | None = None
    """The JSON it was carried out with, where a hook changed what the model asked for."""
    changed_by: str = ""
    """The modules whose hooks changed the text."""
    kind: Literal["tool_result"] = "tool_result"


Message = UserMessage | AssistantMessage | ToolResult
