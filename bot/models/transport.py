"""Carries requests to one model's server: a pool of connections, each request sent once."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import aiohttp
from aiohttp.abc import AbstractStreamWriter
from yarl import URL

from bot import __version__
from bot.contracts.errors import ModelError
from bot.models.failure import BROKEN, broken, unusable_proxy
from bot.models.server import Server
from bot.net.proxy import proxy_of
from bot.trust import trust

_KEPT_SECONDS: Final = 4.0
"""How long a connection nobody uses is kept. Servers on uvicorn and on Node hang up after five
(https://uvicorn.dev/settings/, https://nodejs.org/api/http.html#serverkeepalivetimeout), and a
request that meets its server hanging up is lost."""

_LONGEST_HEADER: Final = 64 * 1024
_EXPLANATION: Final = 64 * 1024
"""Bytes of an error's body that are read."""


class Transport:
    """Sends requests to one server: never twice, never on to where a redirect points.

    Never twice, because each is a POST: others aiohttp itself sends again where a connection
    that it kept turns out to be closed.

    Making one reads the store of certificates, if the server has a certificate to show:
    not on the event loop. It belongs to the loop of its first request.
    """

    def __init__(
        self, server: Server, headers: Mapping[str, str], *, connect_seconds: float
    ) -> None:
        self._server: Final = server
        self._url: Final = URL(server.base_url).with_user(None).with_fragment(None)
        self._headers: Final = {"User-Agent": f"Stonechat/{__version__}", **headers}
        self._connect_seconds: Final = connect_seconds
        self._proxy: Final = None if server.is_loopback else proxy_of(self._url)
        secured = {self._url.scheme, URL(self._proxy).scheme if self._proxy else ""}
        self._trust: Final = trust() if "https" in secured else True
        self._urls: Final[dict[str, URL]] = {}
        self._session: aiohttp.ClientSession | None = None

    async def post(self, path: str, body: bytes) -> "Reply":
        """Send *body*, which is JSON, and return what is answered, whatever its status.

        The reply is to be closed.

        Raises:
            ModelError: there is no answer.
        """
        if self._session is None:
            self._session = self._opened()
        try:
            response = await self._session.post(
                self._at(path), data=_Json(body), allow_redirects=False, proxy=self._proxy
            )
        except BROKEN as error:
            raise broken(error, self._server) from error
        return Reply(response, self._server)

    async def close(self) -> None:
        """Let go of the connections. The next request opens new ones."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _at(self, path: str) -> URL:
        if path not in self._urls:
            whole = f"{self._url.raw_path.rstrip('/')}{path}"
            self._urls[path] = self._url.with_path(whole, encoded=True, keep_query=True)
        return self._urls[path]

    def _opened(self) -> aiohttp.ClientSession:
        if self._proxy is not None and URL(self._proxy).scheme not in {"http", "https"}:
            raise unusable_proxy(URL(self._proxy).scheme, self._server)
        return aiohttp.ClientSession(
            # As many turns as run at once; how many that is, is not decided here.
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_KEPT_SECONDS, ssl=self._trust
            ),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._connect_seconds),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            # It would read more than proxies: logins, from a file in the home directory.
            trust_env=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )


class Reply:
    """What a server answered; its body is read as it comes."""

    def __init__(self, response: aiohttp.ClientResponse, server: Server) -> None:
        self._response: Final = response
        self._server: Final = server

    @property
    def status(self) -> int:
        """The status of HTTP."""
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers; their names in any case."""
        return self._response.headers

    async def piece(self) -> bytes:
        """Return what has come since, decompressed; nothing once the body is whole.

        Raises:
            ModelError: the connection broke before that.
        """
        try:
            return await self._response.content.readany()
        except BROKEN as error:
            raise broken(error, self._server) from error

    async def text(self, most: int = _EXPLANATION) -> str:
        """Return the body's beginning, or as much of it as there is; it is an explanation."""
        body = bytearray()
        with suppress(ModelError):
            while len(body) < most and (piece := await self.piece()):
                body += piece
        return body[:most].decode("utf-8", "replace")

    def close(self) -> None:
        """Hang up, if there is more to come; else the connection may be used again."""
        self._response.close()


class _Json(aiohttp.Payload):
    """A body that is there, of any size. aiohttp's own warns of more than a megabyte."""

    _value: bytes

    def __init__(self, value: bytes) -> None:
        super().__init__(value, content_type="application/json")
        self._size = len(value)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return self._value.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write it, as fast as it is taken."""
        await writer.write(self._value)
