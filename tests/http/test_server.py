"""The server on loopback and on its UNIX socket."""

import asyncio
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.errors import ConfigError
from bot.http.server import HttpServer


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: the path of a UNIX socket has at most 103 bytes."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


async def _say_where(request: web.Request) -> web.Response:
    return web.Response(text=request.path)


_ROUTES = (
    RouteSpec(mount=Mount.WEB, method="GET", path="/page", handler=_say_where),
    RouteSpec(mount=Mount.WEB, method="POST", path="/page", handler=_say_where),
    RouteSpec(mount=Mount.CONTROL, method="GET", path="/secret", handler=_say_where),
)


@asynccontextmanager
async def served(
    *,
    control_path: Path | None = None,
    routes: Sequence[RouteSpec] = _ROUTES,
    host: str = "127.0.0.1",
) -> AsyncIterator[HttpServer]:
    server = HttpServer(host=host, port=0, control_path=control_path, routes=routes)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


async def status(url: str, *, method: str = "GET", **headers: str) -> int:
    async with (
        aiohttp.ClientSession(trust_env=False) as http,
        http.request(method, url, headers=headers) as response,
    ):
        return response.status


async def test_it_takes_a_free_port_and_says_which() -> None:
    async with served() as server:
        assert server.port > 0
        assert server.address == f"http://127.0.0.1:{server.port}"
        assert await status(f"{server.address}/page") == 200
        assert await status(f"{server.address}/healthz") == 200


async def test_it_serves_over_ipv6_too() -> None:
    async with served(host="::1") as server:
        assert server.address == f"http://[::1]:{server.port}"
        assert await status(f"{server.address}/page") == 200


async def test_a_port_in_use_is_named_with_what_to_do() -> None:
    async with served() as server:
        second = HttpServer(port=server.port, control_path=None, routes=())

        with pytest.raises(ConfigError, match=f"{server.port}.*another program.*--port"):
            await second.start()


async def test_a_second_start_after_a_failed_one_works() -> None:
    async with served() as server:
        second = HttpServer(port=server.port, control_path=None, routes=_ROUTES)
        with pytest.raises(ConfigError):
            await second.start()
    await second.start()
    assert await status(f"{second.address}/page") == 200
    await second.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])  # noqa: S104 - refused
async def test_it_refuses_to_be_reached_from_elsewhere(host: str) -> None:
    """O5: whoever reaches it is asked for a login, and still it stays on loopback."""
    server = HttpServer(host=host, port=0, control_path=None, routes=())

    with pytest.raises(ConfigError, match="ssh -L"):
        await server.start()


@pytest.mark.parametrize("host", ["evil.test", "evil.test:PORT", "127.0.0.1", "127.0.0.1:1", ""])
async def test_a_foreign_host_is_misdirected(host: str) -> None:
    """L2: this is how a rebound name shows."""
    async with served() as server:
        named = host.replace("PORT", str(server.port))

        assert await status(f"{server.address}/page", Host=named) in {400, 421}


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"])
async def test_its_own_names_are_served(host: str) -> None:
    async with served() as server:
        named = host.replace("PORT", str(server.port))

        assert await status(f"{server.address}/page", Host=named) == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_foreign_page_may_ask_nothing(method: str) -> None:
    """L1, L13: whatever else it carries."""
    async with served() as server:
        url = f"{server.address}/page"
        for origin in ("https://evil.test", "null", f"http://127.0.0.1:{server.port + 1}"):
            assert await status(url, method=method, Origin=origin) == 403
        assert await status(url, method=method, Origin=server.address) == 200


@pytest.mark.parametrize("query", ["?token=abc", "?gatewayUrl=ws://evil.test", "?", "?code=x"])
async def test_no_address_takes_a_query(query: str) -> None:
    """L5: a parameter that does not exist cannot be logged, leaked or obeyed."""
    async with served() as server:
        _, head = await raw(
            server.port, f"GET /page{query} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"
        )

        assert head.startswith("HTTP/1.1 400")


async def test_who_says_to_come_from_here_by_a_header_gets_nothing_for_it() -> None:
    """L12."""
    async with served() as server:
        url = f"{server.address}/page"

        assert await status(url, **{"X-Forwarded-For": "127.0.0.1", "Host": "evil.test"}) == 421
        assert await status(url, **{"X-Forwarded-For": "192.0.2.1"}) == 200


async def test_every_answer_tells_the_browser_to_load_guess_and_keep_nothing() -> None:
    async with served() as server, aiohttp.ClientSession(trust_env=False) as http:
        for path in ("/page", "/nowhere", "/page?x"):
            async with http.get(f"{server.address}{path}") as response:
                policy = response.headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'none'; script-src 'self'")
                assert "img-src 'self' data:" in policy
                assert "frame-ancestors 'none'" in policy
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                assert response.headers["Referrer-Policy"] == "no-referrer"
                assert response.headers["Cache-Control"] == "no-store"
                assert "Server" not in response.headers


async def raw(port: int, request: str) -> tuple[asyncio.StreamWriter, str]:
    """Send bytes as they are; return the connection and the head of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.replace("PORT", str(port)).encode())
    await writer.drain()
    async with asyncio.timeout(10):
        head = await reader.readuntil(b"\r\n")
    writer.close()
    return writer, head.decode()


async def test_slow_headers_are_cut_off_after_five_seconds() -> None:
    """L8."""
    async with served() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /page HTTP/1.1\r\nHost:")
        started = asyncio.get_running_loop().time()

        async with asyncio.timeout(8):
            assert await reader.read() == b""

        assert asyncio.get_running_loop().time() - started < 7
        writer.close()


async def test_of_500_idle_connections_32_stay_and_a_visitor_gets_in() -> None:
    """L8."""
    async with served() as server:
        crowd = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(500)]

        assert await status(f"{server.address}/page") == 200

        async def ended(reader: asyncio.StreamReader) -> bool:
            try:
                return await asyncio.wait_for(reader.read(), 0.5) == b""
            except TimeoutError:
                return False

        gone = await asyncio.gather(*(ended(reader) for reader, _ in crowd))
        assert sum(gone) >= 500 - 32
        assert not any(gone[-10:])
        for _, writer in crowd:
            writer.close()


@pytest.mark.parametrize(("path", "stay"), [("/anybody", 32), ("/known", 100)])
async def test_whose_body_does_not_come_is_idle_where_anybody_may_ask_and_busy_where_not(
    path: str, stay: int
) -> None:
    entered: list[web.Request] = []

    async def read(request: web.Request) -> web.Response:
        entered.append(request)
        try:
            return web.Response(body=await request.content.readexactly(9))
        except ConnectionError:
            return web.Response()

    routes = [
        *_ROUTES,
        RouteSpec(mount=Mount.WEB, method="POST", path="/known", handler=read),
        RouteSpec(
            mount=Mount.WEB, method="POST", path="/anybody", handler=read, reads_from_anybody=True
        ),
    ]
    async with served(routes=routes) as server:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 9\r\n\r\n"
        crowd = []
        for begun in range(1, 101):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(f"{head}half".encode())
            async with asyncio.timeout(10):
                while len(entered) < begun:  # noqa: ASYNC110 - a server rings no bell
                    await asyncio.sleep(0)
            crowd.append((reader, writer))

        assert await status(f"{server.address}/page") == 200
        answers = []
        for reader, writer in crowd:
            writer.write(b" body")
            async with asyncio.timeout(10):
                try:
                    answers.append(await reader.readline())
                except ConnectionError:
                    answers.append(b"")
            writer.close()

    served_well = [answer.startswith(b"HTTP/1.1 200") for answer in answers]
    assert sum(served_well) in {stay, stay - 1}  # the visitor was one
    assert served_well == sorted(served_well)  # the oldest went


_NO_HTTP = [
    pytest.param("sesame\r\n\r\n", id="no request line"),
    pytest.param("\x16\x03\x01 sesame\r\n\r\n", id="TLS"),
    pytest.param("GET /page HTTP/9.9\r\nX: sesame\r\n\r\n", id="another version"),
    pytest.param("GET /page HTTP/1.1\r\nsesame\r\n\r\n", id="no header"),
    pytest.param(f"GET /page HTTP/1.1\r\nX: sesame{'x' * 20_000}\r\n\r\n", id="a long header"),
    pytest.param(f"GET /sesame{'x' * 20_000} HTTP/1.1\r\n\r\n", id="a long path"),
    pytest.param("GET /page HTTP/1.1\r\n" + "X: sesame\r\n" * 200 + "\r\n", id="many headers"),
    pytest.param("POST /page HTTP/1.1\r\nContent-Length: sesame\r\n\r\n", id="no length"),
]


@pytest.mark.parametrize("sent", _NO_HTTP)
async def test_what_is_no_http_gets_a_sentence_that_repeats_nothing_and_names_no_library(
    sent: str,
) -> None:
    async with served() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(sent.encode())
        async with asyncio.timeout(10):
            answer = (await reader.read()).decode()
        writer.close()

    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.0 400")
    assert "nosniff" in head
    assert body == "This is no HTTP request that is taken here."
    for telling in ("server:", "aiohttp", "python", "sesame"):
        assert telling not in answer.lower()


@pytest.mark.parametrize(
    ("error", "found", "sentence"),
    [
        pytest.param(RuntimeError("sesame"), 500, "the bot's log says what", id="a fault"),
        pytest.param(TimeoutError("sesame"), 504, "try again", id="too long"),
    ],
)
async def test_a_route_that_fails_tells_nobody_outside_what_and_with_which_library(
    error: Exception, found: int, sentence: str
) -> None:
    async def fail(_: web.Request) -> web.Response:
        raise error

    routes = [RouteSpec(mount=Mount.WEB, method="GET", path="/page", handler=fail)]
    async with served(routes=routes) as server, aiohttp.ClientSession(trust_env=False) as http:
        for accepted in ("*/*", "text/html"):
            headers = {"Accept": accepted}
            async with http.get(f"{server.address}/page", headers=headers) as response:
                assert response.status == found
                assert "Server" not in response.headers
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                text = await response.text()
                assert sentence in text
                assert "sesame" not in text


async def test_the_control_socket_is_its_user_s_alone_and_has_its_own_routes(folder: Path) -> None:
    """O1."""
    path = folder / "control.sock"
    async with served(control_path=path) as server:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        connector = aiohttp.UnixConnector(path=str(path))
        async with aiohttp.ClientSession("http://bot", connector=connector) as http:
            async with http.get("/secret") as response:
                assert response.status == 200
            async with http.get("/page") as response:
                assert response.status == 404
        assert await status(f"{server.address}/secret") == 404
    assert not path.exists()


async def test_a_socket_that_a_dead_process_left_is_replaced(folder: Path) -> None:
    path = folder / "control.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()

    async with served(control_path=path):
        assert path.is_socket()


@pytest.mark.parametrize("kind", ["file", "link"])
async def test_what_is_no_socket_is_not_touched(folder: Path, kind: str) -> None:
    path, other = folder / "control.sock", folder / "other"
    other.write_text("precious")
    if kind == "file":
        path.write_text("precious")
    else:
        path.symlink_to(other)

    with pytest.raises(ConfigError, match="no room for a socket"):
        async with served(control_path=path):
            pass

    assert path.read_text() == "precious"


async def test_a_path_too_long_for_a_socket_is_said(folder: Path) -> None:
    with pytest.raises(ConfigError, match="too long for a socket"):
        async with served(control_path=folder / ("x" * 100)):
            pass


async def test_the_page_may_be_left_out(folder: Path) -> None:
    path = folder / "control.sock"
    server = HttpServer(port=None, control_path=path, routes=_ROUTES)
    await server.start()

    assert server.address == ""
    assert path.is_socket()
    await server.close()


async def test_closing_twice_and_before_the_start_is_fine(folder: Path) -> None:
    server = HttpServer(port=0, control_path=folder / "control.sock", routes=())
    await server.close()
    await server.start()
    await server.close()
    await server.close()
