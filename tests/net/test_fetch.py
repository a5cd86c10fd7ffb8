"""Every refusal has its twin: the same request, where the only difference is the permission."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.contracts.errors import ToolError
from bot.net import Page, Web, is_public

Allows = Callable[[IPv4Address | IPv6Address], bool]

SECRET = "canary"
REFUSED = "this address cannot be fetched: only what answers on the public Internet can"

PRETENDED = "127.0.0.2"
"""Loopback too, so that no test leaves the machine; here it stands for a public address."""


def pretend_public(address: IPv4Address | IPv6Address) -> bool:
    return str(address) == PRETENDED


def anything(address: IPv4Address | IPv6Address) -> bool:
    del address
    return True


@dataclass
class Names(AbstractResolver):
    """Resolves every name to the next of its answers, and to the last one from then on."""

    answers: Sequence[str]
    asked: list[str] = field(default_factory=list)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del family
        self.asked.append(host)
        address = self.answers[min(len(self.asked), len(self.answers)) - 1]
        kind = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=0)
        ]

    async def close(self) -> None:
        pass


@dataclass
class Site:
    """A server on several loopback addresses, one port, that remembers who reached it."""

    port: int = 0
    reached: list[str] = field(default_factory=list)
    onward: str = ""
    """Where ``/away`` sends its visitors."""

    async def secret(self, request: web.Request) -> web.Response:
        self.reached.append(request.path)
        return web.Response(text=SECRET)

    async def away(self, request: web.Request) -> web.Response:
        self.reached.append(request.path)
        return web.Response(status=302, headers={"Location": self.onward})

    async def large(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(6):
            await response.write(b"x" * 1024 * 1024)
        return response

    async def bomb(self, request: web.Request) -> web.Response:
        del request
        packed = gzip.compress(b"\0" * 50 * 1024 * 1024)
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    async def drip(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x")
            await asyncio.sleep(0.01)

    async def broken(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"x")
        assert request.transport is not None
        request.transport.abort()
        return response

    async def echo(self, request: web.Request) -> web.Response:
        return web.json_response(dict(request.headers), headers={"Set-Cookie": "a=b"})


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_get("/", site.secret)
    for name in ("secret", "away", "large", "bomb", "drip", "broken", "echo"):
        app.router.add_get(f"/{name}", getattr(site, name))
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    first = socket.create_server(("127.0.0.1", 0))
    site.port = first.getsockname()[1]
    second = socket.create_server((PRETENDED, site.port))
    third = socket.create_server(("::1", site.port), family=socket.AF_INET6)
    for listening in (first, second, third):
        await web.SockSite(runner, listening).start()
    yield site
    await runner.cleanup()


async def _fetch(
    url: str,
    *,
    allows: Allows = is_public,
    names: Sequence[str] = (),
    max_seconds: float = 10.0,
) -> Page:
    resolver = Names(answers=names) if names else None
    async with Web(allows=allows, resolver=resolver, max_seconds=max_seconds) as web_:
        return await web_.fetch(url)


LOOPBACK = [
    "127.0.0.1",
    "0.0.0.0",  # noqa: S104 - an address to be refused
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[::1]",
    "localhost",
    "0x7f000001",
    "0x7f.0.0.1",
]

NO_ADDRESS = ["127.1", "2130706433", "0177.0.0.1", "127.0.0.1."]
"""Spellings that the client library takes for no address at all, allowed or not."""


@pytest.mark.parametrize("host", [*LOOPBACK, *NO_ADDRESS])
async def test_no_spelling_of_loopback_is_reached(site: Site, host: str) -> None:
    with pytest.raises(ToolError, match=REFUSED):
        await _fetch(f"http://{host}:{site.port}/secret")

    assert site.reached == []


@pytest.mark.parametrize("host", LOOPBACK)
async def test_where_it_is_allowed_each_of_them_is(site: Site, host: str) -> None:
    page = await _fetch(f"http://{host}:{site.port}/secret", allows=anything)

    assert page.body == SECRET.encode()


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
        "http://[fd00::1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1%25lo]/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "http://100.64.0.1/",
        "http://no-such-name.invalid/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:70/",
        "ftp://127.0.0.1/",
        "data:text/plain,hello",
        "javascript:alert(1)",
        "//127.0.0.1/",
        "/etc/passwd",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999/",
        "",
    ],
)
async def test_every_refusal_says_the_same(address: str) -> None:
    with pytest.raises(ToolError, match=REFUSED):
        await _fetch(address, names=["169.254.169.254"])


async def test_a_name_in_the_address_is_refused_even_where_the_host_is_allowed(site: Site) -> None:
    for named in ("a@", "a:b@", ":b@", "public.test@"):
        with pytest.raises(ToolError, match=REFUSED):
            await _fetch(f"http://{named}127.0.0.1:{site.port}/secret", allows=anything)

    assert site.reached == []


async def test_a_name_that_leads_inside_is_refused(site: Site) -> None:
    url = f"http://innocent.test:{site.port}/secret"

    with pytest.raises(ToolError, match=REFUSED):
        await _fetch(url, allows=pretend_public, names=["127.0.0.1"])
    assert (await _fetch(url, allows=pretend_public, names=[PRETENDED])).body == SECRET.encode()


@pytest.mark.parametrize("inside", ["127.0.0.1", "localhost", "[::1]", "0x7f000001"])
async def test_a_public_page_cannot_send_us_inside(site: Site, inside: str) -> None:
    site.onward = f"http://{inside}:{site.port}/secret"
    url = f"http://{PRETENDED}:{site.port}/away"

    with pytest.raises(ToolError, match=REFUSED):
        await _fetch(url, allows=pretend_public)
    assert site.reached == ["/away"]

    assert (await _fetch(url, allows=anything)).body == SECRET.encode()


@pytest.mark.parametrize("onward", ["/secret", "secret", "//127.0.0.2:{port}/secret"])
async def test_a_redirect_to_a_public_place_is_followed(site: Site, onward: str) -> None:
    site.onward = onward.format(port=site.port)

    page = await _fetch(f"http://{PRETENDED}:{site.port}/away", allows=pretend_public)

    assert page == Page(
        url=f"http://{PRETENDED}:{site.port}/secret",
        status=200,
        content_type="text/plain",
        body=SECRET.encode(),
    )


@pytest.mark.parametrize("onward", ["file:///etc/passwd", "gopher://x/", "http://a@{host}/secret"])
async def test_a_redirect_to_another_kind_of_address_is_refused(site: Site, onward: str) -> None:
    site.onward = onward.format(host=f"{PRETENDED}:{site.port}")

    with pytest.raises(ToolError, match=REFUSED):
        await _fetch(f"http://{PRETENDED}:{site.port}/away", allows=pretend_public)


async def test_redirects_in_a_circle_end(site: Site) -> None:
    site.onward = "/away"

    with pytest.raises(ToolError, match="redirects more than 5 times"):
        await _fetch(f"http://{PRETENDED}:{site.port}/away", allows=pretend_public)

    assert len(site.reached) == 6


async def test_a_name_that_is_public_first_and_private_then_is_refused(site: Site) -> None:
    """DNS rebinding: the second connection of one fetch gets another answer."""
    site.onward = f"http://rebind.test:{site.port}/secret"
    url = f"http://rebind.test:{site.port}/away"

    with pytest.raises(ToolError, match=REFUSED):
        await _fetch(url, allows=pretend_public, names=[PRETENDED, "127.0.0.1"])
    assert site.reached == ["/away"]

    page = await _fetch(url, allows=pretend_public, names=[PRETENDED, PRETENDED])
    assert page.body == SECRET.encode()


async def test_a_client_that_lives_on_asks_again_each_time(site: Site) -> None:
    names = Names(answers=[PRETENDED, "127.0.0.1"])
    url = f"http://rebind.test:{site.port}/secret"

    async with Web(allows=pretend_public, resolver=names) as client:
        assert (await client.fetch(url)).body == SECRET.encode()
        with pytest.raises(ToolError, match=REFUSED):
            await client.fetch(url)


@pytest.mark.parametrize("path", ["large", "bomb"])
async def test_too_large_a_page_is_refused_packed_or_not(site: Site, path: str) -> None:
    with pytest.raises(ToolError, match="more than 5,242,880 bytes"):
        await _fetch(f"http://127.0.0.1:{site.port}/{path}", allows=anything)


async def test_a_page_that_never_ends_is_given_up(site: Site) -> None:
    with pytest.raises(ToolError, match=r"longer than 0\.2 seconds"):
        await _fetch(f"http://127.0.0.1:{site.port}/drip", allows=anything, max_seconds=0.2)


async def test_a_page_that_breaks_off_is_one_sentence(site: Site) -> None:
    with pytest.raises(ToolError, match="did not arrive"):
        await _fetch(f"http://127.0.0.1:{site.port}/broken", allows=anything)


async def test_what_is_no_http_is_one_sentence() -> None:
    async def mumble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n")
        writer.close()

    server = await asyncio.start_server(mumble, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ToolError, match="did not arrive"):
            await _fetch(f"http://127.0.0.1:{port}/", allows=anything)


async def test_a_missing_page_is_an_answer_too(site: Site) -> None:
    assert (await _fetch(f"http://127.0.0.1:{site.port}/none", allows=anything)).status == 404


async def test_no_cookie_is_kept(site: Site) -> None:
    async with Web(allows=anything, resolver=Names(answers=["127.0.0.1"])) as client:
        url = f"http://crumbs.test:{site.port}/echo"
        await client.fetch(url)
        assert b"Cookie" not in (await client.fetch(url)).body


async def test_the_part_behind_the_hash_stays_here(site: Site) -> None:
    page = await _fetch(f"http://127.0.0.1:{site.port}/secret#mine", allows=anything)

    assert page.url.endswith("/secret")
