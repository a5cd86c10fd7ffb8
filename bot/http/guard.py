"""What every request over the network must pass, whatever it asks for.

The bot is reached by a browser that also visits pages of strangers. Those can
make it send requests here; that they come from this machine, or through the
proxy in front of it, therefore means nothing.
"""

import asyncio
import logging
import re
from collections.abc import Sequence
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.http.forwarded import Visitor, visitor
from bot.http.headers import HARDENING
from bot.http.origin import Network, Origin
from bot.http.refusals import Refusals, kind_of

_log: Final = logging.getLogger(__name__)

_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST: Final = re.compile(r"(?P<name>[^:]+|\[[^\]]+\])(?::(?P<port>[0-9]{1,5}))?")
_ONLY_ENCRYPTED: Final = f"max-age={180 * 24 * 60 * 60}"
"""Half a year: who once came in over HTTPS is not led to plain HTTP by somebody on the way
(https://www.rfc-editor.org/rfc/rfc6797). It speaks for this one name and for none below it."""

_VISITOR: Final = web.RequestKey("visitor", Visitor)
_ENCRYPTED: Final = web.RequestKey("encrypted", bool)
_REFUSED: Final = web.RequestKey("refused", str)


class Guard:
    """Knows under which names the page is served, and whose word counts for who is behind it."""

    def __init__(self, *, public: Origin | None = None, trusted: Sequence[Network] = ()) -> None:
        self._public = public
        self._trusted = trusted
        self.refusals = Refusals()

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a foreign Host, a foreign Origin and a query.

        A foreign Host is how DNS rebinding shows, a foreign Origin how a strange page
        shows. No address takes a query, so that no secret ever stands in one. What
        passes carries the scheme, the host and the address that the visitor used.
        """
        came = visitor(request.remote, request.headers, self._trusted)
        request[_VISITOR] = came
        host = came.host or request.host
        is_public = self._public is not None and self._public.is_named_by(host)
        if not is_public and (came.host is not None or not _is_this_machine(request)):
            sentence = "This address is not served here; use the one the bot printed."
            return _refused(request, 421, "another host", sentence)
        if request.query_string or "?" in request.raw_path:
            sentence = "No address here takes a query; a link has its code after '#'."
            return _refused(request, 400, "a query", sentence)
        scheme = "http"
        if self._public is not None and is_public:
            scheme, host = self._public.scheme, self._public.authority
            if self._public.is_secure and came.scheme == "http":
                return _to_the_encrypted(request, self._public)
            request[_ENCRYPTED] = self._public.is_secure
        if request.headers.get("Origin", f"{scheme}://{host}") != f"{scheme}://{host}":
            sentence = "This may only be asked by the bot's own page."
            return _refused(request, 403, "another page", sentence)
        return await handler(request.clone(scheme=scheme, host=host, remote=came.address or ""))

    @web.middleware
    async def log(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Log what was asked and how it ended: the path alone, never a query or a header."""
        try:
            response = await handler(request)
        except web.HTTPException as error:
            self._note(request, error.status)
            raise
        self._note(request, response.status)
        return response

    def _note(self, request: web.Request, status: int) -> None:
        came = request.get(_VISITOR)
        client = request.remote if came is None else came.address
        _log.debug("%s %s %d for %s", request.method, request.path, status, client)
        if kind := request.get(_REFUSED) or kind_of(request.method, status):
            self.refusals.note(kind, client=client, now=asyncio.get_running_loop().time())


async def harden(request: web.Request, response: web.StreamResponse) -> None:
    """Tell the browser to load nothing from elsewhere, guess nothing and keep nothing.

    Which versions of which libraries answer is told to nobody who sends what can be read as
    HTTP. What a route says for itself stands: a file that somebody sent has a stricter policy.
    """
    for name, value in HARDENING.items():
        response.headers.setdefault(name, value)
    response.headers.pop("Server", None)
    if request.get(_ENCRYPTED):
        response.headers["Strict-Transport-Security"] = _ONLY_ENCRYPTED


@web.middleware
async def log_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log what was asked over the control socket and how it ended: the path alone."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        _log.debug("%s %s %d", request.method, request.path, error.status)
        raise
    _log.debug("%s %s %d", request.method, request.path, response.status)
    return response


def _is_this_machine(request: web.Request) -> bool:
    """Whether Host names this machine and the very port it was reached at."""
    sockname = request.get_extra_info("sockname")
    found = _HOST.fullmatch(request.host)
    if found is None or sockname is None:
        return False
    return found["name"].lower() in _NAMES and (found["port"] or "80") == str(sockname[1])


def _to_the_encrypted(request: web.Request, public: Origin) -> web.Response:
    """Send a visitor on who came to the proxy without encryption."""
    if request.method not in {"GET", "HEAD"}:
        return _refused(request, 421, "plain HTTP", f"This is served at {public} only.")
    location = f"{public}{request.rel_url.raw_path}"
    return web.Response(status=308, headers={"Location": location})


def _refused(request: web.Request, status: int, kind: str, sentence: str) -> web.Response:
    request[_REFUSED] = kind
    return web.Response(status=status, text=sentence, headers={"Connection": "close"})
