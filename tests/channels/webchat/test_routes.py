"""Who gets in: the attack rows of the page, each with its allowed twin."""

import asyncio
import json
from datetime import timedelta
from http.cookies import Morsel
from typing import Any

import aiohttp
import pytest

from bot.contracts.channel import Mount
from tests.channels.webchat.house import Client, House, a_house, browser

_JSON = "application/json"


async def log_in(
    house: House,
    http: aiohttp.ClientSession,
    code: object,
    *,
    content_type: str = _JSON,
    header: bool = True,
    origin: str | None = "",
) -> aiohttp.ClientResponse:
    """Send a code as the page would, or as it would not."""
    headers = {"Content-Type": content_type}
    if header:
        headers["X-Stonechat"] = "1"
    if origin is not None:
        headers["Origin"] = origin or house.url
    body = code if isinstance(code, str) and code.startswith("raw:") else json.dumps({"code": code})
    data = body.removeprefix("raw:").encode()
    async with http.post(f"{house.url}/auth", data=data, headers=headers) as response:
        await response.read()
        return response


async def socket_status(house: House, http: aiohttp.ClientSession, **headers: str) -> int:
    """Try to open the page's socket; 101 if it opens."""
    try:
        async with http.ws_connect(f"{house.url}/ws", headers=headers):
            return 101
    except aiohttp.WSServerHandshakeError as refused:
        return refused.status


async def test_a_link_signs_a_browser_in_once() -> None:
    async with a_house() as house, browser() as http, browser() as another:
        code = await house.code()

        assert (await log_in(house, http, code)).status == 204
        assert (await socket_status(house, http, Origin=house.url)) == 101

        second = await log_in(house, another, code)
        assert second.status == 401
        assert (await second.text()) == (
            "This link was used or is older than ten minutes (an invitation: a day). "
            "Run `script/run open` for a new one, or ask whoever invited you."
        )
        assert (await socket_status(house, another, Origin=house.url)) == 401


async def test_a_link_older_than_ten_minutes_is_over() -> None:
    async with a_house() as house, browser() as http:
        code = await house.code()
        house.clock.ahead = timedelta(minutes=10)

        assert (await log_in(house, http, code)).status == 401


async def test_the_link_names_the_page_and_keeps_its_code_in_the_fragment() -> None:
    async with a_house() as house:
        link = await house.channel.new_link()

        assert link.startswith(f"{house.url}/#code=")
        assert len(link.partition("#code=")[2]) >= 32


async def test_no_script_can_read_the_cookie_and_no_other_page_can_use_it() -> None:
    async with a_house() as house, browser() as http:
        response = await log_in(house, http, await house.code())

        morsel: Morsel[str] = response.cookies[f"stonechat_{house.server.port}"]
        assert morsel["httponly"]
        assert morsel["samesite"] == "Strict"
        assert len(morsel.value) >= 43


async def test_a_foreign_page_with_a_valid_login_opens_no_socket() -> None:
    """L1."""
    async with a_house() as house, browser() as http:
        await house.log_in(http)

        assert await socket_status(house, http, Origin="https://evil.test") == 403
        assert await socket_status(house, http) == 403
        assert await socket_status(house, http, Origin=house.url) == 101


async def test_a_rebound_name_reaches_nothing_even_with_a_valid_login() -> None:
    """L2."""
    async with a_house() as house, browser() as http:
        await house.log_in(http)
        evil = f"evil.test:{house.server.port}"

        assert await socket_status(house, http, Host=evil, Origin=f"http://{evil}") == 421


async def test_to_come_from_this_machine_is_no_login() -> None:
    """L3, L7."""
    async with a_house() as house, browser() as http:
        assert await socket_status(house, http) == 401
        assert await socket_status(house, http, Origin=house.url) == 401
        async with http.get(f"{house.url}/login") as response:
            assert response.status == 401
            assert "script/run open" in await response.text()
        for path in ("/open", "/status", "/config/apply"):
            async with http.post(f"{house.url}{path}", json={}) as response:
                assert response.status == 404

        await house.log_in(http)
        async with http.get(f"{house.url}/login") as response:
            assert response.status == 204


async def test_a_thousand_guesses_lock_the_door_for_everybody_without_a_login() -> None:
    """L4: all are counted together, whatever they bring along."""
    async with a_house() as house, browser() as owner, browser() as http:
        await house.log_in(owner)
        statuses = []
        for number in range(1_000):
            http.cookie_jar.clear()
            if number % 3 == 0:
                http.cookie_jar.update_cookies({f"stonechat_{house.server.port}": "bogus"})
                statuses.append(await socket_status(house, http, Origin=house.url))
            else:
                statuses.append((await log_in(house, http, f"guess-{number}")).status)

        assert statuses == [401] * 10 + [429] * 990
        locked = await log_in(house, http, await house.code())
        assert locked.status == 429
        assert 0 < int(locked.headers["Retry-After"]) <= 61

        assert await socket_status(house, owner, Origin=house.url) == 101
        house.clock.ahead = timedelta(seconds=61)
        assert (await log_in(house, http, await house.code())).status == 204


async def test_a_client_gets_no_more_by_declaring_it() -> None:
    """L6: there are no scopes to ask for; what is not of the protocol is refused."""
    async with a_house() as house, browser() as http:
        await house.log_in(http)
        async with http.ws_connect(f"{house.url}/ws", headers={"Origin": house.url}) as socket:
            client = Client(socket)
            await client.send({"type": "hello", "protocol": 1, "scopes": ["admin"]})
            assert "too many" in (await client.next())["reason"]

            await client.send({"type": "hello", "protocol": 1})
            await client.until("open")


@pytest.mark.parametrize(
    ("how", "status"),
    [
        pytest.param({"content_type": "text/plain"}, 403, id="a form's plain text"),
        pytest.param(
            {"content_type": "application/x-www-form-urlencoded"}, 403, id="a form's fields"
        ),
        pytest.param({"header": False}, 403, id="without the header"),
        pytest.param({"origin": "https://evil.test"}, 403, id="from a foreign page"),
        pytest.param({"origin": "null"}, 403, id="from a sandboxed frame"),
    ],
)
async def test_a_foreign_form_uses_up_no_link(how: dict[str, Any], status: int) -> None:
    """L13."""
    async with a_house() as house, browser() as http:
        code = await house.code()

        assert (await log_in(house, http, code, **how)).status == status

        assert (await log_in(house, http, code)).status == 204


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded"])
async def test_a_foreign_page_with_the_owner_s_cookie_gets_nothing_from_any_address(
    content_type: str,
) -> None:
    """L13: what a form and ``fetch(no-cors)`` can send, to every address there is."""
    async with a_house() as house, browser() as http:
        await house.log_in(http)
        addresses = [route for route in house.channel.routes() if route.mount is Mount.WEB]
        for route in addresses:
            for method in {"GET", "POST", route.method}:
                headers = {"Origin": "https://evil.test", "Content-Type": content_type}
                url = f"{house.url}{route.path}"
                async with http.request(method, url, headers=headers, data=b"x=1") as response:
                    assert response.status in {403, 405}, (method, route.path)
        assert house.gateway.heard == []

        async with http.get(f"{house.url}/login", headers={"Origin": house.url}) as response:
            assert response.status == 204


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("raw:", id="nothing"),
        pytest.param("raw:{", id="half an object"),
        pytest.param("raw:[]", id="a list"),
        pytest.param("raw:" + "[" * 3_000, id="a tower"),
        pytest.param("raw:\ud800".encode("utf-8", "replace").decode(), id="no JSON"),
        pytest.param("raw:" + json.dumps({"code": "x" * 10_000}), id="longer than any code"),
        pytest.param(3, id="a number"),
        pytest.param(None, id="null"),
    ],
)
async def test_what_is_no_login_gets_one_sentence(code: object) -> None:
    async with a_house() as house, browser() as http:
        response = await log_in(house, http, code)

        assert response.status == 400
        assert (await response.text()) == "A login is a JSON object with a code."


async def test_half_a_character_in_a_code_is_a_wrong_code() -> None:
    async with a_house() as house, browser() as http:
        assert (await log_in(house, http, 'raw:{"code": "\\ud800"}')).status == 401


async def test_a_hundred_megabytes_of_login_are_refused_by_their_header_and_never_read() -> None:
    """L9, for the one address that takes a body."""
    async with a_house() as house, browser() as http:

        async def flood() -> Any:  # noqa: ANN401 - an async generator of bytes
            for _ in range(100):
                yield b"x" * 1024 * 1024

        try:
            async with http.post(
                f"{house.url}/auth", data=flood(), headers={"Origin": "https://evil.test"}
            ) as response:
                assert response.status == 403
        except aiohttp.ClientError:
            pass  # the connection was closed while we were still talking

        assert await socket_status(house, http) == 401


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("Origin: https://evil.test\r\nX-Stonechat: 1\r\n", id="a foreign page"),
        pytest.param("", id="without the header of the page"),
    ],
)
async def test_a_login_is_refused_before_a_byte_of_its_body_was_sent(head: str) -> None:
    """L9: a hundred megabytes are announced, and none is waited for."""
    async with a_house() as house:
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        writer.write(
            f"POST /auth HTTP/1.1\r\nHost: 127.0.0.1:{house.server.port}\r\n{head}"
            "Content-Type: application/json\r\nContent-Length: 104857600\r\n\r\n".encode()
        )
        async with asyncio.timeout(3):
            assert (await reader.readline()).startswith(b"HTTP/1.1 403")
        writer.close()


async def test_a_store_that_cannot_be_read_lets_nobody_in_and_says_so() -> None:
    async with a_house() as house, browser() as http, browser() as another:
        await house.log_in(http)
        code = await house.code()
        house.records.broken = True

        assert await socket_status(house, http, Origin=house.url) == 503
        assert (await log_in(house, another, code)).status == 503

        house.records.broken = False
        assert await socket_status(house, http, Origin=house.url) == 101
        assert (await log_in(house, another, code)).status == 204


async def test_the_page_s_files_are_served_without_a_login_and_hold_no_secret() -> None:
    async with a_house() as house, browser() as http:
        async with http.get(house.url) as response:
            page = await response.text()
            assert response.content_type == "text/html"
        assert "<script>" not in page
        assert "style=" not in page
        for name, kind in (("app.js", "text/javascript"), ("style.css", "text/css")):
            async with http.get(f"{house.url}/static/{name}") as response:
                assert response.status == 200
                assert response.content_type == kind
        for path in ("/static/", "/static/../adapter.py", "/static/%2e%2e/auth.py", "/static/x.js"):
            async with http.get(f"{house.url}{path}") as response:
                assert response.status == 404


async def test_without_an_upgrade_the_socket_says_what_it_is() -> None:
    async with a_house() as house, browser() as http:
        await house.log_in(http)

        async with http.get(f"{house.url}/ws", headers={"Origin": house.url}) as response:
            assert response.status == 426


async def test_over_the_control_socket_no_login_is_needed_and_a_link_is_made() -> None:
    connector: aiohttp.UnixConnector
    async with a_house(problem="A key is wrong.") as house:
        connector = aiohttp.UnixConnector(path=str(house.control_path))
        async with aiohttp.ClientSession("http://bot", connector=connector) as http:
            async with http.post("/open") as response:
                link = (await response.json())["link"]
            async with http.get("/status") as response:
                assert await response.json() == {
                    "address": house.url,
                    "model": "demo",
                    "problem": "A key is wrong.",
                }
            async with http.ws_connect("/ws") as socket:
                client = Client(socket)
                await client.send({"type": "hello", "protocol": 1})
                assert (await client.until("welcome"))["conversation"] == "terminal"

        async with browser() as page:
            assert (await log_in(house, page, link.partition("#code=")[2])).status == 204


async def test_where_no_page_is_served_no_link_is_made() -> None:
    async with a_house() as house:
        house.channel.introduce(address="", model="demo", problem="")
        connector = aiohttp.UnixConnector(path=str(house.control_path))
        async with (
            aiohttp.ClientSession("http://bot", connector=connector) as http,
            http.post("/open") as response,
        ):
            assert response.status == 409
            assert "script/run" in await response.text()
