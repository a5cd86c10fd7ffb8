"""The WebSocket as the channel wants it: small frames, nothing inflated, an end with a reason."""

import asyncio
from typing import Final

from aiohttp import WSCloseCode, web
from aiohttp.abc import AbstractStreamWriter

from channels.webchat.protocol import LARGEST_FRAME

CLOSE_SECONDS: Final = 1.0
"""How long a peer may take to answer that the connection ends."""

_HEARTBEAT_SECONDS: Final = 20.0
_TOO_BIG: Final = f"A frame may have at most {LARGEST_FRAME:,} bytes.".encode()


class Socket(web.WebSocketResponse):
    """A WebSocket that says why it ends when a frame is too big, and inflates nothing."""

    def __init__(self) -> None:
        super().__init__(
            heartbeat=_HEARTBEAT_SECONDS,
            max_msg_size=LARGEST_FRAME + 1,
            compress=False,
            timeout=CLOSE_SECONDS,
        )
        self._transport: asyncio.Transport | None = None

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Answer the upgrade, and remember what it runs over."""
        self._transport = request.transport
        return await super().prepare(request)

    def abort(self) -> None:
        """Let go of a peer that does not even read the end."""
        if self._transport is not None:
            self._transport.abort()

    async def close(
        self, *, code: int = WSCloseCode.OK, message: bytes = b"", drain: bool = True
    ) -> bool:
        """End it with a code and a sentence."""
        if code == WSCloseCode.MESSAGE_TOO_BIG:
            message = message or _TOO_BIG
        return await super().close(code=code, message=message, drain=drain)
