"""A request's body, bounded in bytes and in time."""

import asyncio
from typing import Final

from aiohttp import web

_SECONDS: Final = 5.0


async def body_of(request: web.Request, *, largest: int) -> bytes:
    """Read a body of at most *largest* bytes; nothing of a longer or slower one.

    How long it is must be said beforehand: without a length, it is taken for empty.
    """
    length = request.content_length or 0
    if length > largest:
        return b""
    try:
        async with asyncio.timeout(_SECONDS):
            return await request.content.readexactly(length)
    except (TimeoutError, asyncio.IncompleteReadError):
        return b""
