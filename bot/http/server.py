"""The bot's HTTP server: the network and the control socket, each with its own routes."""

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_protocol import RequestHandler

from bot.contracts.address import is_loopback
from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.errors import ConfigError
from bot.http.crowd import Crowd
from bot.http.guard import Guard, harden, log_request
from bot.http.health import healthz
from bot.http.origin import Origin, networks
from bot.http.peer import same_user_only
from bot.http.plain_errors import PlainErrors
from bot.http.refusals import Refusals, library_log

_IDLE_SECONDS: Final = 5.0
"""How long a connection may take to ask, the first time and each time after."""

_GOODBYE_SECONDS: Final = 0.5
_LARGEST_BODY: Final = 64 * 1024
_LONGEST_HEADER: Final = 8_190
_MOST_HEADERS: Final = 64
_LONGEST_SOCKET_PATH: Final = 103
"""Bytes; the shortest limit among Linux (107) and macOS (103)."""


class HttpServer:
    """Serves routes over TCP, over a UNIX socket for the same user, or over both."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int | None,
        control_path: Path | None,
        routes: Sequence[RouteSpec],
        public_url: str | None = None,
        trusted_proxies: Sequence[str] = (),
    ) -> None:
        """Prepare it; None leaves out the network or the control socket.

        With a *public_url* it may be reached from elsewhere, under this one name.
        """
        self._host = host
        self._wanted_port = port
        self._control_path = control_path
        self._routes = routes
        self._runners: list[web.AppRunner] = []
        self._servers: list[asyncio.Server] = []
        self._port = 0
        self._public = Origin.of(public_url) if public_url else None
        self._guard = Guard(public=self._public, trusted=networks(trusted_proxies))

    @property
    def port(self) -> int:
        """The port it was bound to, 0 before the start."""
        return self._port

    @property
    def address(self) -> str:
        """Where a browser finds it; empty where it is not on the network."""
        return str(self._public) if self._public and self._port else self.listens_at

    @property
    def refusals(self) -> Refusals:
        """What was refused at the door."""
        return self._guard.refusals

    @property
    def listens_at(self) -> str:
        """Where it listens itself, behind a proxy or not; empty where it does not."""
        if not self._port:
            return ""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    async def start(self) -> None:
        """Bind and serve.

        Raises:
            ConfigError: the address is not loopback and no public one is set, the port is in use,
                or the control socket cannot be made.
        """
        try:
            if self._control_path is not None:
                await self._serve(_control_socket(self._control_path), self._control_app())
            if self._wanted_port is not None:
                if self._public is None:
                    _require_loopback(self._host, self._wanted_port)
                listener = _network_socket(self._host, self._wanted_port)
                self._port = listener.getsockname()[1]
                await self._serve(listener, self._web_app())
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Take no new requests, give those that run a moment, and let go of the addresses."""
        for server in self._servers:
            server.close()
        for runner in self._runners:
            await runner.cleanup()
        if self._control_path is not None and self._servers:
            self._control_path.unlink(missing_ok=True)
        self._servers.clear()
        self._runners.clear()

    async def _serve(self, listener: socket.socket, app: web.Application) -> None:
        runner = web.AppRunner(app, shutdown_timeout=_GOODBYE_SECONDS)
        await runner.setup()
        self._runners.append(runner)
        crowd, loop = app[_CROWD], asyncio.get_running_loop()
        server = runner.server
        assert server is not None  # noqa: S101 - set-up made it

        def connect() -> RequestHandler:
            crowd.make_room(server.connections)
            return PlainErrors(
                server,
                loop=loop,
                access_log=None,  # type: ignore[arg-type] # its own runner turns it off so, too
                logger=library_log(self._guard.refusals),
                keepalive_timeout=_IDLE_SECONDS,
                lingering_time=1.0,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
                max_headers=_MOST_HEADERS,
            )

        self._servers.append(await loop.create_server(connect, sock=listener, backlog=128))

    def _web_app(self) -> web.Application:
        app = _application(self._guard.log, self._guard.check)
        app.on_response_prepare.append(harden)
        app.router.add_get("/healthz", healthz)
        self._mount(app, Mount.WEB)
        return app

    def _control_app(self) -> web.Application:
        app = _application(log_request, same_user_only)
        self._mount(app, Mount.CONTROL)
        return app

    def _mount(self, app: web.Application, mount: Mount) -> None:
        for route in self._routes:
            if route.mount is mount:
                made = app.router.add_route(route.method, route.path, cast(Handler, route.handler))
                if route.reads_from_anybody:
                    app[_CROWD].reads_from_anybody(made)


_CROWD: Final = web.AppKey("crowd", Crowd)


def _application(*middlewares: Middleware) -> web.Application:
    crowd = Crowd()
    app = web.Application(middlewares=[crowd.count, *middlewares], client_max_size=_LARGEST_BODY)
    app[_CROWD] = crowd
    return app


def _require_loopback(host: str, port: int) -> None:
    """Refuse an address that others reach, as long as it is not said under which name they may.

    Raises:
        ConfigError: it is such an address.
    """
    if not is_loopback(host):
        raise ConfigError(
            "http.host",
            repr(host),
            "a loopback address such as 127.0.0.1, or `http.public_url` beside it; without one, "
            f"come in from elsewhere through `ssh -L {port}:127.0.0.1:{port}`",
        )


def _network_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setblocking(False)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(
                "http.port",
                f"{port}, which another program listens on",
                "a free port: stop that program, start with `--port`, or change the setting",
            ) from None
        raise ConfigError(
            "http.port", f"{port} ({error.strerror})", "a port to listen on"
        ) from None
    return listener


def _control_socket(path: Path) -> socket.socket:
    """Bind the control socket, for this user alone from its first moment on.

    Whoever starts a server holds the state directory, so a socket that lies
    there was left by a process that is gone. It is set to 0600 before it listens.
    """
    if len(os.fsencode(path)) > _LONGEST_SOCKET_PATH:
        raise ConfigError(
            "STONECHAT_HOME",
            f"a path too long for a socket in it ({path})",
            f"one that keeps it within {_LONGEST_SOCKET_PATH} bytes",
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.setblocking(False)
    try:
        if stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()
    except FileNotFoundError:
        pass
    try:
        listener.bind(str(path))
        path.chmod(0o600)
    except OSError as error:
        listener.close()
        raise ConfigError(
            "STONECHAT_HOME", f"no room for a socket at {path} ({error.strerror})", "a free path"
        ) from None
    return listener
