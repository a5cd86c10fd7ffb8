"""A provider's model in front of its double: what the contract and its fellows play with."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from bot.contracts.errors import ModelError
from bot.contracts.messages import AssistantMessage, Message, UserMessage
from bot.contracts.model import (
    ChatModel,
    ModelEvent,
    ModelParts,
    ModelRequest,
    ModelTimeouts,
    SystemPrompt,
    ToolOffer,
)
from bot.contracts.secret import Secret
from bot.models import open_model
from tests.doubles.model_server import Answer, Asked, ModelServer, Raw, Script

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
READ_FILE = ToolOffer(
    name="read_file",
    description="Read a file.",
    schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
HELLO = ModelRequest(
    system=SystemPrompt(stable="You are Stonechat.", volatile="It is Monday."),
    messages=(UserMessage(text="hello"),),
    tools=(READ_FILE,),
)


class StillClock:
    """It is always the same moment."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError(f"a model waits for nobody, and not for {seconds} seconds")


@dataclass(slots=True)
class Rig:
    """A provider's model in front of its double."""

    provider: str
    double: type[ModelServer]
    stack: AsyncExitStack
    server: ModelServer = field(init=False)
    model: ChatModel = field(init=False)

    async def plays(
        self, *answers: Answer | Raw, script: Script | None = None, patience: float = 30.0
    ) -> None:
        """Begin with a new server that answers like that."""
        self.server = await self.stack.enter_async_context(self.double(script or answers))
        self.opens(ModelTimeouts(first_seconds=patience, idle_seconds=patience))

    def opens(
        self,
        timeouts: ModelTimeouts | None = None,
        *,
        key: str | None = ModelServer.key,
        base_url: str | None = None,
    ) -> None:
        """Open a model of the server, or of another address."""
        parts = ModelParts(
            model="model-1",
            clock=StillClock(),
            base_url=base_url or self.server.base_url,
            key=None if key is None else Secret(key),
            timeouts=timeouts or ModelTimeouts(),
        )
        self.model = open_model(self.provider, parts)
        self.stack.push_async_callback(self.model.close)

    async def hears(self, request: ModelRequest = HELLO) -> list[ModelEvent]:
        """Make one call and return all that came."""
        return [event async for event in self.model.stream(request)]

    async def message(self, *messages: Message) -> AssistantMessage:
        """Make one call and return the message."""
        request = (
            HELLO
            if not messages
            else ModelRequest(system=HELLO.system, messages=messages, tools=HELLO.tools)
        )
        last = (await self.hears(request))[-1]
        assert isinstance(last, AssistantMessage)
        return last

    async def fails(self) -> ModelError:
        """Make one call that fails, and return why."""
        with pytest.raises(ModelError) as caught:
            await self.hears()
        return caught.value

    async def events(self) -> AsyncGenerator[ModelEvent, None]:
        """Make one call, to be heard piece by piece."""
        async for event in self.model.stream(HELLO):
            yield event

    @property
    def last(self) -> Asked:
        """The request that came last."""
        return self.server.requests[-1]
