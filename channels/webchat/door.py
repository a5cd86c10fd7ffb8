"""The door of the page: from a code to a cookie, and from a cookie to who it is."""

import json
from typing import Final

from aiohttp import web

from bot.contracts.clock import Clock
from bot.contracts.errors import StoreUnavailable
from bot.contracts.people import People
from channels.webchat.auth import LOGIN_LASTS, OWNER, Login, Logins
from channels.webchat.bodies import body_of
from channels.webchat.lockout import Lockout
from channels.webchat.places import CHANNEL_NAME, OWNER_ID

CUSTOM_HEADER: Final = "X-Stonechat"
"""A page of another origin cannot set it without asking first, and nobody answers that."""

_LARGEST_LOGIN: Final = 4_096

_NO_LOGIN: Final = (
    "This browser is not signed in. Run `script/run open` in Stonechat's folder, "
    "and open the link it prints. If somebody else runs this Stonechat, ask them for a link."
)
_BAD_CODE: Final = (
    "This link was used or is older than ten minutes (an invitation: a day). "
    "Run `script/run open` for a new one, or ask whoever invited you."
)
_LOCKED: Final = "Too many wrong links were tried. Wait a minute, then open a new one."
_SHUT_OUT: Final = "You are not let in at present. Ask whoever runs this Stonechat."
_OWNER_ONLY: Final = "Only the owner of this Stonechat may do that."


class Door:
    """Lets people in, and says of every request who asks."""

    def __init__(self, logins: Logins, people: People, clock: Clock) -> None:
        self._logins = logins
        self._people = people
        self._lockout = Lockout(clock)

    async def enter(self, request: web.Request) -> Login | web.Response:
        """Return who asks, or why this request may not pass.

        A login that holds passes during a lockout: guessing by others must not
        shut out who is signed in.
        """
        cookie = request.cookies.get(_cookie_name(request))
        if cookie is None:
            return _sentence(401, _NO_LOGIN)
        try:
            person_id = await self._logins.whose(cookie)
            if person_id is not None:
                return await self._who(person_id) or _sentence(401, _SHUT_OUT)
        except StoreUnavailable as error:
            return _sentence(503, str(error))
        if locked := self._locked(request):
            return locked
        self._lockout.note_failure(request.remote)
        return _sentence(401, _NO_LOGIN)

    async def refusal(self, request: web.Request) -> web.Response | None:
        """Say why this request may not pass, or None: it is the owner's."""
        login = await self.enter(request)
        if isinstance(login, web.Response):
            return login
        return None if login.is_owner else _sentence(403, _OWNER_ONLY)

    async def log_in(self, request: web.Request) -> web.Response:
        """Exchange a code for a login cookie.

        What says that a page of our own sends it (the content type and the
        header) is looked at before the body is read.
        """
        if request.content_type != "application/json" or CUSTOM_HEADER not in request.headers:
            return _sentence(403, f"A login is JSON with the header {CUSTOM_HEADER}.")
        if locked := self._locked(request):
            return locked
        code = await _code(request)
        if code is None:
            self._lockout.note_failure(request.remote)
            return _sentence(400, "A login is a JSON object with a code.")
        try:
            login = await self._logins.redeem(code)
        except StoreUnavailable as error:
            return _sentence(503, str(error))
        if login is None:
            self._lockout.note_failure(request.remote)
            return _sentence(401, _BAD_CODE)
        response = web.Response(status=204)
        response.set_cookie(
            _cookie_name(request),
            login,
            max_age=int(LOGIN_LASTS.total_seconds()),
            path="/",
            httponly=True,
            samesite="Strict",
            secure=request.secure,
        )
        return response

    async def look_up_login(self, request: web.Request) -> web.Response:
        """Say whether the cookie is good: a WebSocket that failed cannot tell why it did."""
        login = await self.enter(request)
        return login if isinstance(login, web.Response) else web.Response(status=204)

    async def _who(self, person_id: str) -> Login | None:
        if person_id == OWNER_ID:
            return OWNER
        person = await self._people.get(CHANNEL_NAME, person_id)
        if person is None:
            return None
        return Login(person_id=person.id, rank=person.rank, name=person.name)

    def _locked(self, request: web.Request) -> web.Response | None:
        if not (seconds := self._lockout.remaining(request.remote)):
            return None
        response = _sentence(429, _LOCKED)
        response.headers["Retry-After"] = str(int(seconds) + 1)
        return response


async def _code(request: web.Request) -> str | None:
    """Read the body of a login, or return None if it is none."""
    try:
        parsed = json.loads(await body_of(request, largest=_LARGEST_LOGIN))
    except (ValueError, RecursionError):
        return None
    code = parsed.get("code") if isinstance(parsed, dict) else None
    return code if isinstance(code, str) else None


def _cookie_name(request: web.Request) -> str:
    """Name the cookie so that no other page can set it, or at least none of another port.

    ``__Host-`` makes the browser refuse one that was not set over HTTPS by this very host
    (https://www.rfc-editor.org/rfc/rfc6265bis#name-the-__host-prefix). Without HTTPS it cannot
    be had, and browsers keep one jar for all ports of a host.
    """
    if request.secure:
        return "__Host-stonechat"
    _, _, port = request.host.rpartition(":")
    return f"stonechat_{port}" if port.isdigit() else "stonechat"


def _sentence(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=text)
