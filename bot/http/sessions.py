"""The control socket's way to delete sessions while the bot runs."""

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.session import SessionKey

Forget = Callable[[SessionKey, datetime | None], Awaitable[bool]]
"""Deletes a session, unless somebody spoke in it since; says whether it did."""


def session_routes(forget: Forget) -> Sequence[RouteSpec]:
    """Return what is to be mounted."""

    async def delete(request: web.Request) -> web.Response:
        try:
            asked = json.loads(await request.text())
            key = SessionKey(str(asked["session"]))
            since = asked["unused_since"]
            unused_since = None if since is None else datetime.fromisoformat(since)
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text="a session and a moment or null are asked for") from None
        return web.json_response({"deleted": await forget(key, unused_since)})

    return [RouteSpec(mount=Mount.CONTROL, method="POST", path="/sessions/delete", handler=delete)]
