"""What the HTTP library answers by itself, where no route was found: in our own words."""

from typing import Final

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from bot.http.headers import HARDENING

_SENTENCES: Final = {
    500: "Something went wrong here; the bot's log says what.",
    504: "This took too long; try again.",
}
_UNREADABLE: Final = "This is no HTTP request that is taken here."


class _Unsigned(web.Response):
    """An answer that does not say which library made it."""

    async def _prepare_headers(self) -> None:
        """Leave out what the library adds for whoever did not ask."""
        await super()._prepare_headers()
        self.headers.pop("Server", None)


class PlainErrors(RequestHandler):
    """A connection whose errors are a sentence.

    The library's own name its version, and repeat what was sent. They go by every signal of the
    application: a request that could not be read belongs to none.
    """

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Log the error as the library does, and answer with a sentence of our own."""
        super().handle_error(request, status, exc, message)
        text = _SENTENCES.get(status, _UNREADABLE)
        response = _Unsigned(status=status, text=text, headers=HARDENING)
        response.force_close()
        return response
