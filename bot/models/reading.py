"""Reading a model's stream: within its time limits, and no further than its end."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Final, Protocol, TypeVar

from bot.contracts.errors import ModelDisconnected, ModelError, ModelUnavailable
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import Delta, ModelParts
from bot.models.failure import Failure, diagnose, garbled
from bot.models.halves import Halves, whole_message
from bot.models.server import Server
from bot.models.sse import LONGEST, Framing, TooLong
from bot.models.transport import Reply

_AFTERWORD_SECONDS: Final = 3.0
"""How long to wait for what may follow the stop reason: usage, ``[DONE]``, the end."""
_DONE: Final = b"[DONE]"
"""The mark of the end in OpenAI's streams: an event that is no JSON."""
_LAST_BYTES_SECONDS: Final = 0.25
"""How long to wait after that mark for the end itself, which lets the connection be used again."""

_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a whole answer, decompressed. The longest honest ones are a few megabytes."""

_T = TypeVar("_T")


class Reader(Protocol):
    """What a provider's wire makes of its events, one by one. Pure."""

    @property
    def complete(self) -> bool:
        """Whether the model has said why it stopped, so that nothing essential can be missing."""
        ...

    def feed(self, event: object) -> Iterator[Delta]:
        """Take one event and give the deltas it holds.

        Raises:
            ModelError: the event is none of this API's.
        """
        ...

    def message(self) -> AssistantMessage:
        """Return the whole message.

        Raises:
            ModelError: the stream ended without a stop reason, or with a bad one.
        """
        ...


class Reading:
    """One answer that is being read. Its time runs from when it is made."""

    def __init__(self, framing: Framing, reader: Reader, parts: ModelParts, server: Server) -> None:
        self._framing: Final = framing
        self._reader: Final = reader
        self._limits: Final = parts.timeouts
        self._now: Final = parts.clock.now
        self._server: Final = server
        self._halves: Final = Halves()
        self._clock: Final = asyncio.get_running_loop().time
        self._patience = self._limits.first_seconds
        self._deadline = self._clock() + self._patience
        self._over = False
        self._bytes = 0

    async def within(self, awaited: Awaitable[_T]) -> _T:
        """Wait for *awaited* as long as the server may be silent.

        Raises:
            ModelDisconnected: it was silent longer.
        """
        try:
            async with asyncio.timeout_at(self._deadline):
                return await awaited
        except TimeoutError as error:
            raise ModelDisconnected(
                f"{self._server} sent nothing for {self._patience:g} seconds"
            ) from error

    async def words(self, piece: Callable[[], Awaitable[bytes]]) -> list[Delta] | None:
        """Wait for the next *piece* and return what it says, in few deltas; None at the end.

        What breaks after the stop reason is no longer a fault: the answer is whole.

        Raises:
            ModelError: as *piece* and the reader raise it, or for a stream that stalls.
        """
        try:
            came = self._counted(await self.within(piece()))
            events = self._framing.feed(came) if came else self._framing.end()
        except ModelError:
            if self._reader.complete:
                return None
            raise
        except TooLong as error:
            raise ModelDisconnected(
                f"{self._server} sent a piece of its answer of more than {LONGEST:,} bytes"
            ) from error
        return self._said(events) if came or events else None

    def message(self) -> AssistantMessage:
        """Return the whole message; see `Reader.message`."""
        return whole_message(self._reader.message())

    def _counted(self, came: bytes) -> bytes:
        self._bytes += len(came)
        if self._bytes > _LARGEST:
            raise ModelDisconnected(
                f"{self._server} sent more than {_LARGEST:,} bytes, and no end of its answer"
            )
        return came

    def _said(self, events: list[bytes]) -> list[Delta]:
        found: list[Delta] = []
        for event in events:
            if event == _DONE:
                self._over = True
            if self._over or not event:
                continue
            try:
                found += self._reader.feed(self._parsed(event))
            except ModelError:
                if not self._reader.complete:
                    raise
                self._over = True
        if events:
            self._patience = self._until_next()
            self._deadline = self._clock() + self._patience
        return [self._halves.joined(delta) for delta in _in_few(found)]

    def _parsed(self, event: bytes) -> object:
        try:
            value: object = json.loads(event.decode())
        except (ValueError, RecursionError) as error:
            raise garbled(self._server) from error
        if isinstance(value, dict) and value.get("error"):
            raise diagnose(Failure.of(200, {}, value), self._server, self._now())
        return value

    def _until_next(self) -> float:
        if self._over:
            return min(self._limits.idle_seconds, _LAST_BYTES_SECONDS)
        if self._reader.complete:
            return min(self._limits.idle_seconds, _AFTERWORD_SECONDS)
        return self._limits.idle_seconds


async def refuse_other_than_stream(reply: Reply, server: Server, now: datetime) -> None:
    """Let a stream pass, whatever it calls itself; an error, a page or a JSON text is none.

    Raises:
        ModelError: the server refused, or it is a page of something in between, an
            error under status 200, or the answer of a server that cannot stream.
    """
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    succeeded = 200 <= reply.status < 300
    is_text = "html" in kind or kind == "application/json" or kind.endswith("+json")
    if succeeded and not is_text:
        return
    body = _json_or_text(await reply.text())
    if not succeeded:
        raise diagnose(Failure.of(reply.status, reply.headers, body), server, now)
    error = body.get("error") if isinstance(body, dict) else body
    failure = Failure.of(reply.status, reply.headers, error)
    if failure.is_page or failure.message or failure.codes:
        raise diagnose(failure, server, now)
    raise ModelUnavailable(f"{server} answered with {kind} instead of a stream: it must stream")


def _in_few(deltas: list[Delta]) -> list[Delta]:
    """Join what came together: what follows costs a fixed price each (pure)."""
    if len(deltas) < 2:
        return deltas
    return [kind(text="".join(one.text for one in run)) for kind, run in groupby(deltas, type)]


def _json_or_text(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value
