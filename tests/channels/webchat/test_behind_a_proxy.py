"""The page as somebody elsewhere has it: through a reverse proxy, under its public name."""

import json
from http.cookies import SimpleCookie

import aiohttp
import pytest

from bot.contracts.turn import Rank
from tests.channels.webchat.house import Client, House, a_house, browser
from tests.doubles.reverse_proxy import ReverseProxy, a_reverse_proxy

NAME = "chat.example.org"
PUBLIC = f"https://{NAME}"
TRUSTED = ("127.0.0.1",)


async def signed_in(proxy: ReverseProxy, link: str, **headers: str) -> tuple[int, str]:
    """Open a link through the proxy; return the status, and the cookie as a browser sends it."""
    assert link.startswith(f"{PUBLIC}/#code=")
    async with (
        browser() as http,
        http.post(
            f"http://127.0.0.1:{proxy.port}/auth",
            json={"code": link.partition("#code=")[2]},
            headers={"Host": NAME, "Origin": PUBLIC, "X-Stonechat": "1", **headers},
        ) as answer,
    ):
        jar = SimpleCookie(answer.headers.get("Set-Cookie", ""))
        for name, morsel in jar.items():
            # What the prefix asks for, or a browser would not take it.
            assert name == "__Host-stonechat"
            assert morsel["secure"]
            assert morsel["httponly"]
            assert morsel["path"] == "/"
            assert morsel["samesite"] == "Strict"
            assert not morsel["domain"]
        return answer.status, "; ".join(f"{n}={m.value}" for n, m in jar.items())


async def got(proxy: ReverseProxy, path: str, **headers: str) -> int:
    async with (
        browser() as http,
        http.get(
            f"http://127.0.0.1:{proxy.port}{path}", headers={"Host": NAME, **headers}
        ) as answer,
    ):
        return answer.status


async def talked(house: House, proxy: ReverseProxy, cookie: str) -> str:
    """Say hello over the proxy's WebSocket, and return what is said to it."""
    house.gateway.on_message = house.gateway.answer
    async with (
        browser() as http,
        http.ws_connect(
            f"http://127.0.0.1:{proxy.port}/ws",
            headers={"Host": NAME, "Origin": PUBLIC, "Cookie": cookie},
        ) as socket,
    ):
        page = Client(socket)
        await page.send({"type": "hello", "protocol": 1, "after_seq": 0})
        await page.until("open")
        await page.say("hello from elsewhere")
        return str((await page.until("ended"))["text"])


@pytest.mark.parametrize(
    ("trusted", "forwards"),
    [
        pytest.param(TRUSTED, True, id="a proxy that is trusted"),
        pytest.param((), True, id="one that is not"),
        pytest.param((), False, id="one that says nothing"),
    ],
)
async def test_a_link_opens_the_page_and_its_socket_through_the_proxy(
    trusted: tuple[str, ...], forwards: bool
) -> None:
    async with (
        a_house(public_url=PUBLIC, trusted_proxies=trusted) as house,
        a_reverse_proxy(house.url, forwards=forwards) as proxy,
    ):
        status, cookie = await signed_in(proxy, await house.channel.new_link())

        assert status == 204
        assert await got(proxy, "/") == 200
        assert await got(proxy, "/login", Cookie=cookie) == 204
        assert await talked(house, proxy, cookie) == "hello from elsewhere"


async def test_an_invitation_names_the_public_address_and_works_there() -> None:
    async with (
        a_house(public_url=PUBLIC, trusted_proxies=TRUSTED) as house,
        a_reverse_proxy(house.url) as proxy,
    ):
        _, link, _ = await house.channel.invite("Anna", Rank.MEMBER)
        _, cookie = await signed_in(proxy, link)

        assert await talked(house, proxy, cookie) == "hello from elsewhere"
        assert house.gateway.heard[-1].inbound.sender.display_name == "Anna"
        await house.channel.revoke("Anna")
        assert await got(proxy, "/login", Cookie=cookie) == 401


async def test_a_foreign_page_opens_no_socket_through_the_proxy_either() -> None:
    """L1."""
    async with (
        a_house(public_url=PUBLIC, trusted_proxies=TRUSTED) as house,
        a_reverse_proxy(house.url) as proxy,
    ):
        _, cookie = await signed_in(proxy, await house.channel.new_link())
        for origin in ("https://evil.test", f"http://{NAME}", "null", house.url):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with (
                    browser() as http,
                    http.ws_connect(
                        f"http://127.0.0.1:{proxy.port}/ws",
                        headers={"Host": NAME, "Origin": origin, "Cookie": cookie},
                    ),
                ):
                    pass
            assert refused.value.status == 403
        assert await got(proxy, "/", Host="evil.test") == 421


async def test_the_cookie_of_the_public_name_counts_for_no_other() -> None:
    async with (
        a_house(public_url=PUBLIC) as house,
        a_reverse_proxy(house.url) as proxy,
        browser() as http,
    ):
        _, cookie = await signed_in(proxy, await house.channel.new_link())

        async with http.get(f"{house.url}/login", headers={"Cookie": cookie}) as answer:
            assert answer.status == 401
        await house.log_in(http)
        async with http.get(f"{house.url}/login") as answer:
            assert answer.status == 204


async def test_who_guesses_behind_a_trusted_proxy_locks_out_only_themself() -> None:
    """L4, L12: and making up an address on the way helps nobody."""
    async with (
        a_house(public_url=PUBLIC, trusted_proxies=("127.0.0.1", "203.0.113.0/24")) as house,
        a_reverse_proxy(house.url) as proxy,
    ):
        # Here the visitor's own address is trusted, so that a test can come from elsewhere;
        # what stands left of the first that is not is made up, and counts for nothing.
        wrong = f"{PUBLIC}/#code=wrong"
        for number in range(12):
            made_up = f"198.51.100.{number}, 192.0.2.66"
            status, _ = await signed_in(proxy, wrong, **{"X-Forwarded-For": made_up})
            assert status == (401 if number < 10 else 429)

        elsewhere = {"X-Forwarded-For": "192.0.2.67"}
        assert (await signed_in(proxy, wrong, **elsewhere))[0] == 401
        link = await house.channel.new_link()
        assert (await signed_in(proxy, link, **elsewhere))[0] == 204


async def test_behind_a_proxy_that_is_not_trusted_all_are_counted_together() -> None:
    async with (
        a_house(public_url=PUBLIC) as house,
        a_reverse_proxy(house.url) as proxy,
    ):
        wrong = f"{PUBLIC}/#code=wrong"
        statuses = [
            (await signed_in(proxy, wrong, **{"X-Forwarded-For": f"192.0.2.{number}"}))[0]
            for number in range(12)
        ]

    assert statuses == [401] * 10 + [429] * 2


async def test_status_and_links_speak_of_the_public_address() -> None:
    async with a_house(public_url=PUBLIC) as house:
        connector = aiohttp.UnixConnector(path=str(house.control_path))
        async with (
            aiohttp.ClientSession("http://bot", connector=connector) as http,
            http.post("/open") as answer,
        ):
            assert json.loads(await answer.text())["link"].startswith(f"{PUBLIC}/#code=")
