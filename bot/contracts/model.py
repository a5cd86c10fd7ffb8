"""What a model must be: one call, streamed, that ends in one message."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from bot.contracts.clock import Clock
from bot.contracts.messages import AssistantMessage, Message
from bot.contracts.secret import Secret
from bot.contracts.turn import ThinkingLevel


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
    thinking: ThinkingLevel | None = None
    """How long to think, as far as the model can be told; None leaves it to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """Some more words of the answer, as the provider sent them."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta:
    """Some more words of reasoning."""

    text: str


Delta = TextDelta | ThinkingDelta
ModelEvent = Delta | AssistantMessage


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


@runtime_checkable
class Warms(Protocol):
    """An ability: the model has something heavy to fetch, such as the store of certificates."""

    async def warm(self) -> None:
        """Fetch it in a background thread, so that the first call need not wait for it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTimeouts:
    """How long a model's server may be silent, in seconds."""

    connect_seconds: float = 5.0
    first_seconds: float = 300.0
    """Until the first event; a local model reads a long prompt for minutes."""
    idle_seconds: float = 120.0
    """Between two events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParts:
    """What a model is built from."""

    model: str
    """The provider's name for it."""
    clock: Clock
    base_url: str | None = None
    """Where the provider's API is; None for its own address."""
    key: Secret | None = None
    max_output: int | None = None
    """Tokens an answer may have at most, whatever a request asks for."""
    context: int | None = None
    """Tokens of the window that a local server shall make room for; None leaves it to the model."""
    timeouts: ModelTimeouts = field(default_factory=ModelTimeouts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """What a provider's folder exports as ``PROVIDER``. `open` does nothing that takes long."""

    name: str
    open: Callable[[ModelParts], ChatModel]
    """Raises ConfigError for a part that is missing or wrong."""
