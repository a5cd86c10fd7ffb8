"""The names under which it is served, with and without a proxy in front of it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.http.refusals import Refusals, kind_of
from bot.http.server import HttpServer

PUBLIC = "https://chat.example.org"
TRUSTED = ("127.0.0.1",)


async def _say_what_came(request: web.Request) -> web.Response:
    return web.Response(text=f"{request.scheme} {request.host} {request.remote}")


async def _refuse(request: web.Request) -> web.Response:
    return web.Response(status=int(request.match_info["status"]))


_ROUTES = (
    RouteSpec(mount=Mount.WEB, method="GET", path="/page", handler=_say_what_came),
    RouteSpec(mount=Mount.WEB, method="POST", path="/page", handler=_say_what_came),
    RouteSpec(mount=Mount.WEB, method="POST", path="/refuse/{status}", handler=_refuse),
)


@asynccontextmanager
async def served(
    *, public_url: str | None = PUBLIC, trusted: Sequence[str] = (), host: str = "127.0.0.1"
) -> AsyncIterator[HttpServer]:
    server = HttpServer(
        host=host,
        port=0,
        control_path=None,
        routes=_ROUTES,
        public_url=public_url,
        trusted_proxies=trusted,
    )
    await server.start()
    try:
        yield server
    finally:
        await server.close()


async def ask(
    server: HttpServer, path: str = "/page", *, method: str = "GET", **headers: str
) -> tuple[int, str, aiohttp.ClientResponse]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    url = f"http://127.0.0.1:{server.port}{path}"
    async with (
        aiohttp.ClientSession(trust_env=False) as http,
        http.request(method, url, headers=sent, allow_redirects=False) as answer,
    ):
        return answer.status, await answer.text(), answer


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("chat.example.org", 200),
        ("CHAT.example.ORG", 200),
        ("chat.example.org:443", 200),
        ("127.0.0.1:PORT", 200),
        ("localhost:PORT", 200),
        ("[::1]:PORT", 200),
        ("chat.example.org:PORT", 421),
        ("chat.example.org:80", 421),
        ("chat.example.org.", 421),
        ("chat.example.org.evil.test", 421),
        ("evil.test", 421),
        ("example.org", 421),
        ("a.chat.example.org", 421),
        ("localhost:443", 421),
        ("192.0.2.7:PORT", 421),
        ("0.0.0.0:PORT", 421),
    ],
)
@pytest.mark.parametrize("listening", ["127.0.0.1", "0.0.0.0"])  # noqa: S104 - with a public name
async def test_only_its_public_name_and_this_machine_s_are_served(
    listening: str, host: str, status: int
) -> None:
    """L2, O5: the same from wherever it can be reached."""
    async with served(host=listening) as server:
        assert (await ask(server, Host=host.replace("PORT", str(server.port))))[0] == status


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("chat.example.org", "https://chat.example.org", 200),
        ("chat.example.org:443", "https://chat.example.org", 200),
        ("chat.example.org", "http://chat.example.org", 403),
        ("chat.example.org", "https://chat.example.org:8443", 403),
        ("chat.example.org", "https://evil.test", 403),
        ("chat.example.org", "null", 403),
        ("chat.example.org", "", 403),
        ("chat.example.org", "http://127.0.0.1:PORT", 403),
        ("127.0.0.1:PORT", "https://chat.example.org", 403),
        ("127.0.0.1:PORT", "http://127.0.0.1:PORT", 200),
        ("localhost:PORT", "http://127.0.0.1:PORT", 403),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_only_its_own_page_may_ask(method: str, host: str, origin: str, status: int) -> None:
    """L1, L13."""
    async with served() as server:
        port = str(server.port)
        headers = {"Host": host.replace("PORT", port), "Origin": origin.replace("PORT", port)}
        assert (await ask(server, method=method, **headers))[0] == status


async def test_what_passes_carries_what_the_visitor_used() -> None:
    async with served(trusted=TRUSTED) as server:
        assert (await ask(server, Host="chat.example.org", X_Forwarded_For="192.0.2.1"))[1] == (
            "https chat.example.org 192.0.2.1"
        )
        here = f"127.0.0.1:{server.port}"
        assert (await ask(server))[1] == f"http {here} 127.0.0.1"


@pytest.mark.parametrize("trusted", [(), ("192.0.2.0/24", "10.0.0.1")])
async def test_who_is_not_listed_is_believed_nothing(trusted: Sequence[str]) -> None:
    """L12: not even this machine."""
    said = {"X_Forwarded_For": "192.0.2.1", "X_Forwarded_Proto": "http"}
    async with served(trusted=trusted) as server:
        status, text, _ = await ask(server, Host="chat.example.org", **said)
        assert (status, text) == (200, "https chat.example.org 127.0.0.1")
        assert (await ask(server, Host="evil.test", X_Forwarded_Host="chat.example.org"))[0] == 421
        forwarded = "for=192.0.2.1;host=chat.example.org"
        assert (await ask(server, Host="evil.test", Forwarded=forwarded))[0] == 421


@pytest.mark.parametrize("name", ["localhost:PORT", "127.0.0.1:PORT", "evil.test", ""])
async def test_a_trusted_proxy_names_no_other_host_than_the_public_one(name: str) -> None:
    async with served(trusted=TRUSTED) as server:
        named = name.replace("PORT", str(server.port))
        status, _, _ = await ask(server, Host="evil.test", X_Forwarded_Host=named)
        assert status == 421
        assert (await ask(server, Host="upstream", X_Forwarded_Host="chat.example.org"))[0] == 200


async def test_without_a_public_name_no_other_than_this_machine_s_is_served() -> None:
    async with served(public_url=None, trusted=TRUSTED) as server:
        assert (await ask(server, Host="chat.example.org"))[0] == 421
        assert (await ask(server, X_Forwarded_Host="chat.example.org"))[0] == 421
        assert (await ask(server))[0] == 200


async def test_who_came_to_the_proxy_in_plain_http_is_sent_on() -> None:
    said = {"Host": "chat.example.org", "X_Forwarded_Proto": "http"}
    async with served(trusted=TRUSTED) as server:
        status, _, answer = await ask(server, "/c/x", **said)
        assert (status, answer.headers["Location"]) == (308, "https://chat.example.org/c/x")
        _, _, answer = await ask(server, "//evil.test/%2e", **said)
        assert answer.headers["Location"].startswith("https://chat.example.org/")
        assert (await ask(server, method="POST", **said))[0] == 421
        said["X_Forwarded_Proto"] = "https"
        assert (await ask(server, **said))[0] == 200


async def test_who_came_in_encrypted_is_told_to_stay_so() -> None:
    async with served() as server:
        for path in ("/page", "/nowhere"):
            _, _, answer = await ask(server, path, Host="chat.example.org")
            assert answer.headers["Strict-Transport-Security"] == "max-age=15552000"
        _, _, answer = await ask(server)
        assert "Strict-Transport-Security" not in answer.headers
        _, _, answer = await ask(server, Host="evil.test")
        assert "Strict-Transport-Security" not in answer.headers
    async with served(public_url="http://localhost:8080") as server:
        status, text, answer = await ask(server, Host="localhost:8080")
        assert (status, text.split()[0]) == (200, "http")
        assert "Strict-Transport-Security" not in answer.headers


async def test_links_name_the_public_address_and_it_listens_where_it_was_told() -> None:
    async with served() as server:
        assert server.address == PUBLIC
        assert server.listens_at == f"http://127.0.0.1:{server.port}"


async def test_what_is_refused_is_counted_by_kind_and_told_without_what_was_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with served(trusted=TRUSTED) as server:
        for number in range(5):
            await ask(server, Host=f"canary{number}.test", X_Forwarded_For="192.0.2.1")
        await ask(server, Origin="https://canary.test")
        await ask(server, "/page?canary=1")
        for status in (401, 403, 429):
            await ask(server, f"/refuse/{status}", method="POST")
        await ask(server)

        assert server.refusals.counts == {
            "another host": 5,
            "another page": 1,
            "a query": 1,
            "wrong link": 1,
            "forbidden": 1,
            "locked out": 1,
        }
    assert [record.getMessage() for record in caplog.records][:2] == [
        "refused at the door: another host; 1 since this was last said, the latest from 192.0.2.1",
        "refused at the door: another page; 1 since this was last said, the latest from 127.0.0.1",
    ]
    assert "canary" not in caplog.text
    assert len(caplog.records) == 6


def test_each_kind_is_told_at_most_once_a_minute_with_how_often_it_was(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    refusals = Refusals()
    for second in range(130):
        refusals.note("another host", client="192.0.2.1", now=float(second))

    assert [record.args for record in caplog.records] == [
        ("another host", 1, "192.0.2.1"),
        ("another host", 60, "192.0.2.1"),
        ("another host", 60, "192.0.2.1"),
    ]


def test_that_a_page_is_looked_at_without_a_login_is_not_of_note() -> None:
    assert kind_of("GET", 401) is None
    assert kind_of("GET", 200) is None
    assert kind_of("POST", 401) == "wrong link"


@pytest.mark.parametrize(
    "host",
    [
        b"localhost:\xc2\xb2",
        b"localhost:\xd9\xa3",
        b"localhost:" + b"9" * 5_000,
        b"localhost:0PORT",
        b"localhost:PORT:PORT",
        b"localhost:",
        b"[::1",
        b"[",
        b":PORT",
        b"\xff:PORT",
    ],
)
async def test_a_host_that_is_none_is_refused_like_any_other(host: bytes) -> None:
    """L2: no number that only looks like one is an error of the bot's."""
    async with served() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        named = host.replace(b"PORT", str(server.port).encode())

        writer.write(b"GET /page HTTP/1.1\r\nHost: " + named + b"\r\n\r\n")

        async with asyncio.timeout(5):
            assert b" 421 " in await reader.readline()
        writer.close()


@pytest.mark.parametrize(
    "unreadable",
    [
        b"Cookie: stonechat_7870=the-login; other=" + b"x" * 9_000,
        b"Cookie: stonechat_7870=the-login; other=\0",
        b"Cookie: stonechat_7870=the-login\x01",
        b"\r\n".join([b"Cookie: stonechat_7870=the-login"] * 80),
        b"the-login",
    ],
)
async def test_a_request_that_cannot_be_read_is_counted_and_not_repeated(
    unreadable: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """O2: all ports of a host share their cookies, so that others may make the line too long."""
    caplog.set_level(logging.DEBUG)
    async with served() as server:
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET /page HTTP/1.1\r\nHost: a\r\n" + unreadable + b"\r\n\r\n")
            async with asyncio.timeout(5):
                assert b" 400 " in await reader.readline()
            writer.close()

        assert server.refusals.counts["no HTTP"] == 3
    assert "the-login" not in caplog.text
    assert "Traceback" not in caplog.text
    assert caplog.text.count("no HTTP") == 1


async def test_an_error_of_our_own_is_still_told(caplog: pytest.LogCaptureFixture) -> None:
    async with served() as server:
        assert (await ask(server, "/refuse/nonsense", method="POST"))[0] == 500

    assert "invalid literal" in caplog.text
