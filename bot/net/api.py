"""One request to an API that the operator named: JSON out, JSON in, small, and redirected nowhere.

Not for addresses that a model or a stranger chose: those are `bot.net.fetch`'s.
"""

import asyncio
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from bot.contracts.address import is_this_machine
from bot.net.proxy import proxy_of
from bot.trust import trust

_LARGEST: Final = 4 * 1024 * 1024
"""Bytes of an answer: a list of a thousand models is a tenth of it."""


class Trouble(StrEnum):
    """Why there is no answer, in the words of a sentence about it."""

    NAME = "there is no host of that name"
    REFUSED = "nothing listens there"
    CERTIFICATE = "its certificate is not trusted"
    SLOW = "it did not answer in time"
    BROKEN = "the connection broke"
    LARGE = "its answer is too large"


class Unanswered(Exception):
    """Whoever asked must act: nothing came back."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an API answered. `body` is None unless it is JSON."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> Mapping[str, object]:
        """The body's fields; none where it is no JSON object."""
        return self.body if isinstance(self.body, dict) else {}


async def ask(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: object = None,
    seconds: float = 15.0,
) -> Answer:
    """GET *url*, or POST *body* to it as JSON, on a connection of its own.

    Proxies of the environment are used, but never for this machine. What *url* and
    *headers* hold of secrets is in no error.

    Raises:
        Unanswered: nothing came back within *seconds*.
    """
    at = URL(url)
    proxy = None if is_loopback(url) else proxy_of(at)
    secured = at.scheme == "https" or (proxy or "").startswith("https:")
    checks = await asyncio.to_thread(trust) if secured else True
    try:
        async with (
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=checks, force_close=True),
                # It would read more than proxies: logins, from a file in the home directory.
                trust_env=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=seconds),
                headers={"User-Agent": "Stonechat", **(headers or {})},
            ) as http,
            http.request(
                "GET" if body is None else "POST",
                at,
                json=body,
                proxy=proxy,
                allow_redirects=False,
            ) as response,
        ):
            return Answer(
                status=response.status,
                body=parsed(await _read(response)),
                headers=response.headers.copy(),
            )
    except TimeoutError:
        raise Unanswered(Trouble.SLOW) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Unanswered(trouble_of(error)) from None


def is_loopback(url: str) -> bool:
    """Whether *url* leads to this machine, as written (pure)."""
    return is_this_machine(urlsplit(url).hostname or "")


async def _read(response: aiohttp.ClientResponse) -> bytes:
    read = bytearray()
    async for piece in response.content.iter_any():
        read += piece
        if len(read) > _LARGEST:
            raise Unanswered(Trouble.LARGE)
    return bytes(read)


def parsed(text: bytes) -> object:
    """Return what *text* is as JSON, or None (pure)."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def trouble_of(error: BaseException) -> Trouble:
    """Say why there was no answer: by the first cause that a person can act on (pure)."""
    for cause in _causes(error):
        match cause:
            case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
                return Trouble.CERTIFICATE
            case ssl.SSLError():
                return Trouble.CERTIFICATE
            case aiohttp.ClientConnectorDNSError() | socket.gaierror():
                return Trouble.NAME
            case aiohttp.ClientConnectorError() | ConnectionRefusedError():
                return Trouble.REFUSED
            case _:
                continue
    return Trouble.BROKEN


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Give *error* and what is behind it; a connection tried twice hides it in a group."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _causes(inner)
        error = error.__cause__ or error.__context__
