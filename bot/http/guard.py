"""What every request over the network must pass, whatever it asks for.

The bot listens on loopback and is reached by a browser that also visits pages
of strangers. Those can make it send requests here; that they come from this
machine therefore means nothing.
"""

import ipaddress
import logging
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

_log: Final = logging.getLogger(__name__)

_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "manifest-src 'self'; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse a foreign Host, a foreign Origin and a query.

    A foreign Host is how DNS rebinding shows, a foreign Origin how a strange page
    shows. No address takes a query, so that no secret ever stands in one.
    """
    if not _is_ours(request):
        return _refused(421, "This address is not served here; use the one the bot printed.")
    if request.query_string or "?" in request.raw_path:
        return _refused(400, "No address here takes a query; a link has its code after '#'.")
    if not _origin_is_ours(request):
        return _refused(403, "This may only be asked by the bot's own page.")
    return await handler(request)


async def harden(_request: web.Request, response: web.StreamResponse) -> None:
    """Tell the browser to load nothing from elsewhere, guess nothing and keep nothing.

    What a route says for itself stands: a file that somebody sent has a stricter policy.
    """
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


@web.middleware
async def log_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log what was asked and how it ended: the path alone, never a query or a header."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        _log.debug("%s %s %d", request.method, request.path, error.status)
        raise
    _log.debug("%s %s %d", request.method, request.path, response.status)
    return response


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address *host* binds (pure)."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_ours(request: web.Request) -> bool:
    """Whether Host names this machine and the very port it was reached at."""
    sockname = request.get_extra_info("sockname")
    name, _, port = request.host.rpartition(":")
    if not port.isdigit():
        name, port = request.host, "80"
    return name.lower() in _NAMES and sockname is not None and int(port) == sockname[1]


def _origin_is_ours(request: web.Request) -> bool:
    """Whether the asking page, if a page asks, is ours.

    Browsers name the origin of every WebSocket and of every POST
    (https://fetch.spec.whatwg.org/#origin-header); what comes without one is no
    page, and has still to show a login.
    """
    origin = request.headers.get("Origin")
    return origin is None or origin == f"{request.scheme}://{request.host}"


def _refused(status: int, sentence: str) -> web.Response:
    return web.Response(status=status, text=sentence, headers={"Connection": "close"})
