"""A model behind Anthropic's messages API: one request, one stream."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from anthropic import AsyncAnthropic, AsyncStream, DefaultAsyncHttpxClient, Timeout

from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.anthropic.errors import FAILURES, translate
from bot.models.anthropic.wire import EventReader, encode
from bot.models.reading import read, refuse_other_than_stream
from bot.models.server import Server

_NO_KEY: Final = "none"
"""Without a key the SDK would look for one in the environment and on the disk."""


def open_client(parts: ModelParts, server: Server) -> "AnthropicModel":
    """Return a model that talks to *server*."""
    return AnthropicModel(parts, server)


class AnthropicModel:
    """One model with one key. The SDK carries the bytes; it neither writes nor repeats them."""

    def __init__(self, parts: ModelParts, server: Server) -> None:
        self._parts: Final = parts
        self._server: Final = server
        self._sdk: Final = AsyncAnthropic(
            api_key=parts.key.reveal() if parts.key else _NO_KEY,
            base_url=server.base_url,
            max_retries=0,
            # Traces would carry people's words to wherever the environment says.
            open_telemetry=False,
            http_client=DefaultAsyncHttpxClient(
                # Proxies of the environment would carry even 127.0.0.1.
                trust_env=not server.is_loopback,
                follow_redirects=False,
                timeout=Timeout(None, connect=parts.timeouts.connect_seconds),
            ),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one call; see `ChatModel.stream`."""
        body = encode(request, self._server, max_output=self._parts.max_output)
        reader = EventReader(self._server)
        async with aclosing(self._events(body)) as events:
            async for event in read(events, reader, self._parts.timeouts, self._server):
                yield event

    async def close(self) -> None:
        """Let go of the connections."""
        await self._sdk.close()

    async def _events(self, body: bytes) -> AsyncGenerator[object, None]:
        now = self._parts.clock.now
        try:
            async with await self._sdk.post(
                "/v1/messages",
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=AsyncStream[object],
            ) as events:
                await refuse_other_than_stream(events.response, self._server, now())
                async for event in events:
                    yield event
        except FAILURES as error:
            raise translate(error, self._server, now()) from error
