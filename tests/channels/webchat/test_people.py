"""Two people on one page: each has their own, and neither finds a way to the other's."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.errors import StoreUnavailable
from bot.contracts.inbound import ConversationKey, EventClass
from bot.contracts.turn import Rank
from channels.webchat.places import PAGE, place_of, thread_of
from tests.channels.webchat.house import Client, House, a_house, browser

_THREAD = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"
_HEADERS = {"X-Stonechat": "1"}


@asynccontextmanager
async def two_people(
    rank: Rank = Rank.MEMBER,
) -> AsyncIterator[tuple[House, aiohttp.ClientSession, aiohttp.ClientSession]]:
    """A house with the owner's browser and Anna's, and something of the owner's in it."""
    async with a_house() as house, browser() as owner, house.invited("Anna", rank) as anna:
        await house.log_in(owner)
        house.gateway.on_message = house.gateway.answer
        for conversation in (None, _THREAD):
            async with house.socket(owner, conversation=conversation) as page:
                await page.say("the owner's canary")
                await page.until("ended")
        yield house, owner, anna


async def ask(
    house: House, http: aiohttp.ClientSession, method: str, path: str, body: object = None
) -> tuple[int, str]:
    headers = {**_HEADERS, "Origin": house.url, "Content-Type": "application/json"}
    sent = None if body is None else json.dumps(body)
    async with http.request(method, f"{house.url}{path}", headers=headers, data=sent) as answer:
        return answer.status, await answer.text()


async def everything_shown(
    house: House, http: aiohttp.ClientSession, *names: str | None
) -> list[dict[str, Any]]:
    """Every frame that conversations of these names give out."""
    frames: list[dict[str, Any]] = []
    for name in names:
        async with house.socket(http, conversation=name) as page:
            await page.send({"type": "ping"})
            await page.until("pong")
            frames += page.seen
    return frames


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER, Rank.ADMIN])
async def test_nobody_sees_a_word_of_another_s_by_any_name(rank: Rank) -> None:
    async with two_people(rank) as (house, owner, anna):
        shown = await everything_shown(house, anna, None, _THREAD)
        _, listed = await ask(house, anna, "GET", "/conversations")
        _, found = await ask(house, anna, "POST", "/search", {"words": "canary"})
        _, owners_list = await ask(house, owner, "GET", "/conversations")

    assert "canary" not in json.dumps(shown)
    assert json.loads(listed) == {"conversations": []}
    assert json.loads(found) == {"conversations": [], "lines": []}
    assert owners_list.count("canary") == 2


async def test_nobody_renames_or_deletes_another_s() -> None:
    async with two_people() as (house, owner, anna):
        for name in ("main", _THREAD):
            status, _ = await ask(house, anna, "POST", f"/conversations/{name}", {"title": "mine"})
            assert status == 404
            assert (await ask(house, anna, "DELETE", f"/conversations/{name}"))[0] == 204

        assert len(await house.gateway.lines(PAGE, after=0)) == 2
        assert len(await house.gateway.lines(thread_of(_THREAD), after=0)) == 2
        assert "mine" not in (await ask(house, owner, "GET", "/conversations"))[1]


async def test_the_owner_s_page_shows_nothing_of_theirs_either() -> None:
    async with two_people() as (house, owner, anna):
        async with house.socket(anna, conversation=_THREAD) as page:
            await page.say("anna's own")
            await page.until("ended")

        shown = await everything_shown(house, owner, None, _THREAD)
        _, found = await ask(house, owner, "POST", "/search", {"words": "anna"})

    assert "anna's own" not in json.dumps(shown)
    assert json.loads(found)["lines"] == []


async def test_what_happens_in_one_place_is_no_news_in_the_other() -> None:
    async with two_people() as (house, owner, anna):
        house.gateway.on_message = None
        async with house.socket(owner) as hers, house.socket(anna) as page:
            await hers.say("the owner's next canary")
            await hers.until("accepted")
            turn = house.gateway.heard[-1].turn_id
            house.gateway.answer(turn, "said to the owner")
            await hers.until("ended")
            await page.send({"type": "ping"})
            await page.until("pong")

            assert [frame["type"] for frame in page.seen] == ["welcome", "open", "pong"]


async def test_a_message_is_of_who_is_signed_in_and_its_id_claims_nothing_of_another_s() -> None:
    async with two_people() as (house, owner, anna):
        (person,) = await house.people.every("webchat")
        async with house.socket(owner) as page:
            message_id = await page.say("from the owner")
            await page.until("ended")
        async with house.socket(anna) as page:
            await page.say("from anna", message_id=message_id)
            accepted = await page.until("accepted")
        senders = [one.inbound.sender for one in house.gateway.heard[-2:]]

    assert [sender.id for sender in senders] == ["owner", person.id]
    assert accepted["turn"] == house.gateway.heard[-1].turn_id
    assert house.gateway.heard[-1].inbound.conversation_key == place_of(person.id)


async def test_each_is_told_who_they_are_and_only_the_owner_what_is_wrong() -> None:
    async with (
        a_house(problem="config.yaml:3: a canary") as house,
        house.invited("Anna", Rank.GUEST) as anna,
        house.socket(anna) as hers,
        house.page() as page,
    ):
        assert (hers.welcome["name"], hers.welcome["rank"]) == ("Anna", "guest")
        assert "problem" not in hers.welcome
        assert page.welcome["rank"] == "owner"
        assert "name" not in page.welcome
        assert page.welcome["problem"] == "config.yaml:3: a canary"
        assert hers.welcome["conversation"] == "main"


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER, Rank.ADMIN])
async def test_a_route_that_asks_the_door_for_the_owner_gets_nobody_else(rank: Rank) -> None:
    """What a route of the owner's asks is `Door.refusal`; every other one is tried here too."""
    async with two_people(rank) as (house, _, anna):
        open_to_them = {
            ("GET", "/"),
            ("GET", "/login"),
            ("GET", "/ws"),
            ("GET", "/conversations"),
            ("POST", "/search"),
            ("POST", "/auth"),
            ("POST", "/conversations/{name}"),
            ("DELETE", "/conversations/{name}"),
            ("GET", "/conversations/{name}/before/{seq:[0-9]{1,15}}"),
            ("GET", "/conversations/{name}/steps/{turn}"),
            ("POST", "/conversations/{name}/files"),
            ("GET", "/conversations/{name}/files/{file}"),
            ("DELETE", "/conversations/{name}/files/{file}"),
        }
        for route in house.channel.routes():
            if route.mount is Mount.CONTROL or route.path.startswith(("/static/", "/c/", "/ws/")):
                continue
            path = route.path.replace("{name}", "main")
            status, _ = await ask(house, anna, route.method, path, {})
            if (route.method, route.path) not in open_to_them:
                assert status == 403, (route.method, route.path)
        for path in ("/people", "/people/revoke", "/open", "/status"):
            for method in ("GET", "POST"):
                assert (await ask(house, anna, method, path, {}))[0] in {404, 405}


async def test_nobody_gets_or_names_a_file_of_another_s() -> None:
    async with two_people() as (house, owner, anna):
        headers = {"X-Stonechat": "1", "X-File-Name": "canary.txt", "Origin": house.url}
        url = f"{house.url}/conversations/main/files"
        async with owner.post(url, data=b"canary", headers=headers) as response:
            file = (await response.json())["id"]
        async with anna.get(f"{url}/{file}") as response:
            assert response.status == 404
        async with house.socket(anna) as page:
            refused = await page.until("refused", id=await page.say("x", attachments=[file]))
        assert "attach it again" in refused["reason"]

        async with owner.get(f"{url}/{file}") as response:
            assert await response.read() == b"canary"


async def test_a_file_of_somebody_without_tools_names_no_place_in_the_workspace() -> None:
    async with two_people(Rank.MEMBER) as (house, _, anna):
        headers = {"X-Stonechat": "1", "X-File-Name": "hers.txt", "Origin": house.url}
        url = f"{house.url}/conversations/main/files"
        async with anna.post(url, data=b"hers", headers=headers) as response:
            file = (await response.json())["id"]
        async with house.socket(anna) as page:
            await page.until("accepted", id=await page.say("x", attachments=[file]))

        (named,) = house.gateway.heard[-1].inbound.attachments
        assert (named.text, named.path) == ("hers", "")


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER, Rank.ADMIN])
async def test_the_door_refuses_everybody_but_the_owner_where_it_is_asked_to(rank: Rank) -> None:
    async with two_people(rank) as (house, owner, anna):
        door = house.channel._routes._door

        async def owners_only(request: web.Request) -> web.Response:
            return await door.refusal(request) or web.Response(text="the owner's")

        port = house.server.port
        await house.server.close()
        path = "/owners-only"
        route = RouteSpec(mount=Mount.WEB, method="GET", path=path, handler=owners_only)
        await house.restart(port, route)

        status, sentence = await ask(house, anna, "GET", path)
        assert (status, sentence) == (403, "Only the owner of this Stonechat may do that.")
        assert await ask(house, owner, "GET", path) == (200, "the owner's")
        async with browser() as stranger:
            assert (await ask(house, stranger, "GET", path))[0] == 401


async def test_a_person_has_so_many_pages_open_and_no_more() -> None:
    async with two_people() as (house, owner, anna), AsyncExitStack() as pages:
        for _ in range(32):
            await pages.enter_async_context(house.socket(anna))

        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await pages.enter_async_context(house.socket(anna))
        assert refused.value.status == 429
        await pages.enter_async_context(house.socket(owner))


async def test_who_is_shut_out_loses_every_page_link_and_login_at_once() -> None:
    async with two_people() as (house, owner, anna):
        async with house.socket(anna) as first, house.socket(anna, conversation=_THREAD) as second:
            _, link, _ = await house.channel.invite("Anna", Rank.MEMBER)
            await house.channel.revoke("anna")
            for page in (first, second):
                message = await page.socket.receive(timeout=5)
                assert message.type is aiohttp.WSMsgType.CLOSE
                assert message.data == aiohttp.WSCloseCode.POLICY_VIOLATION
        assert (await ask(house, anna, "GET", "/login"))[0] == 401
        assert (await ask(house, anna, "GET", "/conversations"))[0] == 401
        with pytest.raises(aiohttp.WSServerHandshakeError):
            async with house.socket(anna):
                pass
        async with browser() as another:
            body = {"code": link.partition("#code=")[2]}
            assert (await ask(house, another, "POST", "/auth", body))[0] == 401
        assert (await ask(house, owner, "GET", "/login"))[0] == 204


async def test_who_is_shut_out_in_the_middle_of_an_answer_hears_no_more_and_it_is_stopped() -> None:
    async with two_people() as (house, _, anna):
        house.gateway.on_message = None
        async with house.socket(anna) as page:
            await page.say("tell me everything")
            await page.until("accepted")
            turn = house.gateway.heard[-1].turn_id
            house.gateway.start(turn)
            house.gateway.words(turn, "first ")
            await page.until("words")
            await page.until("shown")

            await house.channel.revoke("Anna")
            house.gateway.words(turn, "canary")
            house.gateway.finish(turn, "canary")

            message = await page.socket.receive(timeout=5)
            assert message.type is aiohttp.WSMsgType.CLOSE
        stop = house.gateway.heard[-1].inbound

    assert (stop.event, stop.text) == (EventClass.INTERACTION, "/stop")
    (person,) = await house.people.every("webchat")
    assert (stop.sender.id, stop.conversation_key) == (person.id, place_of(person.id))


@pytest.mark.parametrize("point", ["before", "after"])
async def test_a_message_in_flight_is_stopped_and_none_is_taken_once_they_are_shut_out(
    point: str,
) -> None:
    async with two_people() as (house, _, anna), house.socket(anna) as page:
        house.gateway.on_message = None
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def hold(now: str) -> None:
            if now == point and not go_on.is_set():
                reached.set()
                await go_on.wait()

        house.gateway.on_receive = hold
        await page.say("in flight")
        await reached.wait()
        revoking = asyncio.create_task(house.channel.revoke("Anna"))
        for _ in range(200):  # it has every chance to overtake the message
            await asyncio.sleep(0)
        go_on.set()
        await revoking
        heard = [one.inbound.text for one in house.gateway.heard]
        for _ in range(200):
            await asyncio.sleep(0)

        assert heard[-2:] == ["in flight", "/stop"]
        assert [one.inbound.text for one in house.gateway.heard] == heard


async def test_a_shutting_out_that_fails_leaves_them_in() -> None:
    async with two_people() as (house, _, anna):
        house.gateway.on_message = None
        async with house.socket(anna) as page:
            await page.say("a long work")
            await page.until("accepted")
            house.gateway.broken = True
            with pytest.raises(StoreUnavailable):
                await house.channel.revoke("Anna")
            house.gateway.mend()
        async with house.invited("Anna") as again, house.socket(again) as page:
            await page.say("still here")
            await page.until("accepted")


async def test_who_is_shut_out_while_their_page_opens_is_sent_away() -> None:
    async with two_people() as (house, _, anna):
        (person,) = await house.people.every("webchat")
        opening = asyncio.create_task(_open(house, anna))
        await house.people.revoke("webchat", person.name)

        with pytest.raises((AssertionError, aiohttp.WSServerHandshakeError)):
            await opening


async def _open(house: House, http: aiohttp.ClientSession) -> Client:
    async with house.socket(http) as page:
        return page


async def test_who_is_invited_again_is_the_same_person_with_another_link() -> None:
    async with two_people() as (house, _, anna):
        async with house.socket(anna) as page:
            await page.say("anna's own")
            await page.until("ended")
        await house.channel.revoke("Anna")
        _, _, returns = await house.channel.invite("Anna", Rank.MEMBER)
        assert (await ask(house, anna, "GET", "/login"))[0] == 401  # the old login stays dead
        assert returns

        async with house.invited("ANNA") as again, house.socket(again) as page:
            lines = [frame["text"] for frame in page.seen if frame["type"] == "line"]
    assert lines == ["anna's own", "anna's own"]


async def test_of_two_links_for_one_person_the_last_one_works() -> None:
    async with a_house() as house, browser() as http:
        links = [(await house.channel.invite("Anna", Rank.MEMBER))[1] for _ in range(2)]
        codes = [{"code": link.partition("#code=")[2]} for link in links]

        assert (await ask(house, http, "POST", "/auth", codes[0]))[0] == 401
        assert (await ask(house, http, "POST", "/auth", codes[1]))[0] == 204


async def test_a_new_rank_counts_from_the_next_page_on() -> None:
    async with a_house() as house, house.invited("Anna", Rank.GUEST) as anna:
        await house.channel.invite("Anna", Rank.ADMIN)

        async with house.socket(anna) as page:
            assert page.welcome["rank"] == "admin"


async def test_a_new_rank_is_told_to_a_page_that_is_open() -> None:
    """It comes back at once, and no page goes on with what it was told before."""
    async with a_house() as house, house.invited("Anna", Rank.ADMIN) as anna:
        async with house.socket(anna) as page:
            await house.channel.invite("Anna", Rank.ADMIN)
            await page.send({"type": "ping"})
            await page.until("pong")

            await house.channel.invite("Anna", Rank.MEMBER)

            ended = await page.socket.receive(timeout=5)
            assert (ended.type, ended.data) == (aiohttp.WSMsgType.CLOSE, 1001)
        async with house.socket(anna) as page:
            assert page.welcome["rank"] == "member"


async def test_an_invitation_is_good_for_a_day_and_no_longer() -> None:
    async with a_house() as house, browser() as http:
        _, link, _ = await house.channel.invite("Anna", Rank.MEMBER)
        house.clock.ahead = timedelta(hours=24)

        status, sentence = await ask(
            house, http, "POST", "/auth", {"code": link.partition("#code=")[2]}
        )

    assert status == 401
    assert "an invitation: a day" in sentence


@asynccontextmanager
async def control(house: House) -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.UnixConnector(path=str(house.control_path))
    async with aiohttp.ClientSession("http://bot", connector=connector) as http:
        yield http


async def test_over_the_control_socket_people_are_invited_listed_and_shut_out() -> None:
    async with a_house() as house, control(house) as http:
        async with http.post("/people", json={"name": "Anna", "rank": "guest"}) as answer:
            invited = await answer.json()
        async with browser() as anna:
            await house.log_in(anna, invited["link"].partition("#code=")[2])
            async with house.socket(anna), http.get("/people") as answer:
                (row,) = (await answer.json())["people"]
        async with http.post("/people/revoke", json={"name": "anna"}) as answer:
            assert answer.status == 200
        async with http.get("/people") as answer:
            (after,) = (await answer.json())["people"]

    assert invited["link"].startswith(f"{house.url}/#code=")
    assert not invited["returns"]
    assert (row["name"], row["rank"], row["online"]) == ("Anna", "guest", True)
    assert row["id"] == invited["person"]["id"] == after["id"]
    assert after["revoked_at"] is not None


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/people", {"name": "Anna", "rank": "owner"}, 422, "nobody becomes owner"),
        ("/people", {"name": "Anna", "rank": "stranger"}, 422, "A rank is one of"),
        ("/people", {"name": "  ", "rank": "member"}, 422, "a letter or a number"),
        ("/people", {"name": "Anna"}, 400, "a name and a rank"),
        ("/people", {"name": "Anna", "rank": "member", "id": "owner"}, 400, "a name and a rank"),
        ("/people", {"name": 3, "rank": "member"}, 400, "a name and a rank"),
        ("/people", {"name": "x" * 5_000, "rank": "member"}, 400, "a name and a rank"),
        ("/people", [], 400, "a name and a rank"),
        ("/people/revoke", {"name": "Nobody"}, 422, "nobody who is let in is called 'Nobody'"),
        ("/people/revoke", {}, 400, "a name"),
    ],
)
async def test_what_is_no_invitation_gets_one_sentence(
    path: str, body: object, status: int, said: str
) -> None:
    async with (
        a_house() as house,
        control(house) as http,
        http.post(path, json=body) as answer,
    ):
        assert answer.status == status
        assert said in await answer.text()
        assert await house.people.every("webchat") == []


async def test_a_store_that_cannot_be_written_lets_nobody_in_and_says_so() -> None:
    async with two_people() as (house, _, anna), control(house) as http:
        house.records.broken = True
        async with http.post("/people", json={"name": "Bert", "rank": "guest"}) as answer:
            assert answer.status == 503
        assert (await ask(house, anna, "GET", "/conversations"))[0] == 503
        house.records.broken = False
        assert (await ask(house, anna, "GET", "/conversations"))[0] == 200


@pytest.mark.parametrize("name", ["", "MAIN", "x", _THREAD.upper(), "owner", "terminal"])
async def test_a_name_that_is_none_leads_nowhere(name: str) -> None:
    async with two_people() as (house, owner, anna):
        for http in (owner, anna):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with http.ws_connect(f"{house.url}/ws/{name}", headers={"Origin": house.url}):
                    pass
            assert refused.value.status == 404


def test_no_person_s_place_is_the_owner_s_or_the_terminal_s() -> None:
    place = place_of("01m8q0yz8g4zs19f912xnrqbrf")

    assert place == ConversationKey(
        channel="webchat", account="default", conversation_id="01m8q0yz8g4zs19f912xnrqbrf"
    )
    assert place_of("owner") == PAGE
