"""A reverse proxy on the wire: what nginx and Caddy do to a request, and to a WebSocket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

_HOP_BY_HOP: Final = {
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "proxy-authorization",
    "content-length",
}
"""What speaks of one connection only (https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1)."""


class ReverseProxy:
    """Passes everything on to *upstream* and says for whom, as its settings are."""

    def __init__(self, upstream: str, *, scheme: str, forwards: bool) -> None:
        self._upstream = URL(upstream)
        self._scheme = scheme
        self._forwards = forwards
        self._http: aiohttp.ClientSession
        self.port = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["ReverseProxy"]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._pass_on)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        jar = aiohttp.DummyCookieJar()
        async with aiohttp.ClientSession(
            trust_env=False, cookie_jar=jar, auto_decompress=False
        ) as self._http:
            await site.start()
            self.port = runner.addresses[0][1]
            try:
                yield self
            finally:
                await runner.cleanup()

    def _headers(self, request: web.Request) -> CIMultiDict[str]:
        headers = CIMultiDict(
            (name, value)
            for name, value in request.headers.items()
            if name.lower() not in _HOP_BY_HOP and not name.lower().startswith("sec-websocket-")
        )
        if self._forwards:
            before = headers.popall("X-Forwarded-For", [])
            headers["X-Forwarded-For"] = ", ".join([*before, request.remote or ""])
            headers["X-Forwarded-Proto"] = self._scheme
            headers["X-Forwarded-Host"] = request.host
        return headers

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        target = self._upstream.with_path(request.raw_path, encoded=True)
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._upgrade(request, target)
        body = await request.read()
        async with self._http.request(
            request.method,
            target,
            headers=self._headers(request),
            data=body or None,
            allow_redirects=False,
        ) as answer:
            headers = [(n, v) for n, v in answer.headers.items() if n.lower() not in _HOP_BY_HOP]
            return web.Response(
                status=answer.status, body=await answer.read(), headers=CIMultiDict(headers)
            )

    async def _upgrade(self, request: web.Request, target: URL) -> web.StreamResponse:
        try:
            inner = await self._http.ws_connect(target, headers=self._headers(request))
        except aiohttp.WSServerHandshakeError as refused:
            return web.Response(status=refused.status)
        outer = web.WebSocketResponse()
        await outer.prepare(request)

        async def carry(
            source: web.WebSocketResponse | aiohttp.ClientWebSocketResponse,
            to: web.WebSocketResponse | aiohttp.ClientWebSocketResponse,
        ) -> None:
            async for message in source:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await to.send_str(message.data)
            await to.close(code=source.close_code or aiohttp.WSCloseCode.OK)

        both = [asyncio.create_task(carry(outer, inner)), asyncio.create_task(carry(inner, outer))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            await inner.close()
        return outer


@asynccontextmanager
async def a_reverse_proxy(
    upstream: str, *, scheme: str = "https", forwards: bool = True
) -> AsyncIterator[ReverseProxy]:
    """Stand before *upstream*; visitors came to it over *scheme*, as far as it says."""
    async with ReverseProxy(upstream, scheme=scheme, forwards=forwards).serving() as proxy:
        yield proxy
