"""The settings over HTTP: who may see and change them, what is answered, and where a key goes."""

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import TypeAdapter

from bot.contracts.channel import Mount
from bot.contracts.errors import SetupRefused, StoreUnavailable
from bot.contracts.setup import OffersSetup, Overview, Setup
from bot.contracts.turn import Rank
from channels.webchat.adapter import WebchatChannel
from tests.channels.webchat.house import Client, a_house, browser
from tests.channels.webchat.visitor import HEADER, Visitor, a_visitor
from tests.doubles.fake_setup import CLAUDE, DEMO, FakeSetup

_CANARY = "sk-canary-2f9c1a7b44de"
_PAGE = Path(__file__).parents[3] / "docs" / "webchat-protocol.md"
_ASKED = [
    pytest.param("GET", "/setup", None, id="overview"),
    pytest.param("POST", "/setup/key", {"key": _CANARY}, id="key"),
    pytest.param("GET", "/setup/local", None, id="local servers"),
    pytest.param(
        "POST",
        "/setup/local",
        {"address": "http://127.0.0.1:11434", "model": "llama3.2"},
        id="local model",
    ),
    pytest.param("POST", "/setup/channel", {"channel": "telegram", "token": _CANARY}, id="channel"),
]


def untouched(setup: FakeSetup) -> bool:
    return not (setup.looks or setup.offers or setup.chosen or setup.tokens)


def test_the_page_offers_setup_and_the_double_is_one() -> None:
    assert issubclass(WebchatChannel, OffersSetup)
    assert isinstance(FakeSetup(), Setup)


async def test_the_overview_is_told_whole() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        status, told = await visitor.ask("GET", "/setup")

        assert status == 200
        assert TypeAdapter(Overview).validate_python(told) == DEMO
        assert (told["spent"]["micro_usd"], told["spent"]["unpriced_tokens"]) == (0, 44_300)
        assert [one["weight"] for one in told["findings"]] == ["hint", "warning", "broken"]


async def test_a_key_is_checked_and_what_is_used_is_told() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        wish = {"key": f" {_CANARY}\n", "provider": None, "base_url": "http://127.0.0.1:9/v1"}
        status, told = await visitor.ask("POST", "/setup/key", wish)

        assert status == 200
        assert told == {
            "provider": "anthropic",
            "model": "claude-sonnet-5-5",
            "window": 200_000,
            "micro_usd_a_day": 4_800_000,
            "note": CLAUDE.note,
        }
        (offer,) = house.setup.offers
        assert offer.key.reveal() == _CANARY
        assert (offer.provider, offer.model, offer.base_url) == (
            None,
            None,
            "http://127.0.0.1:9/v1",
        )


async def test_servers_of_this_machine_are_listed_and_one_model_is_used() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        _, told = await visitor.ask("GET", "/setup/local")
        server = told["servers"][0]
        assert server == {
            "kind": "ollama",
            "address": "http://127.0.0.1:11434",
            "models": ["qwen3:8b", "llama3.2"],
        }
        wish = {"address": server["address"], "model": "llama3.2"}
        status, told = await visitor.ask("POST", "/setup/local", wish)

        assert (status, told["model"], told["micro_usd_a_day"]) == (200, "llama3.2", 0)
        assert house.setup.chosen == [("http://127.0.0.1:11434", "llama3.2")]


async def test_a_token_is_checked_and_its_identity_told() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        wish = {"channel": "telegram", "token": _CANARY}
        status, told = await visitor.ask("POST", "/setup/channel", wish)

        assert (status, told["identity"]) == (200, "@example_bot")
        assert [token.reveal() for _, token in house.setup.tokens] == [_CANARY]


@pytest.mark.parametrize(("method", "path", "body"), _ASKED)
async def test_the_terminal_of_the_same_user_asks_the_same_without_a_login(
    method: str, path: str, body: object
) -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        connector = aiohttp.UnixConnector(path=str(house.control_path))
        async with (
            aiohttp.ClientSession("http://bot", connector=connector) as http,
            http.request(method, path, json=body) as response,
        ):
            assert response.status == 200
            told = await response.json()

        assert await visitor.ask(method, path, body) == (200, told)


@pytest.mark.parametrize(("method", "path", "body"), _ASKED)
async def test_without_a_login_nothing_is_told_or_changed(
    method: str, path: str, body: object
) -> None:
    async with a_house() as house, browser() as http:
        status, sentence = await Visitor(house, http).ask(method, path, body)

        assert status == 401
        assert "script/run open" in sentence
        assert untouched(house.setup)


@pytest.mark.parametrize(("method", "path", "body"), _ASKED)
async def test_a_foreign_page_with_the_owner_s_login_gets_nothing(
    method: str, path: str, body: object
) -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        evil = {**HEADER, "Origin": "https://evil.test"}

        assert (await visitor.ask(method, path, body, **evil))[0] == 403
        assert (await visitor.ask(method, path, body, Origin=house.url))[0] == 403
        if method == "POST":
            form = {**HEADER, "Content-Type": "application/x-www-form-urlencoded"}
            assert (await visitor.ask(method, path, body, **form))[0] == 403
        assert untouched(house.setup)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("/setup/key", {}, 400, id="no key"),
        pytest.param("/setup/key", [], 400, id="a list"),
        pytest.param("/setup/key", {"key": 3}, 400, id="a number"),
        pytest.param("/setup/key", {"key": _CANARY, "provider": "../x"}, 400, id="no provider"),
        pytest.param("/setup/key", {"key": _CANARY, "model": "x" * 201}, 400, id="a long model"),
        pytest.param("/setup/key", {"key": _CANARY, "scopes": ["all"]}, 400, id="more"),
        pytest.param("/setup/key", {"key": "x" * 9_000}, 400, id="a novel"),
        pytest.param("/setup/key", {"key": "  "}, 422, id="an empty key"),
        pytest.param("/setup/key", {"key": f"my key {_CANARY}"}, 422, id="a sentence"),
        pytest.param("/setup/key", {"key": f"{_CANARY}\u2026"}, 422, id="a cut key"),
        pytest.param("/setup/key", {"key": f"{_CANARY}\r\nHost: x"}, 422, id="two lines"),
        pytest.param("/setup/key", {"key": "x" * 1_001}, 422, id="a long key"),
        pytest.param("/setup/local", {"address": "http://127.0.0.1:1"}, 400, id="no model"),
        pytest.param("/setup/local", {"address": "", "model": "x"}, 400, id="no address"),
        pytest.param("/setup/channel", {"channel": "telegram"}, 400, id="no token"),
        pytest.param(
            "/setup/channel", {"channel": "telegram", "token": "a b"}, 422, id="two words"
        ),
    ],
)
async def test_what_cannot_be_gets_one_sentence_and_reaches_nobody(
    path: str, body: object, status: int
) -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        found, sentence = await visitor.ask("POST", path, body)

        assert found == status, sentence
        assert re.fullmatch(r"[A-Z][^\n]*\.", sentence)
        assert _CANARY not in sentence
        assert untouched(house.setup)


async def test_what_is_refused_is_one_sentence_without_the_key_in_it() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        house.setup.refusal = SetupRefused(f"Anthropic says: {_CANARY} is no key of ours.")

        status, sentence = await visitor.ask("POST", "/setup/key", {"key": _CANARY})

        assert (status, sentence) == (422, "Anthropic says: *** is no key of ours.")
        assert (await visitor.ask("POST", "/setup/key", {"key": _CANARY}))[0] == 200


async def test_a_store_that_cannot_be_used_is_said() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        house.setup.broken = StoreUnavailable("the disk is full")

        assert await visitor.ask("GET", "/setup") == (503, "the disk is full")


async def test_before_the_bot_is_built_it_says_that_it_starts() -> None:
    async with a_house(with_setup=False) as house, a_visitor(house) as visitor:
        status, sentence = await visitor.ask("GET", "/setup")

        assert (status, "starting" in sentence) == (503, True)


async def test_one_change_is_made_at_a_time_wherever_it_comes_from() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        house.setup.holding = asyncio.Event()
        first = asyncio.create_task(visitor.ask("POST", "/setup/key", {"key": _CANARY}))
        await house.setup.changing.wait()

        local = {"address": "http://127.0.0.1:11434", "model": "llama3.2"}
        status, sentence = await visitor.ask("POST", "/setup/local", local)
        connector = aiohttp.UnixConnector(path=str(house.control_path))
        async with (
            aiohttp.ClientSession("http://bot", connector=connector) as http,
            http.post("/setup/key", json={"key": _CANARY}) as response,
        ):
            assert response.status == 409
        house.setup.holding.set()

        assert (status, "being checked" in sentence) == (409, True)
        assert (await first)[0] == 200
        assert (await visitor.ask("POST", "/setup/local", local))[0] == 200
        assert len(house.setup.offers) == 1


async def test_a_browser_that_goes_away_ends_no_check() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        house.setup.holding = asyncio.Event()
        first = asyncio.create_task(visitor.ask("POST", "/setup/key", {"key": _CANARY}))
        await house.setup.changing.wait()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        house.setup.holding.set()
        while house.setup.changing.is_set():  # noqa: ASYNC110 - the double has no event for its end
            await asyncio.sleep(0)

        assert len(house.setup.offers) == 1
        assert house.setup.cancelled == 0


async def test_a_body_is_refused_before_a_byte_of_it_was_sent() -> None:
    """L9: a hundred megabytes are announced by somebody without a login, and none is waited for."""
    async with a_house() as house:
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        writer.write(
            f"POST /setup/key HTTP/1.1\r\nHost: 127.0.0.1:{house.server.port}\r\nX-Stonechat: 1\r\n"
            "Content-Type: application/json\r\nContent-Length: 104857600\r\n\r\n".encode()
        )
        async with asyncio.timeout(3):
            assert (await reader.readline()).startswith(b"HTTP/1.1 401")
        writer.close()


async def test_a_typed_key_is_in_no_log_no_answer_and_no_frame(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with a_house() as house, a_visitor(house) as visitor, house.page() as page:
        told = [
            await visitor.ask("POST", "/setup/key", {"key": _CANARY}),
            await visitor.ask("POST", "/setup/key", {"key": f"{_CANARY} "}),
            await visitor.ask("POST", "/setup/key", {"key": _CANARY, "more": 1}),
            await visitor.ask("POST", "/setup/channel", {"channel": "irc", "token": _CANARY}),
            await visitor.ask("GET", "/setup"),
        ]
        house.channel.introduce(address=house.url, model="claude", problem="")
        await page.until("about")

        assert [status for status, _ in told] == [200, 200, 400, 422, 200]
        assert _CANARY not in json.dumps(told)
        assert _CANARY not in json.dumps(page.seen)
        assert _CANARY not in repr(house.setup.offers)
    assert "/setup/key" in caplog.text
    assert _CANARY not in caplog.text


async def test_whoever_reads_is_told_at_once_who_answers_now() -> None:
    other = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"
    async with a_house() as house, house.page() as one, house.page(conversation=other) as two:
        assert (one.welcome["model"], one.welcome["setup"]) == ("demo", "needed")

        house.channel.introduce(address=house.url, model=CLAUDE.model, problem="")

        about = {"type": "about", "model": "claude-sonnet-5-5", "setup": "offered"}
        assert [await one.until("about"), await two.until("about")] == [about, about]
        async with house.page() as three:
            assert (three.welcome["model"], three.welcome["setup"]) == (CLAUDE.model, "offered")


async def test_what_did_not_change_is_not_told_again() -> None:
    async with a_house() as house, house.page() as page:
        house.channel.introduce(address="http://[::1]:1", model="demo", problem="", demo=True)
        await page.send({"type": "ping"})
        await page.until("pong")

        assert [frame["type"] for frame in page.seen] == ["welcome", "open", "pong"]


@pytest.mark.parametrize("rank", [Rank.ADMIN, Rank.MEMBER, Rank.GUEST])
async def test_whoever_is_not_the_owner_sees_and_changes_no_settings(rank: Rank) -> None:
    async with a_house() as house, browser() as http:
        _, link, _ = await house.channel.invite("Ann", rank)
        await house.log_in(http, link.partition("#code=")[2])
        ann = Visitor(house, http)

        for param in _ASKED:
            method, path, body = param.values
            status, sentence = await ann.ask(str(method), str(path), body)
            assert (status, "owner" in sentence) == (403, True)
        assert untouched(house.setup)
        headers = {"Origin": house.url}
        async with http.ws_connect(f"{house.url}/ws", headers=headers) as socket:
            page = Client(socket)
            await page.send({"type": "hello", "protocol": 1})
            assert "setup" not in await page.until("welcome")
            house.channel.introduce(address=house.url, model="claude", problem="A key is wrong.")
            assert await page.until("about") == {"type": "about", "model": "claude"}


def _documented() -> dict[str, list[Any]]:
    """The JSON examples of the page's part on settings, under the address each belongs to."""
    part = _PAGE.read_text("utf-8").partition("\n## The settings\n")[2].partition("\n## ")[0]
    found: dict[str, list[Any]] = {}
    address = ""
    for head, example in re.findall(
        r"^`([A-Z]+ /\S+)`|```json\n(.*?)\n```", part, re.MULTILINE | re.DOTALL
    ):
        address = head or address
        if example:
            found.setdefault(address, []).append(json.loads(example))
    return found


async def test_the_documented_exchanges_are_exchanges() -> None:
    documented = _documented()
    async with a_house() as house, a_visitor(house) as visitor:
        routes = {
            f"{route.method} {route.path}"
            for route in house.channel.routes()
            if route.path.startswith("/setup") and route.mount is Mount.WEB
        }
        assert documented.keys() == routes
        for address, (*wishes, shown) in documented.items():
            method, path = address.split()
            status, told = await visitor.ask(method, path, wishes[0] if wishes else None)

            assert status == 200, told
            assert shape(told) == shape(shown), address


def shape(told: object) -> object:
    """Keys, whatever the values; of a list, what its first element is made of."""
    match told:
        case dict():
            return {key: shape(value) for key, value in told.items()}
        case list():
            return [shape(value) for value in told[:1]]
        case _:
            return None
