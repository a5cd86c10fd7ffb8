"""Reading a model's stream: within its time limits, and no further than its end."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Final, Protocol

import httpx2

from bot.contracts.errors import ModelDisconnected, ModelError, ModelUnavailable
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelEvent, ModelTimeouts
from bot.models.failure import Failure, diagnose
from bot.models.halves import Halves, whole_message
from bot.models.server import Server

_AFTERWORD_SECONDS: Final = 3.0
"""How long to wait for what may follow the stop reason: usage, ``[DONE]``, the end."""
_END: Final = object()


class Reader(Protocol):
    """What a provider's wire makes of its events, one by one. Pure."""

    @property
    def complete(self) -> bool:
        """Whether the model has said why it stopped, so that nothing essential can be missing."""
        ...

    def feed(self, event: object) -> Iterator[ModelEvent]:
        """Take one event and give the deltas it holds.

        Raises:
            ModelError: the event is none of this API's, or says that the call failed.
        """
        ...

    def message(self) -> AssistantMessage:
        """Return the whole message.

        Raises:
            ModelError: the stream ended without a stop reason, or with a bad one.
        """
        ...


async def read(
    events: AsyncIterator[object], reader: Reader, limits: ModelTimeouts, server: Server
) -> AsyncIterator[ModelEvent]:
    """Give the deltas of *events* as they come, then the message.

    What breaks after the stop reason is no longer a fault: the answer is whole.

    Raises:
        ModelError: as *events* and *reader* raise it, or for a stream that stalls.
    """
    patience = limits.first_seconds
    halves = Halves()
    while True:
        try:
            event = await _next(events, patience, server)
        except ModelError:
            if reader.complete:
                break
            raise
        if event is _END:
            break
        for delta in reader.feed(event):
            yield delta if isinstance(delta, AssistantMessage) else halves.joined(delta)
        patience = limits.idle_seconds
        if reader.complete:
            patience = min(patience, _AFTERWORD_SECONDS)
    yield whole_message(reader.message())


async def _next(events: AsyncIterator[object], patience: float, server: Server) -> object:
    try:
        async with asyncio.timeout(patience):
            return await anext(events, _END)
    except TimeoutError as error:
        raise ModelDisconnected(f"{server} sent nothing for {patience:g} seconds") from error


async def refuse_other_than_stream(
    response: httpx2.Response, server: Server, now: datetime
) -> None:
    """Let a stream pass, whatever it calls itself; a web page or a JSON text is none.

    Raises:
        ModelError: it is a page of something in between, an error under status
            200, or the answer of a server that cannot stream.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if "html" not in kind and not kind.endswith("json"):
        return
    text = (await response.aread()).decode("utf-8", "replace")
    failure = Failure.of(response.status_code, response.headers, _json(text))
    if failure.is_page or failure.message or failure.codes:
        raise diagnose(failure, server, now)
    raise ModelUnavailable(f"{server} answered with {kind} instead of a stream: it must stream")


def _json(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value.get("error") if isinstance(value, dict) else None
