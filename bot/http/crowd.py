"""How many may stand at the door: connections that ask for nothing make room for those that do."""

from collections.abc import Sequence
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler

_MOST_IDLE: Final = 32


class Crowd:
    """Knows which connections are being answered; of the others, only so many may stay.

    The oldest goes first: whoever means it asks within milliseconds of connecting.
    """

    def __init__(self) -> None:
        self._answered: set[RequestHandler] = set()

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Note that the connection is being answered, a WebSocket for as long as it lasts."""
        connection = request.protocol
        self._answered.add(connection)
        try:
            return await handler(request)
        finally:
            self._answered.discard(connection)

    def make_room(self, connections: Sequence[RequestHandler]) -> None:
        """Close the oldest idle ones until one more may come. *connections* is oldest first."""
        idle = [each for each in connections if each not in self._answered]
        for connection in idle[: max(0, len(idle) - _MOST_IDLE + 1)]:
            connection.force_close()
