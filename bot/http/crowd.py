"""How many may stand at the door: connections that ask for nothing make room for those that do."""

from collections.abc import Sequence
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler

_MOST_IDLE: Final = 32


class Crowd:
    """Knows which connections are being answered; of the others, only so many may stay.

    The oldest goes first: whoever means it asks within milliseconds of connecting. Who asks where
    anybody may, and then is slow to say what, is not being answered yet.
    """

    def __init__(self) -> None:
        self._answered: dict[RequestHandler, web.Request] = {}
        self._of_anybody: set[web.AbstractRoute] = set()

    def reads_from_anybody(self, route: web.AbstractRoute) -> None:
        """Remember that *route* reads a body before it knows who sends it."""
        self._of_anybody.add(route)

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Note that the connection is being answered, a WebSocket for as long as it lasts."""
        connection = request.protocol
        self._answered[connection] = request
        try:
            return await handler(request)
        finally:
            self._answered.pop(connection, None)

    def make_room(self, connections: Sequence[RequestHandler]) -> None:
        """Close the oldest idle ones until one more may come. *connections* is oldest first."""
        idle = [each for each in connections if not self._is_answered(each)]
        for connection in idle[: max(0, len(idle) - _MOST_IDLE + 1)]:
            connection.force_close()

    def _is_answered(self, connection: RequestHandler) -> bool:
        request = self._answered.get(connection)
        if request is None:
            return False
        return request.content.is_eof() or request.match_info.route not in self._of_anybody
