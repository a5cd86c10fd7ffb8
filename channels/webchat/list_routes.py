"""The addresses of the page's conversations: list, search, rename, delete."""

from collections.abc import Sequence
from typing import Final

from aiohttp import web

from bot.contracts.channel import Gateway, Mount, RouteSpec
from channels.webchat import listing
from channels.webchat.auth import Login
from channels.webchat.bodies import body_of
from channels.webchat.entrance import NO_CONVERSATION, Answer, Entrance, Rooms
from channels.webchat.places import conversation_in

_LARGEST_WISH: Final = 4_096
_MOST_CONVERSATIONS: Final = 200

_NO_SEARCH: Final = "A search is a JSON object with words, a text of at most 200 characters."
_NO_TITLE: Final = (
    f"A title is a JSON object with a title, a text of at most {listing.LONGEST_TITLE} characters."
)


class ListRoutes:
    """Answers whoever holds a login about their own conversations, and about no other."""

    def __init__(self, rooms: Rooms, entrance: Entrance) -> None:
        self._rooms = rooms
        self._entrance = entrance

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        routes: list[tuple[str, str, Answer]] = [
            ("GET", "/conversations", self.show_list),
            ("POST", "/search", self.search),
            ("POST", "/conversations/{name}", self.rename),
            ("DELETE", "/conversations/{name}", self.delete),
        ]
        return [
            RouteSpec(
                mount=Mount.WEB,
                method=method,
                path=path,
                handler=self._entrance.guarded(answer),
            )
            for method, path, answer in routes
        ]

    async def show_list(
        self, gateway: Gateway, login: Login, _request: web.Request
    ) -> web.Response:
        """List the conversations, what was last used first."""
        listed = await gateway.conversations(login.place, limit=_MOST_CONVERSATIONS)
        return _json(listing.list_of(listed))

    async def search(self, gateway: Gateway, login: Login, request: web.Request) -> web.Response:
        """Find lines and titles that hold every word."""
        wish = listing.read_search(await body_of(request, largest=_LARGEST_WISH))
        if wish is None:
            return web.Response(status=400, text=_NO_SEARCH)
        words = wish.words.split()
        if not words:
            return _json(listing.SearchResult(conversations=(), lines=()))
        listed = await gateway.conversations(login.place, limit=_MOST_CONVERSATIONS)
        return _json(listing.result_of(words, listed, await gateway.search(login.place, words)))

    async def rename(self, gateway: Gateway, login: Login, request: web.Request) -> web.Response:
        """Name a conversation, or take its name away."""
        conversation = conversation_in(login.place, request.match_info["name"])
        wish = listing.read_rename(await body_of(request, largest=_LARGEST_WISH))
        if wish is None:
            return web.Response(status=400, text=_NO_TITLE)
        if conversation is None or not await gateway.rename(conversation, wish.title or None):
            return web.Response(status=404, text=NO_CONVERSATION)
        return web.Response(status=204)

    async def delete(self, _gateway: Gateway, login: Login, request: web.Request) -> web.Response:
        """Delete a conversation. One that is not there is deleted already."""
        if conversation := conversation_in(login.place, request.match_info["name"]):
            await self._rooms.forget(conversation)
        return web.Response(status=204)


def _json(answer: listing.Answer) -> web.Response:
    return web.Response(text=listing.encode(answer), content_type="application/json")
