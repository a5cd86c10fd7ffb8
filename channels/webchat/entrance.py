"""What a request about conversations passes: a login, and for a change our page's own header."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from aiohttp import web

from bot.contracts.channel import Gateway
from bot.contracts.errors import StoreUnavailable
from bot.contracts.inbound import ConversationKey
from channels.webchat.auth import Login
from channels.webchat.door import CUSTOM_HEADER, Door

NO_CONVERSATION: Final = "There is no such conversation."

_NO_HEADER: Final = f"A change is asked for with the header {CUSTOM_HEADER}."


class Rooms(Protocol):
    """What is needed of the channel."""

    @property
    def gateway(self) -> Gateway | None:
        """The bot, while the channel listens."""
        ...

    async def forget(self, conversation: ConversationKey) -> None:
        """Delete a conversation, and tell whoever has it on the screen."""
        ...


Answer = Callable[[Gateway, Login, web.Request], Awaitable[web.StreamResponse]]


class Entrance:
    """Lets through who holds a login, and changes only from a page of our own."""

    def __init__(self, rooms: Rooms, door: Door) -> None:
        self._rooms = rooms
        self._door = door

    def guarded(self, answer: Answer) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return what answers a request that may pass, and says of every other why not."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            if request.method != "GET" and CUSTOM_HEADER not in request.headers:
                return web.Response(status=403, text=_NO_HEADER)
            login = await self._door.enter(request)
            if isinstance(login, web.Response):
                return login
            return await self.answered(answer, login, request)

        return guarded

    async def answered(
        self, answer: Answer, login: Login, request: web.Request
    ) -> web.StreamResponse:
        """Answer a request that may pass, if the bot is there and its store can be used."""
        if (gateway := self._rooms.gateway) is None:
            return web.Response(status=503, text="The bot is starting; try again in a moment.")
        try:
            return await answer(gateway, login, request)
        except StoreUnavailable as error:
            return web.Response(status=503, text=str(error))
