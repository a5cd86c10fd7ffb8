"""The page's addresses: its files, the login, the socket; and the control socket's."""

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Final, Protocol

from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.clock import Clock
from bot.contracts.inbound import ConversationKey
from bot.contracts.media import Media
from channels.webchat.about import About
from channels.webchat.auth import OWNER, Login
from channels.webchat.door import Door
from channels.webchat.entrance import Entrance, Rooms
from channels.webchat.file_routes import FileRoutes
from channels.webchat.history_routes import HistoryRoutes
from channels.webchat.list_routes import ListRoutes
from channels.webchat.people_routes import Hosts, PeopleRoutes
from channels.webchat.places import FIRST, TERMINAL, UUID, conversation_in
from channels.webchat.setup_routes import SetupRoutes, Workshop

_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}

_NOT_SERVED: Final = "The page is not served by this process; start it with `script/run`."


class Host(Rooms, Hosts, Workshop, Protocol):
    """What the routes need of the channel."""

    @property
    def about(self) -> About:
        """What may be told of the bot."""
        ...

    async def converse(
        self, request: web.Request, conversation: ConversationKey, login: Login
    ) -> web.StreamResponse:
        """Upgrade to a WebSocket and serve it to its end."""
        ...

    async def new_link(self) -> str:
        """Make a link that works once."""
        ...


class Routes:
    """Answers HTTP requests in the channel's name."""

    def __init__(self, host: Host, door: Door, media: Media, clock: Clock) -> None:
        self._host = host
        self._door = door
        entrance = Entrance(host, door)
        self._parts = (
            ListRoutes(host, entrance),
            HistoryRoutes(entrance),
            FileRoutes(entrance, media, clock),
            PeopleRoutes(host),
            SetupRoutes(host, door),
        )

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        web_routes: list[tuple[str, str, Callable[..., object]]] = [
            ("GET", "/", _file("index.html")),
            ("GET", f"/c/{{name:{UUID}}}", _file("index.html")),
            ("GET", "/login", self._door.look_up_login),
            ("GET", "/ws", self.page_socket),
            ("GET", f"/ws/{{name:{UUID}}}", self.page_socket),
        ]
        web_routes += [
            ("GET", f"/static/{entry.name}", _file(entry.name))
            for entry in files("channels.webchat").joinpath("static").iterdir()
            if not entry.name.endswith(".html")
        ]
        control_routes: list[tuple[str, str, Callable[..., object]]] = [
            ("GET", "/ws", self.terminal_socket),
            ("POST", "/open", self.make_link),
            ("GET", "/status", self.tell_status),
        ]
        return [
            *(spec for part in self._parts for spec in part.specs()),
            RouteSpec(
                mount=Mount.WEB,
                method="POST",
                path="/auth",
                handler=self._door.log_in,
                reads_from_anybody=True,
            ),
            *(
                RouteSpec(mount=mount, method=method, path=path, handler=handler)
                for mount, routes in ((Mount.WEB, web_routes), (Mount.CONTROL, control_routes))
                for method, path, handler in routes
            ),
        ]

    async def page_socket(self, request: web.Request) -> web.StreamResponse:
        """Serve the page's WebSocket to a page with a login; a foreign page came no further."""
        login = await self._door.enter(request)
        if isinstance(login, web.Response):
            return login
        if "Origin" not in request.headers:
            return _sentence(403, "This socket is for the page; use `stonechat chat` instead.")
        conversation = conversation_in(login.place, request.match_info.get("name", FIRST))
        if conversation is None:
            return _sentence(404, "There is no such conversation.")
        return await self._host.converse(request, conversation, login)

    async def terminal_socket(self, request: web.Request) -> web.StreamResponse:
        """Serve the terminal's WebSocket."""
        return await self._host.converse(request, TERMINAL, OWNER)

    async def make_link(self, _request: web.Request) -> web.Response:
        """Make a fresh link to the page."""
        if not self._host.is_served:
            return _sentence(409, _NOT_SERVED)
        return web.json_response({"link": await self._host.new_link()})

    async def tell_status(self, _request: web.Request) -> web.Response:
        """Tell what is known of the bot without looking further."""
        about = self._host.about
        told = {"address": about.address, "model": about.model, "problem": about.problem}
        return web.json_response(told)


def _file(name: str) -> Callable[[web.Request], object]:
    """Return what serves one of the page's files, read once."""
    source = files("channels.webchat").joinpath("static").joinpath(name)
    body = source.read_bytes()
    kind = _KINDS[name[name.rindex(".") :]]

    async def serve(_request: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": kind})

    return serve


def _sentence(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=text)
