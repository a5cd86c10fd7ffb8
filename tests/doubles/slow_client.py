"""A provider's client module that takes as long to open as a test wants."""

import threading
from collections.abc import AsyncGenerator
from typing import Final

from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.server import Server

MAY_OPEN: Final = threading.Event()
OPENED: Final[list[str]] = []
FAILS_WITH: Final[list[Exception]] = []
"""What the next attempts to open it fail with."""


class Client:
    """Says one word."""

    async def stream(self, _request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        yield AssistantMessage(text="hello", stop=StopReason.END)

    async def close(self) -> None:
        OPENED.clear()


def open_client(parts: ModelParts, _server: Server) -> Client:
    """Wait until it may, then open."""
    MAY_OPEN.wait(timeout=30)
    if FAILS_WITH:
        raise FAILS_WITH.pop()
    OPENED.append(parts.model)
    return Client()
