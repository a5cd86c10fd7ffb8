"""Somebody with a browser, who asks the page's addresses as the page does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.channels.webchat.house import House, browser

HEADER = {"X-Stonechat": "1"}


class Visitor:
    """Somebody with a browser."""

    def __init__(self, house: House, http: aiohttp.ClientSession) -> None:
        self._house = house
        self._http = http

    async def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, Any]:
        """Send a request as the page does; return the status and the JSON or the sentence."""
        sent = {"Origin": self._house.url, **(headers or HEADER)}
        url = f"{self._house.url}{path}"
        async with self._http.request(method, url, json=body, headers=sent) as response:
            told = response.content_type == "application/json"
            return response.status, await (response.json() if told else response.text())


@asynccontextmanager
async def a_visitor(house: House) -> AsyncIterator[Visitor]:
    async with browser() as http:
        await house.log_in(http)
        yield Visitor(house, http)
