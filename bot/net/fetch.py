"""Fetch a page of the public Internet, and of nothing else.

The address is checked where the socket is made, so it is the address that is
connected to: a literal one, one that a name resolved to this time, and the one
behind every redirect. A check of the name beforehand would miss all three.
"""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import TracebackType
from typing import Final, Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from bot.contracts.errors import ToolError
from bot.net.public import is_public
from bot.trust import trust

MAX_BYTES: Final = 5 * 1024 * 1024
"""Of one page, after decompression."""

MAX_SECONDS: Final = 20.0
"""For one page, redirects included."""

MAX_REDIRECTS: Final = 5

_REFUSED: Final = (
    "this address cannot be fetched: only what answers on the public Internet can, "
    "over http or https, and without a name or password in the address"
)
"""One sentence for every refusal: which of them it was would be a map of the network behind us."""

_HEADERS: Final = {"User-Agent": "Stonechat", "Accept-Language": "en, *;q=0.5"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What an address answered; `url` is where it was found in the end."""

    url: str
    status: int
    content_type: str
    body: bytes


class Web:
    """The guarded client. It keeps no cookies, uses no proxy, and reuses no connection.

    Make it inside a running event loop, and close it.
    """

    def __init__(
        self,
        *,
        allows: Callable[[IPv4Address | IPv6Address], bool] = is_public,
        resolver: AbstractResolver | None = None,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        self._allows = allows
        self._max_seconds = max_seconds
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                socket_factory=self._socket,
                resolver=resolver,
                use_dns_cache=False,
                force_close=True,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._session.close()

    async def fetch(self, url: str) -> Page:
        """Get *url*, following redirects, whole or not at all.

        Raises:
            ToolError: it may not be fetched or was not reached (not told apart), or
                it is too large or too slow.
        """
        try:
            async with asyncio.timeout(self._max_seconds):
                await asyncio.to_thread(trust)  # aiohttp's own context may not have read it
                return await self._follow(_checked(url))
        except TimeoutError:
            raise ToolError(f"the page took longer than {self._max_seconds:g} seconds") from None
        except aiohttp.ClientSSLError:
            raise ToolError("the page's certificate is not valid") from None
        except (aiohttp.ClientConnectorError, aiohttp.InvalidURL):
            raise ToolError(_REFUSED) from None
        except (aiohttp.ClientError, ValueError) as error:
            raise ToolError(f"the page did not arrive: {type(error).__name__}") from None

    async def _follow(self, url: URL) -> Page:
        for _ in range(MAX_REDIRECTS + 1):
            async with self._session.get(url, allow_redirects=False) as response:
                onward = response.headers.get("Location")
                if onward is None or response.status not in {301, 302, 303, 307, 308}:
                    return Page(
                        url=str(response.url),
                        status=response.status,
                        content_type=response.content_type,
                        body=await _body(response),
                    )
            url = _checked(str(url.join(URL(onward))))
        raise ToolError(f"the page redirects more than {MAX_REDIRECTS} times")

    def _socket(self, address: aiohttp.AddrInfoType) -> socket.socket:
        """Make the socket for one address, if it may be connected to at all."""
        family, kind, protocol, _, place = address
        host = str(place[0]).partition("%")[0]
        if not self._allows(ip_address(host)):
            raise PermissionError("not a public address")
        return socket.socket(family, kind, protocol)


def _checked(text: str) -> URL:
    """Read an address of the web (pure).

    Raises:
        ToolError: it is another kind of address, or carries a name and password.
    """
    try:
        url = URL(text.strip())
    except ValueError:
        raise ToolError(_REFUSED) from None
    named = url.user is not None or url.password is not None
    if url.scheme not in {"http", "https"} or not url.host or named:
        raise ToolError(_REFUSED)
    return url.with_fragment(None)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Read the decompressed body, and stop at once when it is too much."""
    body = bytearray()
    async for piece in response.content.iter_chunked(64 * 1024):
        body += piece
        if len(body) > MAX_BYTES:
            raise ToolError(f"the page has more than {MAX_BYTES:,} bytes")
    return bytes(body)
