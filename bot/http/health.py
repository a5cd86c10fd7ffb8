"""Liveness: whether the process still answers."""

from aiohttp import web


async def healthz(_request: web.Request) -> web.Response:
    """Answer ``ok``: to answer at all is the point."""
    return web.Response(text="ok\n")
