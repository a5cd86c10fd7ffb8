"""The addresses of the settings panel, and of the terminal's commands for the same."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Protocol

from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.errors import SetupRefused, StoreUnavailable
from bot.contracts.secret import mask
from bot.contracts.setup import Setup
from channels.webchat import setup_wire
from channels.webchat.bodies import body_of
from channels.webchat.door import CUSTOM_HEADER, Door

_LARGEST_WISH: Final = 8 * 1024
_LOOK_SECONDS: Final = 30.0
_CHANGE_SECONDS: Final = 150.0
"""What `Setup` asks of others has shorter limits and says more; these end what has none. A big
model may take two minutes to come from the disk of this machine."""

_NOT_OURS: Final = f"Settings are asked for by the bot's own page, with the header {CUSTOM_HEADER}."
_NOT_JSON: Final = "A change of the settings is a JSON object of the type application/json."
_NO_KEY: Final = (
    "A key is a JSON object with a key and, if they are not told by it, provider, model, base_url."
)
_NO_LOCAL: Final = "A local model is a JSON object with the address of its server and the model."
_NO_CHANNEL: Final = "A channel is a JSON object with the channel's name and its token."
_STARTING: Final = "The bot is starting; try again in a moment."
_BUSY: Final = "Something else is being checked right now. Try again when that is done."
_TOO_LONG: Final = "This took too long and was given up; nothing has changed. Try again."


class Workshop(Protocol):
    """What is needed of the channel."""

    @property
    def setup(self) -> Setup | None:
        """What can be seen and set up, once the bot is built."""
        ...


_Answer = Callable[[Setup, web.Request], Awaitable[setup_wire.Answer]]
_Route = Callable[[web.Request], Awaitable[web.Response]]


class NoSuchWish(Exception):
    """What was sent asks for nothing that exists here."""


class Busy(Exception):
    """One change at a time: another one runs."""


class SetupRoutes:
    """Shows the owner how things are, and changes them."""

    def __init__(self, workshop: Workshop, door: Door) -> None:
        self._workshop = workshop
        self._door = door
        self._changing = asyncio.Lock()

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted: for the page, and for the terminal of the same user."""
        routes: list[tuple[str, str, _Answer]] = [
            ("GET", "/setup", self.show_overview),
            ("POST", "/setup/key", self.use_key),
            ("GET", "/setup/local", self.find_local),
            ("POST", "/setup/local", self.use_local),
            ("POST", "/setup/channel", self.add_channel),
            ("POST", "/setup/reload", self.reload),
        ]
        return [
            RouteSpec(mount=mount, method=method, path=path, handler=door(self._told(answer)))
            for method, path, answer in routes
            for mount, door in ((Mount.WEB, self._guarded), (Mount.CONTROL, _open))
        ]

    async def show_overview(self, setup: Setup, _request: web.Request) -> setup_wire.Answer:
        """Tell how things are."""
        async with asyncio.timeout(_LOOK_SECONDS):
            return await setup.overview()

    async def use_key(self, setup: Setup, request: web.Request) -> setup_wire.Answer:
        """Check a key, and use it from now on."""
        offer = setup_wire.read_key(await body_of(request, largest=_LARGEST_WISH))
        if offer is None:
            raise NoSuchWish(_NO_KEY)
        async with self._change():
            return await setup.use_key(offer)

    async def find_local(self, setup: Setup, _request: web.Request) -> setup_wire.Answer:
        """Look for model servers on this machine."""
        async with asyncio.timeout(_LOOK_SECONDS):
            return setup_wire.LocalServers(servers=tuple(await setup.local_servers()))

    async def use_local(self, setup: Setup, request: web.Request) -> setup_wire.Answer:
        """Use a model of this machine from now on."""
        wish = setup_wire.read_local(await body_of(request, largest=_LARGEST_WISH))
        if wish is None:
            raise NoSuchWish(_NO_LOCAL)
        async with self._change():
            return await setup.use_local(wish.address, wish.model)

    async def add_channel(self, setup: Setup, request: web.Request) -> setup_wire.Answer:
        """Check a platform's token, and keep it."""
        wish = setup_wire.read_channel(await body_of(request, largest=_LARGEST_WISH))
        if wish is None:
            raise NoSuchWish(_NO_CHANNEL)
        async with self._change():
            return await setup.add_channel(*wish)

    async def reload(self, setup: Setup, _request: web.Request) -> setup_wire.Answer:
        """Read the settings again."""
        async with self._change():
            return await setup.reload()

    @asynccontextmanager
    async def _change(self) -> AsyncIterator[None]:
        """Let one change be made at a time, in a bounded time.

        Whoever comes second is told so at once: it would wait for a check of
        somebody else's, and change what that one was just shown.
        """
        if self._changing.locked():
            raise Busy
        async with self._changing, asyncio.timeout(_CHANGE_SECONDS):
            yield

    def _told(self, answer: _Answer) -> _Route:
        """Turn an answer into JSON, and what was wrong into one sentence without a secret in it."""

        async def told(request: web.Request) -> web.Response:
            if (setup := self._workshop.setup) is None:
                return web.Response(status=503, text=_STARTING)
            try:
                text = setup_wire.encode(await answer(setup, request))
            except NoSuchWish as error:
                return web.Response(status=400, text=str(error))
            except Busy:
                return web.Response(status=409, text=_BUSY)
            except SetupRefused as error:
                return web.Response(status=422, text=mask(str(error)))
            except StoreUnavailable as error:
                return web.Response(status=503, text=mask(str(error)))
            except TimeoutError:
                return web.Response(status=504, text=_TOO_LONG)
            return web.Response(text=text, content_type="application/json")

        return told

    def _guarded(self, route: _Route) -> _Route:
        """Let through our own page with the owner's login; nothing of the body is read before."""

        async def guarded(request: web.Request) -> web.Response:
            if CUSTOM_HEADER not in request.headers:
                return web.Response(status=403, text=_NOT_OURS)
            if request.method != "GET" and request.content_type != "application/json":
                return web.Response(status=403, text=_NOT_JSON)
            return await self._door.refusal(request) or await route(request)

        return guarded


def _open(route: _Route) -> _Route:
    """Leave it to the control socket, which only the same user opens."""
    return route
