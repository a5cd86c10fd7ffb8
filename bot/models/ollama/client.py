"""A model of an Ollama server: its card is read once, then each call is one request."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Final

from bot.contracts.errors import ModelDisconnected, ModelError
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.failure import Failure, diagnose, garbled
from bot.models.kept import KeptBytes
from bot.models.legal import dumps
from bot.models.ollama.errors import translate
from bot.models.ollama.window import refuse_what_cannot_fit, refuse_what_was_cut, window_of
from bot.models.ollama.wire import LineReader, encode, encode_message
from bot.models.server import Server
from bot.models.sse import JsonLines
from bot.models.streamed import StreamedModel, Wire
from bot.models.transport import Transport

_LARGEST_CARD: Final = 8 * 1024 * 1024
"""Bytes. A card holds the licence and the template, and with some models their vocabulary."""


def open_client(parts: ModelParts, server: Server) -> "OllamaModel":
    """Return a model that talks to *server*."""
    return OllamaModel(parts, server)


class OllamaModel:
    """One model. How large its window is, is asked before the first call and kept."""

    def __init__(self, parts: ModelParts, server: Server) -> None:
        self._parts: Final = parts
        self._server: Final = server
        self._headers: Final = (
            {"Authorization": f"Bearer {parts.key.reveal()}"} if parts.key else {}
        )
        self._window: int | None = None
        self._asking: Final = asyncio.Lock()
        self._each: Final = KeptBytes(encode_message)
        self._streamed: Final = StreamedModel(
            parts,
            server,
            Wire(
                path="/api/chat",
                headers=self._headers,
                encode=self._encode,
                reader=partial(LineReader, server),
                framing=JsonLines,
            ),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one call; see `ChatModel.stream`."""
        try:
            window = await self._window_asked()
            async with aclosing(self._streamed.stream(request)) as events:
                async for event in events:
                    if isinstance(event, AssistantMessage):
                        refuse_what_was_cut(event.usage.input_tokens, window, self._server)
                    yield event
        except ModelError as error:
            raise translate(error, self._server) from error

    async def close(self) -> None:
        """Let go of the connections."""
        await self._streamed.close()

    def _encode(self, request: ModelRequest) -> bytes:
        window = self._window or 1
        body = encode(
            request,
            self._server,
            window=window,
            max_output=self._parts.max_output,
            each=self._each,
        )
        refuse_what_cannot_fit(body, window, self._server)
        return body

    async def _window_asked(self) -> int:
        """Ask once, whoever comes first; nobody waits longer for that than for an answer of his.

        Raises:
            ModelError: there is no answer.
        """
        limits = self._parts.timeouts
        try:
            async with asyncio.timeout(limits.first_seconds), self._asking:
                if self._window is None:
                    self._window = window_of(await self._card(), self._parts.context)
                return self._window
        except TimeoutError as error:
            raise ModelDisconnected(
                f"{self._server} did not describe its model in {limits.first_seconds:g} seconds"
            ) from error

    async def _card(self) -> Mapping[str, object]:
        """Read what the server tells of the model.

        Raises:
            ModelError: it tells nothing, or is no Ollama.
        """
        server = self._server
        status, headers, text = await self._shown()
        card = _parsed(text)
        if status == 200 and isinstance(card, dict):
            return card
        failure = Failure.of(status, headers, text if card is None else card)
        if status == 200 and not failure.is_page:
            raise garbled(server)
        raise diagnose(failure, server, self._parts.clock.now())

    async def _shown(self) -> tuple[int, Mapping[str, str], str]:
        """Ask for the model's card, on a connection of its own."""
        server, limits = self._server, self._parts.timeouts
        transport = Transport(server, self._headers, connect_seconds=limits.connect_seconds)
        try:
            reply = await transport.post("/api/show", dumps({"model": server.model}))
            try:
                return reply.status, reply.headers, await reply.text(_LARGEST_CARD)
            finally:
                reply.close()
        finally:
            await transport.close()


def _parsed(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
