"""A request's body, bounded in bytes and in time."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from aiohttp import web

from bot.contracts.clock import Clock
from bot.contracts.errors import AttachmentRefused

_SECONDS: Final = 5.0
_PIECE: Final = 64 * 1024
_PIECE_SECONDS: Final = 20.0
"""How long the next piece may take to come."""

_GRACE_SECONDS: Final = 60.0
_SLOWEST: Final = 8 * 1024
"""Bytes a second, on the whole: half of what a second-generation mobile network carries up. The
largest file has three quarters of an hour."""

_TOO_SLOW: Final = (
    "The file came slower than 8 KB a second; send it over a better connection, or a smaller one."
)


async def body_of(request: web.Request, *, largest: int) -> bytes:
    """Read a body of at most *largest* bytes; nothing of a longer, slower or broken off one.

    How long it is must be said beforehand: without a length, it is taken for empty.
    """
    length = request.content_length or 0
    if length > largest:
        return b""
    try:
        async with asyncio.timeout(_SECONDS):
            return await request.content.readexactly(length)
    except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
        return b""


async def pieces_of(request: web.Request, size: int, clock: Clock) -> AsyncIterator[bytes]:
    """Give out a body of *size* bytes as it comes.

    Raises:
        TimeoutError: it stopped coming.
        AttachmentRefused: it comes, but so slowly that it would hold its connection for hours.
    """
    end = clock.monotonic() + _GRACE_SECONDS + size / _SLOWEST
    while True:
        async with asyncio.timeout(_PIECE_SECONDS):
            piece = await request.content.read(_PIECE)
        if not piece:
            return
        if clock.monotonic() > end:
            raise AttachmentRefused(_TOO_SLOW)
        yield piece
