"""The last message written again, and answered again, in a real browser."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.opening import opened, say
from tests.channels.webchat.house import House, a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def asked(house: House, page: Page) -> None:
    """Ask something and be answered."""
    house.gateway.on_message = lambda turn, text: house.gateway.answer(turn, f"re: {text}")
    await say(page, "two plus three")
    await expect(page.locator("#lines .said .body")).to_have_text(["re: two plus three"])


def replaced(house: House) -> list[tuple[str, bool]]:
    return [
        (one.inbound.text, one.inbound.edited_source is not None) for one in house.gateway.heard
    ]


async def test_an_edited_message_replaces_the_last_exchange(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await asked(house, page)
        field = page.get_by_label("Message", exact=True)
        await field.fill("a draft")
        await page.get_by_role("button", name="Edit the message").click()
        await expect(field).to_have_value("two plus three")
        await field.fill("two plus four")
        await page.keyboard.press("Enter")

        await expect(page.locator("#lines > .said .body")).to_have_text(["re: two plus four"])
        await expect(page.locator("#lines > .heard .text")).to_have_text(["two plus four"])
        await expect(field).to_have_value("a draft")
        await expect(page.get_by_text("re: two plus three")).to_be_hidden()
        await page.get_by_text("Said before, and replaced").click()
        await expect(page.get_by_text("re: two plus three")).to_be_visible()
        assert replaced(house) == [("two plus three", False), ("two plus four", True)]
        first, second = (one.inbound for one in house.gateway.heard)
        assert second.edited_source == first.source

        await page.reload()
        await expect(page.locator("#lines > .heard .text")).to_have_text(["two plus four"])
        await expect(page.locator("#lines > li")).to_have_count(3)


async def test_an_answer_is_asked_for_again_as_often_as_one_likes(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await asked(house, page)
        for count in (1, 2):
            await page.get_by_role("button", name="Answer again").click()
            await expect(page.locator(".replaced .said")).to_have_count(count)
            await expect(page.locator("#lines > .said .body")).to_have_text(["re: two plus three"])

        await expect(page.locator(".replaced")).to_have_count(1)
        assert replaced(house) == [("two plus three", index > 0) for index in range(3)]


async def test_editing_is_begun_and_left_with_keys(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await asked(house, page)
        field = page.get_by_label("Message", exact=True)
        await field.focus()
        await page.keyboard.press("ArrowUp")
        await expect(field).to_have_value("two plus three")
        await expect(page.get_by_text("Editing your last message")).to_be_visible()

        await page.keyboard.press("Escape")

        await expect(field).to_have_value("")
        await expect(page.get_by_text("Editing your last message")).to_be_hidden()
        assert house.gateway.said == ["two plus three"]


async def test_while_something_runs_nothing_is_said_anew(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await asked(house, page)
        house.gateway.on_message = None
        await say(page, "and more")
        await expect(page.get_by_role("button", name="Stop")).to_be_visible()

        await expect(page.get_by_role("button", name="Edit the message")).to_be_hidden()
        await page.get_by_label("Message", exact=True).press("ArrowUp")
        await expect(page.get_by_text("Editing your last message")).to_be_hidden()
