"""Two people with a browser each, and one browser that two people use."""

import pytest
from playwright.async_api import Browser, Page, expect

from bot.contracts.turn import Rank
from tests.browser.opening import opened, say
from tests.channels.webchat.house import House, a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def link_for(house: House, name: str, rank: Rank = Rank.MEMBER) -> str:
    _, link, _ = await house.channel.invite(name, rank)
    return link


async def seen(page: Page) -> str:
    return await page.locator("body").inner_text()


async def test_each_has_their_own_page(chromium: Browser) -> None:
    async with (
        a_house(problem="config.yaml:3: a key is wrong") as house,
        opened(chromium, house) as owner,
        opened(chromium, house, link=await link_for(house, "Anna")) as anna,
    ):
        house.gateway.on_message = house.gateway.answer
        await say(owner, "what the owner says")
        await say(anna, "what anna says")
        await expect(owner.locator("#lines .said .body")).to_have_text(["what the owner says"])
        await expect(anna.locator("#lines .said .body")).to_have_text(["what anna says"])

        for page in (owner, anna):
            await page.reload()
            await expect(page.locator("#lines > li")).to_have_count(2)
        await expect(anna.locator("#who")).to_have_text("Anna, member")
        await expect(owner.locator("#who")).to_be_hidden()
        await expect(anna.locator("#conversations .row")).to_have_count(1)
        assert "owner says" not in await seen(anna)
        assert "anna says" not in await seen(owner)
        assert "a key is wrong" in await seen(owner)
        assert "a key is wrong" not in await seen(anna)


async def test_a_guest_is_told_what_there_is_for_them(chromium: Browser) -> None:
    async with (
        a_house() as house,
        opened(chromium, house, link=await link_for(house, "Gus", Rank.GUEST)) as page,
    ):
        await expect(page.get_by_text("no files and no tools for you")).to_be_visible()
        await expect(page.get_by_role("button", name="Read notes/meeting.md")).to_be_hidden()
        await expect(page.get_by_role("button", name="What can you do?")).to_be_visible()


async def test_who_is_shut_out_sees_why_at_once(chromium: Browser) -> None:
    async with (
        a_house() as house,
        opened(chromium, house, link=await link_for(house, "Anna")) as page,
    ):
        await expect(page.locator("#who")).to_have_text("Anna, member")
        await say(page, "tell me everything")
        await expect(page.get_by_role("button", name="Stop")).to_be_visible()

        await house.channel.revoke("Anna")

        await expect(page.get_by_role("heading", name="This page needs a link")).to_be_visible()
        await expect(page.get_by_text("ask them for a link")).to_be_visible()


async def test_what_one_person_had_not_sent_is_not_sent_for_the_next(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.get_by_text("What can I do for you?")).to_be_visible()
        house.gateway.broken = True
        await say(page, "the owner's secret")
        await expect(page.locator("#waiting > li")).to_have_count(1)

        await page.goto("about:blank")
        house.gateway.mend()
        await page.goto(await link_for(house, "Anna"))
        await expect(page.locator("#who")).to_have_text("Anna, member")

        await say(page, "what anna says")
        await expect(page.locator("#lines .heard")).to_have_count(1)
        assert house.gateway.said == ["what anna says"]


async def test_a_tab_left_open_by_one_person_sends_nothing_for_the_next(chromium: Browser) -> None:
    """What is written down says who used the browser last, and not who this tab was opened by."""
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.get_by_text("What can I do for you?")).to_be_visible()

        is_other, left = await page.evaluate(
            """async () => {
              localStorage.setItem("stonechat.who", "Anna"); // by another tab
              localStorage.setItem("stonechat.waiting", "[]"); // by this one
              const { isSomebodyElse } = await import("/static/who.js");
              const isOther = isSomebodyElse({ name: "Anna", rank: "member" });
              return [isOther, localStorage.getItem("stonechat.waiting")];
            }"""
        )

        assert is_other
        assert left is None
