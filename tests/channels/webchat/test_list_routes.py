"""The page's conversations over HTTP: who may ask, and what is answered."""

import pytest

from bot.contracts.turn import TurnId
from tests.channels.webchat.house import House, a_house, browser
from tests.channels.webchat.visitor import HEADER, Visitor, a_visitor

_ID = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"
_CHANGES = [
    pytest.param("POST", "/search", {"words": "a"}, id="search"),
    pytest.param("POST", "/conversations/main", {"title": "a"}, id="rename"),
    pytest.param("DELETE", "/conversations/main", None, id="delete"),
]


async def titles(visitor: Visitor) -> list[str]:
    _, told = await visitor.ask("GET", "/conversations")
    return [row["title"] for row in told["conversations"]]


async def said(house: House, text: str, answer: str, *, conversation: str | None = None) -> None:
    """Say something in a conversation, and let it be answered."""
    async with house.page(conversation=conversation) as page:
        await page.say(text)
        turn = TurnId((await page.until("accepted"))["turn"])
        house.gateway.answer(turn, answer)
        await page.until("ended")


async def test_each_conversation_has_its_own_lines_and_its_title() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        assert await titles(visitor) == []
        await said(house, "hello", "here")
        await said(house, "the roof leaks", "call somebody", conversation=_ID)

        assert await titles(visitor) == ["the roof leaks", "hello"]
        async with house.page(conversation=_ID) as page:
            assert [f["text"] for f in page.seen if f["type"] == "line"] == [
                "the roof leaks",
                "call somebody",
            ]
            assert (page.welcome["conversation"], page.welcome["title"]) == (_ID, "the roof leaks")
        async with house.page() as page:
            assert page.welcome["conversation"] == "main"
        threads = [one.inbound.conversation.thread_id for one in house.gateway.heard]
        assert threads == [None, _ID]


async def test_news_of_one_conversation_reach_no_other() -> None:
    async with a_house() as house, house.page() as main, house.page(conversation=_ID) as page:
        await page.say("hello")
        house.gateway.answer(TurnId((await page.until("accepted"))["turn"]), "only here")
        await page.until("ended")

        await main.send({"type": "ping"})
        await main.until("pong")
        assert [f["type"] for f in main.seen] == ["welcome", "open", "pong"]


async def test_a_name_stays_until_an_empty_one_is_given() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        await said(house, "the roof leaks", "yes", conversation=_ID)

        path = f"/conversations/{_ID}"
        assert await visitor.ask("POST", path, {"title": "  The roof "}) == (204, "")
        assert await titles(visitor) == ["The roof"]
        assert await visitor.ask("POST", path, {"title": ""}) == (204, "")
        assert await titles(visitor) == ["the roof leaks"]


async def test_a_search_finds_lines_and_names() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        await said(house, "the roof leaks", "Call Ann.", conversation=_ID)
        await visitor.ask("POST", f"/conversations/{_ID}", {"title": "Ann's number"})

        _, told = await visitor.ask("POST", "/search", {"words": " ANN "})

        assert [row["id"] for row in told["conversations"]] == [_ID]
        (line,) = told["lines"]
        assert (line["conversation"], line["direction"]) == (_ID, "said")
        assert line["text"] == "Call Ann."
        nothing: dict[str, object] = {"conversations": [], "lines": []}
        assert await visitor.ask("POST", "/search", {"words": " "}) == (200, nothing)


async def test_what_is_deleted_is_gone_and_its_readers_are_told() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        await said(house, "the roof leaks", "yes", conversation=_ID)
        async with house.page(conversation=_ID) as page:
            last = page.welcome["seq"]
            await page.say("and the wall")
            await page.until("accepted")

            assert await visitor.ask("DELETE", f"/conversations/{_ID}") == (204, "")

            await page.until("forgotten")
            assert (await page.until("ended"))["reason"] == "deleted"
        assert await titles(visitor) == []
        async with house.page(conversation=_ID, after_seq=last) as page:
            assert page.welcome["anew"]
            assert [f for f in page.seen if f["type"] == "line"] == []
        assert await visitor.ask("DELETE", f"/conversations/{_ID}") == (204, "")


async def test_a_reader_that_was_away_is_told_that_its_lines_are_gone() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        await said(house, "one", "first")
        async with house.page(after_seq=2) as page:
            assert not page.welcome["anew"]
        await visitor.ask("DELETE", "/conversations/main")
        await said(house, "two", "second")

        async with house.page(after_seq=2) as page:
            assert page.welcome["anew"]
            assert [f["text"] for f in page.seen if f["type"] == "line"] == ["two", "second"]


async def test_a_message_that_comes_again_after_its_deletion_is_no_line() -> None:
    async with a_house() as house, a_visitor(house) as visitor, house.page() as page:
        message_id = await page.say("the secret")
        first = await page.until("accepted")
        await visitor.ask("DELETE", "/conversations/main")
        await page.until("ended")

        await page.say("the secret", message_id=message_id)

        assert await page.until("accepted") == first
        assert (await page.until("ended"))["reason"] == "deleted"
        assert house.gateway.said == ["the secret"]


@pytest.mark.parametrize(("method", "path", "body"), _CHANGES)
async def test_without_a_login_nothing_is_told_or_changed(
    method: str, path: str, body: object
) -> None:
    async with a_house() as house, browser() as http:
        await said(house, "the secret", "a")
        stranger = Visitor(house, http)

        assert (await stranger.ask("GET", "/conversations"))[0] == 401
        status, sentence = await stranger.ask(method, path, body)
        assert status == 401
        assert "script/run open" in sentence
        assert (
            len(await house.gateway.conversations(house.gateway.heard[0].inbound.conversation_key))
            == 1
        )


@pytest.mark.parametrize(("method", "path", "body"), _CHANGES)
async def test_a_foreign_page_with_a_login_changes_nothing(
    method: str, path: str, body: object
) -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        await said(house, "keep me", "a")
        evil = {**HEADER, "Origin": "https://evil.test"}

        assert (await visitor.ask(method, path, body, **evil))[0] == 403
        assert (await visitor.ask(method, path, body, Origin=house.url))[0] == 403
        assert await titles(visitor) == ["keep me"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("/search", {"words": "x" * 201}, 400, id="too many words"),
        pytest.param("/search", {"words": "x" * 100_000}, 400, id="a novel"),
        pytest.param("/search", [], 400, id="no search"),
        pytest.param("/conversations/main", {"title": "x" * 121}, 400, id="a long title"),
        pytest.param("/conversations/main", {}, 400, id="no title"),
        pytest.param("/conversations/main", {"title": "a"}, 404, id="nothing said yet"),
        pytest.param("/conversations/terminal", {"title": "a"}, 404, id="the terminal's"),
    ],
)
async def test_what_cannot_be_gets_one_sentence(path: str, body: object, status: int) -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        found, sentence = await visitor.ask("POST", path, body)

        assert found == status
        assert sentence.endswith(".")


async def test_a_store_that_cannot_be_used_is_said() -> None:
    async with a_house() as house, a_visitor(house) as visitor:
        house.gateway.broken = True

        assert (await visitor.ask("GET", "/conversations"))[0] == 503
        status, sentence = await visitor.ask("DELETE", "/conversations/main")
        assert (status, "the disk is full" in sentence) == (503, True)


async def test_a_conversation_has_an_address_of_its_own() -> None:
    async with a_house() as house, browser() as http:
        async with http.get(f"{house.url}/c/{_ID}") as response:
            assert response.content_type == "text/html"
        for path in (f"/c/{_ID.upper()}", "/c/main", "/c/", "/ws/main"):
            async with http.get(f"{house.url}{path}") as response:
                assert response.status == 404


async def test_many_conversations_can_be_opened_one_after_the_other() -> None:
    async with a_house() as house, house.page(conversation=_ID) as page:
        for number in range(40):
            async with house.page(conversation=f"{number:08x}{_ID[8:]}"):
                pass

        await page.say("still followed")
        turn = TurnId((await page.until("accepted"))["turn"])
        house.gateway.words(turn, "yes")
        assert (await page.until("words"))["text"] == "yes"
        assert len(house.channel._lives._followed) <= 33
