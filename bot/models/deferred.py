"""A model that is opened at its first call, or before it, but not on the event loop."""

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final, Protocol

from bot.contracts.errors import ModelUnavailable
from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.server import Server


class Client(Protocol):
    """A provider's model, once it is open; a `ChatModel` whose streams can be closed."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one call; see `ChatModel.stream`."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


class DeferredModel:
    """Stands for the model that ``open_client(parts, server)`` of *module* makes.

    Its module is imported and the store of certificates read where nobody waits for it.
    """

    def __init__(self, module: str, parts: ModelParts, server: Server) -> None:
        self._module: Final = module
        self._parts: Final = parts
        self._server: Final = server
        self._opening: asyncio.Task[Client] | None = None

    @property
    def name(self) -> str:
        """The provider's name for the model."""
        return self._parts.model

    async def warm(self) -> None:
        """Open it in a thread; calls that come meanwhile wait for the same.

        What goes wrong is for the first call to say.
        """
        with suppress(ModelUnavailable):
            await self._opened()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one call; see `ChatModel.stream`."""
        model = await self._opened()
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                yield event

    async def close(self) -> None:
        """Let go of the connections, if there ever were any."""
        opening, self._opening = self._opening, None
        if opening is not None:
            await asyncio.wait({opening})
            if not _failed(opening):
                await opening.result().close()

    async def _opened(self) -> Client:
        if self._opening is None or _failed(self._opening):
            self._opening = asyncio.create_task(asyncio.to_thread(self._open))
        # Shielded: one caller that gives up must not cancel it for the others.
        return await asyncio.shield(self._opening)

    def _open(self) -> Client:
        module = importlib.import_module(self._module)
        try:
            client: Client = module.open_client(self._parts, self._server)
        except OSError as error:
            raise ModelUnavailable(
                f"{self._server} cannot be asked: its client does not open "
                f"({error.strerror or type(error).__name__})"
            ) from error
        return client


def _failed(opening: "asyncio.Task[Client]") -> bool:
    return opening.done() and (opening.cancelled() or opening.exception() is not None)
