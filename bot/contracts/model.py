"""What a model must be: one call, streamed, that ends in one message."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.contracts.messages import AssistantMessage, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPrompt:
    """What the model is told before the conversation.

    `stable` is the same, byte for byte, from turn to turn, so that a provider
    may cache it; `volatile` follows it.
    """

    stable: str
    volatile: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOffer:
    """A tool as the model sees it; `schema` is a JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """All a model sees for one call."""

    system: SystemPrompt
    messages: tuple[Message, ...]
    tools: tuple[ToolOffer, ...] = ()
    max_output: int = 8192
    """Tokens the answer may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """Some more words of the answer, as the provider sent them."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta:
    """Some more words of reasoning."""

    text: str


ModelEvent = TextDelta | ThinkingDelta | AssistantMessage


class ChatModel(Protocol):
    """One model of one provider, with one key."""

    @property
    def name(self) -> str:
        """The name a person knows it by, such as ``gpt-4.1``."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Make one call: deltas as they come, then exactly one `AssistantMessage`, last.

        It makes one HTTP request and never repeats it. A stream that ends
        without saying why is an error, not an answer.

        Raises:
            ModelError: the call failed; its class says what to do next.
        """
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...
