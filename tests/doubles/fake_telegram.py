"""Telegram's Bot API on loopback, as far as it says whose a token is.

The rules are those of https://core.telegram.org/bots/api#making-requests and ``#getme``.
"""

from typing import Self

from aiohttp import web


class FakeTelegram:
    """``async with FakeTelegram() as server``: then `server.address`; `server.token` is good."""

    token = "123456789:AAFakeTokenOfTheDouble-0123456789_abc"

    def __init__(self, answer: web.Response | None = None) -> None:
        self._answer = answer
        self._runner: web.AppRunner | None = None
        self.address = ""
        self.asked: list[str] = []

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_exc: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        self.asked.append(f"{request.method} {request.path}")
        if self._answer is not None:
            return self._answer
        if not request.path.startswith("/bot"):
            return _refused(404, "Not Found")
        token, _, method = request.path.removeprefix("/bot").partition("/")
        if ":" not in token or method.lower() != "getme":
            return _refused(404, "Not Found")
        if token != self.token:
            return _refused(401, "Unauthorized")
        bot = {
            "id": 123456789,
            "is_bot": True,
            "first_name": "Example",
            "username": "example_bot",
            "can_join_groups": True,
        }
        return web.json_response({"ok": True, "result": bot})


def _refused(status: int, why: str) -> web.Response:
    body = {"ok": False, "error_code": status, "description": why}
    return web.json_response(body, status=status)
