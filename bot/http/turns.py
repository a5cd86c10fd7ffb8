"""The control socket's address at which a turn is waited for."""

import math
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Final

from aiohttp import web
from pydantic import TypeAdapter

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.errors import StoreUnavailable
from bot.contracts.turn import TurnId
from bot.contracts.waiting import Waited, WaitFor, WaitState

_MOST_SECONDS: Final = 3_600.0
"""Whoever waits longer asks again; nothing is lost between two waits."""

_USUAL_SECONDS: Final = 30.0

Wait = Callable[[TurnId, float, WaitFor], Awaitable[Waited]]


@cache
def waited_json() -> TypeAdapter[Waited]:
    """Read and write what somebody learns who waits."""
    return TypeAdapter(Waited)


class TurnRoutes:
    """Answers the user the bot runs under."""

    def __init__(self, wait: Wait) -> None:
        self._wait = wait

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        path = "/turns/{turn}/wait"
        return [RouteSpec(mount=Mount.CONTROL, method="GET", path=path, handler=self.wait)]

    async def wait(self, request: web.Request) -> web.Response:
        """Wait for a turn: ``?seconds=30&for=ended`` or ``for=delivered``."""
        try:
            seconds = float(request.query.get("seconds", _USUAL_SECONDS))
            until = WaitFor(request.query.get("for", WaitFor.ENDED))
        except ValueError:
            seconds, until = math.nan, WaitFor.ENDED
        if not 0 <= seconds <= _MOST_SECONDS:
            sentence = (
                f"A wait is for ended or delivered, and takes 0 to {_MOST_SECONDS:,.0f} seconds."
            )
            return web.Response(status=400, text=sentence)
        try:
            waited = await self._wait(TurnId(request.match_info["turn"]), seconds, until)
        except StoreUnavailable as error:
            return web.Response(status=503, text=str(error))
        return web.Response(
            status=404 if waited.wait is WaitState.NOT_FOUND else 200,
            body=waited_json().dump_json(waited),
            content_type="application/json",
        )
