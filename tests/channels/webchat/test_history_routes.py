"""What a conversation was: earlier lines, and what a turn did on its way."""

import uuid
from datetime import timedelta
from typing import Any

import aiohttp

from bot.contracts.messages import ResultState
from bot.contracts.turn import TurnId
from tests.channels.webchat.house import House, a_house, browser


async def get(house: House, http: aiohttp.ClientSession, path: str) -> tuple[int, Any]:
    async with http.get(f"{house.url}{path}") as response:
        if response.content_type == "application/json":
            return response.status, await response.json()
        return response.status, await response.text()


async def test_earlier_lines_come_in_pieces_in_order_until_there_are_none() -> None:
    async with a_house() as house, browser() as http, house.page() as page:
        await house.log_in(http)
        for number in range(205):
            house.clock.ahead += timedelta(seconds=1)
            await page.until("accepted", id=await page.say(f"line {number}"))

        status, newest = await get(house, http, "/conversations/main/before/206")
        texts = [line["text"] for line in newest["lines"]]
        assert (status, newest["earlier"], len(texts)) == (200, True, 100)
        assert texts == [f"line {number}" for number in range(105, 205)]
        _, rest = await get(house, http, "/conversations/main/before/6")
        assert [line["text"] for line in rest["lines"]] == [f"line {n}" for n in range(5)]
        assert rest["earlier"] is False
        assert rest["lines"][0]["type"] == "line"


async def test_what_a_turn_did_is_told_of_its_own_conversation_alone() -> None:
    async with a_house() as house, browser() as http, house.page() as page:
        await house.log_in(http)
        said = await page.say("read it")
        turn = TurnId((await page.until("accepted", id=said))["turn"])
        house.gateway.start(turn)
        house.gateway.words(turn, "I will look.")
        house.gateway.made(turn, final=False)
        house.gateway.call(turn, "c", "read_file", "notes/meeting.md")
        house.gateway.result(turn, "c", "read_file", ResultState.ERROR)
        house.gateway.finish(turn, "It is not there.")
        line = await page.until("line", direction="said")

        assert line["steps"] == 1
        assert await get(house, http, f"/conversations/main/steps/{turn}") == (
            200,
            {
                "steps": [
                    {"text": "I will look.", "name": ""},
                    {"text": "notes/meeting.md", "name": "read_file", "state": "error"},
                ]
            },
        )
        for path in (f"/conversations/{uuid.uuid4()}/steps/{turn}", "/conversations/main/steps/x"):
            assert (await get(house, http, path))[0] == 404


async def test_nothing_of_it_is_told_without_a_login() -> None:
    async with a_house() as house, browser() as stranger:
        for path in ("/conversations/main/before/5", "/conversations/main/steps/turn-1"):
            assert (await get(house, stranger, path))[0] == 401
