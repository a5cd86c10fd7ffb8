"""The page's addresses: its files, the login, the socket; and the control socket's."""

import asyncio
import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Final, Protocol

from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.clock import Clock
from bot.contracts.errors import StoreUnavailable
from bot.contracts.inbound import ConversationKey
from bot.contracts.media import Media
from channels.webchat.auth import LOGIN_LASTS, Lockout, Logins
from channels.webchat.connection import About
from channels.webchat.entrance import CUSTOM_HEADER, Entrance, Rooms
from channels.webchat.file_routes import FileRoutes
from channels.webchat.history_routes import HistoryRoutes
from channels.webchat.list_routes import ListRoutes
from channels.webchat.places import PAGE, TERMINAL, UUID, thread_of

_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
_LARGEST_LOGIN: Final = 4_096
_LOGIN_SECONDS: Final = 5.0

_NO_LOGIN: Final = (
    "This browser is not signed in. Run `script/run open` in Stonechat's folder, "
    "and open the link it prints."
)
_BAD_CODE: Final = (
    "This link was used or is older than ten minutes. Run `script/run open` for a new one."
)
_LOCKED: Final = "Too many wrong links were tried. Wait a minute, then open a new one."
_NOT_SERVED: Final = "The page is not served by this process; start it with `script/run`."


class Host(Rooms, Protocol):
    """What the routes need of the channel."""

    @property
    def about(self) -> About:
        """What may be told of the bot."""
        ...

    async def converse(
        self, request: web.Request, conversation: ConversationKey
    ) -> web.StreamResponse:
        """Upgrade to a WebSocket and serve it to its end."""
        ...

    async def new_link(self) -> str:
        """Make a link that works once."""
        ...


class Routes:
    """Answers HTTP requests in the channel's name."""

    def __init__(self, host: Host, logins: Logins, media: Media, clock: Clock) -> None:
        self._host = host
        self._logins = logins
        self._lockout = Lockout(clock)
        entrance = Entrance(host, self._refusal)
        self._parts = (
            ListRoutes(host, entrance),
            HistoryRoutes(entrance),
            FileRoutes(entrance, media),
        )

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        web_routes: list[tuple[str, str, Callable[..., object]]] = [
            ("GET", "/", _file("index.html")),
            ("GET", f"/c/{{name:{UUID}}}", _file("index.html")),
            ("POST", "/auth", self.log_in),
            ("GET", "/login", self.look_up_login),
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
            *(
                RouteSpec(mount=mount, method=method, path=path, handler=handler)
                for mount, routes in ((Mount.WEB, web_routes), (Mount.CONTROL, control_routes))
                for method, path, handler in routes
            ),
        ]

    async def log_in(self, request: web.Request) -> web.Response:
        """Exchange a code for a login cookie.

        What says that a page of our own sends it (the content type and the
        header) is looked at before the body is read.
        """
        if request.content_type != "application/json" or CUSTOM_HEADER not in request.headers:
            return _sentence(403, f"A login is JSON with the header {CUSTOM_HEADER}.")
        if locked := self._locked():
            return locked
        code = await _code(request)
        if code is None:
            self._lockout.note_failure()
            return _sentence(400, "A login is a JSON object with a code.")
        try:
            login = await self._logins.redeem(code)
        except StoreUnavailable as error:
            return _sentence(503, str(error))
        if login is None:
            self._lockout.note_failure()
            return _sentence(401, _BAD_CODE)
        response = web.Response(status=204)
        response.set_cookie(
            _cookie_name(request),
            login,
            max_age=int(LOGIN_LASTS.total_seconds()),
            httponly=True,
            samesite="Strict",
            secure=request.secure,
        )
        return response

    async def look_up_login(self, request: web.Request) -> web.Response:
        """Say whether the cookie is good: a WebSocket that failed cannot tell why it did."""
        return await self._refusal(request) or web.Response(status=204)

    async def page_socket(self, request: web.Request) -> web.StreamResponse:
        """Serve the page's WebSocket to a page with a login; a foreign page came no further."""
        if refused := await self._refusal(request):
            return refused
        if "Origin" not in request.headers:
            return _sentence(403, "This socket is for the page; use `stonechat chat` instead.")
        name = request.match_info.get("name")
        return await self._host.converse(request, PAGE if name is None else thread_of(name))

    async def terminal_socket(self, request: web.Request) -> web.StreamResponse:
        """Serve the terminal's WebSocket."""
        return await self._host.converse(request, TERMINAL)

    async def make_link(self, _request: web.Request) -> web.Response:
        """Make a fresh link to the page."""
        if not self._host.about.address:
            return _sentence(409, _NOT_SERVED)
        return web.json_response({"link": await self._host.new_link()})

    async def tell_status(self, _request: web.Request) -> web.Response:
        """Tell what is known of the bot without looking further."""
        about = self._host.about
        told = {"address": about.address, "model": about.model, "problem": about.problem}
        return web.json_response(told)

    def _locked(self) -> web.Response | None:
        if not (seconds := self._lockout.remaining()):
            return None
        response = _sentence(429, _LOCKED)
        response.headers["Retry-After"] = str(int(seconds) + 1)
        return response

    async def _refusal(self, request: web.Request) -> web.Response | None:
        """Say why this request may not pass, or None.

        A login that holds passes during a lockout: guessing by others must not
        shut out the owner.
        """
        login = request.cookies.get(_cookie_name(request))
        if login is None:
            return _sentence(401, _NO_LOGIN)
        try:
            known = await self._logins.knows(login)
        except StoreUnavailable as error:
            return _sentence(503, str(error))
        if known:
            return None
        if locked := self._locked():
            return locked
        self._lockout.note_failure()
        return _sentence(401, _NO_LOGIN)


def _file(name: str) -> Callable[[web.Request], object]:
    """Return what serves one of the page's files, read once."""
    source = files("channels.webchat").joinpath("static").joinpath(name)
    body = source.read_bytes()
    kind = _KINDS[name[name.rindex(".") :]]

    async def serve(_request: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": kind})

    return serve


async def _code(request: web.Request) -> str | None:
    """Read the body of a login, of so many bytes and in so many seconds, or return None."""
    try:
        async with asyncio.timeout(_LOGIN_SECONDS):
            body = await request.content.readexactly(
                min(request.content_length or 0, _LARGEST_LOGIN)
            )
        parsed = json.loads(body)
    except (TimeoutError, ValueError, RecursionError, asyncio.IncompleteReadError):
        return None
    code = parsed.get("code") if isinstance(parsed, dict) else None
    return code if isinstance(code, str) else None


def _cookie_name(request: web.Request) -> str:
    """Name the cookie after the port: browsers keep one jar for all ports of a host."""
    _, _, port = request.host.rpartition(":")
    return f"stonechat_{port}" if port.isdigit() else "stonechat"


def _sentence(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=text)
