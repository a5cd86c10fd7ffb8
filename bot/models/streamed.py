"""A model behind an HTTP API that streams: one request, one stream."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.reading import Reader, Reading, refuse_other_than_stream
from bot.models.server import Server
from bot.models.sse import EventStream, Framing
from bot.models.transport import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How a provider is spoken to: what is sent, and what is made of the answer."""

    path: str
    """Below the server's base URL."""
    headers: Mapping[str, str]
    encode: Callable[[ModelRequest], bytes]
    """Writes a request's body, which is JSON."""
    reader: Callable[[], Reader]
    framing: Callable[[], Framing] = EventStream


class StreamedModel:
    """One model with one key. A call is one request, and is never repeated here."""

    def __init__(self, parts: ModelParts, server: Server, wire: Wire) -> None:
        self._parts: Final = parts
        self._server: Final = server
        self._wire: Final = wire
        self._transport: Final = Transport(
            server, wire.headers, connect_seconds=parts.timeouts.connect_seconds
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one call; see `ChatModel.stream`."""
        wire, server = self._wire, self._server
        reading = Reading(wire.framing(), wire.reader(), self._parts, server)
        reply = await reading.within(self._transport.post(wire.path, wire.encode(request)))
        try:
            await reading.within(refuse_other_than_stream(reply, server, self._parts.clock.now()))
            while (words := await reading.words(reply.piece)) is not None:
                for delta in words:
                    yield delta
        finally:
            reply.close()
        yield reading.message()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._transport.close()
