"""A model behind OpenAI's chat completions: one request, one stream."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from openai import AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Timeout

from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.kept import KeptBytes
from bot.models.openai.errors import FAILURES, translate
from bot.models.openai.wire import ChunkReader, encode, encode_message
from bot.models.reading import read, refuse_other_than_stream
from bot.models.server import Server

_NO_KEY: Final = "none"
"""Servers that want no key take any; the SDK wants one."""


def open_client(parts: ModelParts, server: Server) -> "OpenAIModel":
    """Return a model that talks to *server*."""
    return OpenAIModel(parts, server)


class OpenAIModel:
    """One model with one key. The SDK carries the bytes; it neither writes nor repeats them."""

    def __init__(self, parts: ModelParts, server: Server) -> None:
        self._parts: Final = parts
        self._server: Final = server
        self._encode_message: Final = KeptBytes(encode_message)
        self._sdk: Final = AsyncOpenAI(
            api_key=parts.key.reveal() if parts.key else _NO_KEY,
            base_url=server.base_url,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(
                # Proxies of the environment would carry even 127.0.0.1.
                trust_env=not server.is_loopback,
                follow_redirects=False,
                timeout=Timeout(None, connect=parts.timeouts.connect_seconds),
            ),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one call; see `ChatModel.stream`."""
        body = encode(
            request, self._server, max_output=self._parts.max_output, each=self._encode_message
        )
        reader = ChunkReader(self._server)
        async with aclosing(self._chunks(body)) as chunks:
            async for event in read(chunks, reader, self._parts.timeouts, self._server):
                yield event

    async def close(self) -> None:
        """Let go of the connections."""
        await self._sdk.close()

    async def _chunks(self, body: bytes) -> AsyncGenerator[object, None]:
        now = self._parts.clock.now
        try:
            async with await self._sdk.post(
                "/chat/completions",
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=AsyncStream[object],
            ) as chunks:
                await refuse_other_than_stream(chunks.response, self._server, now())
                async for chunk in chunks:
                    yield chunk
        except FAILURES as error:
            raise translate(error, self._server, now()) from error
