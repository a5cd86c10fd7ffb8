"""One request to an API that somebody named: no redirect, no proxy for this machine, a size."""

import asyncio
from typing import Self

import pytest
from aiohttp import web

from bot.net.api import Trouble, Unanswered, ask, is_loopback


class Server:
    """``async with Server(answer)``: then `url`, and the headers of what came."""

    def __init__(self, *answers: web.StreamResponse, stalls: bool = False) -> None:
        self._answers = list(answers)
        self._stalls = stalls
        self.came: list[web.Request] = []
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/x"
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.came.append(request)
        await request.read()
        if self._stalls:
            await asyncio.Event().wait()
        return self._answers.pop(0)


async def test_json_goes_out_and_comes_back() -> None:
    async with Server(web.json_response({"a": 1}), web.json_response([2], status=403)) as server:
        got = await ask(server.url, headers={"X-Key": "k"})
        posted = await ask(server.url, body={"b": 2})

        assert (got.status, got.fields) == (200, {"a": 1})
        assert (posted.status, posted.body, posted.fields) == (403, [2], {})
        assert [each.method for each in server.came] == ["GET", "POST"]
        assert server.came[0].headers["X-Key"] == "k"
        assert await server.came[1].json() == {"b": 2}


async def test_what_is_no_json_is_nothing() -> None:
    deep = web.Response(text="[" * 100_000)
    async with Server(web.Response(text="<html>"), deep) as server:
        assert (await ask(server.url)).body is None
        assert (await ask(server.url)).body is None


async def test_a_redirect_is_an_answer_and_not_followed() -> None:
    async with Server(web.json_response({})) as other:
        away = web.Response(status=307, headers={"location": other.url})
        async with Server(away) as server:
            assert (await ask(server.url)).status == 307
        assert other.came == []


async def test_a_large_answer_is_not_read_to_its_end() -> None:
    async with Server(web.Response(body=b" " * (5 * 2**20))) as server:
        with pytest.raises(Unanswered) as caught:
            await ask(server.url)

    assert caught.value.trouble is Trouble.LARGE


async def test_silence_is_not_waited_out() -> None:
    async with Server(stalls=True) as server:
        with pytest.raises(Unanswered) as caught:
            await ask(server.url, seconds=0.1)

    assert caught.value.trouble is Trouble.SLOW


@pytest.mark.parametrize(
    ("url", "trouble"),
    [
        ("http://127.0.0.1:1/", Trouble.REFUSED),
        ("http://nobody.localhost.invalid/", Trouble.NAME),
    ],
)
async def test_why_nobody_answered_is_told(url: str, trouble: Trouble) -> None:
    with pytest.raises(Unanswered) as caught:
        await ask(url)

    assert caught.value.trouble is trouble


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:1", True),
        ("http://localhost:1234/v1", True),
        ("http://api.localhost", True),
        ("http://localhost.example", False),
        ("http://192.168.1.2", False),
        ("https://api.openai.com", False),
        ("nonsense", False),
    ],
)
def test_what_leads_to_this_machine(url: str, here: bool) -> None:
    assert is_loopback(url) is here
