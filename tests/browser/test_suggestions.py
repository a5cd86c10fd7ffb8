"""Commands are suggested while one types, for eyes, keys and ears."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.opening import opened
from tests.channels.webchat.house import a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_slash_shows_what_there_is_and_letters_narrow_it(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        field = page.get_by_label("Message", exact=True)
        options = page.locator("#suggestions [role=option]")
        await field.press_sequentially("/")
        await expect(options.first).to_contain_text("/help")
        await field.press_sequentially("th")
        await expect(options).to_have_count(1)
        await expect(options).to_contain_text("/think [level]")
        await expect(page.locator("#suggestions-told")).to_contain_text("1 command.")
        await field.press_sequentially("x")
        await expect(page.locator("#suggestions")).to_be_hidden()
        await field.fill("see /etc")
        await expect(page.locator("#suggestions")).to_be_hidden()


async def test_arrows_choose_enter_completes_and_enter_again_sends(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        field = page.get_by_label("Message", exact=True)
        await field.press_sequentially("/st")
        await field.press("ArrowDown")
        await expect(field).to_have_attribute("aria-activedescendant", "command-0")
        await field.press("Enter")
        await expect(field).to_have_value("/status")
        await expect(page.locator("#suggestions")).to_be_hidden()
        await field.press("Enter")
        await expect(field).to_have_value("")
        await expect(page.locator(".heard .text")).to_have_text(["/status"])


async def test_tab_completes_and_escape_closes_and_stops_nothing(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        field = page.get_by_label("Message", exact=True)
        await field.press_sequentially("/mo")
        await field.press("Tab")
        await expect(field).to_have_value("/model ")
        await expect(field).to_be_focused()
        await field.fill("/")
        await expect(page.locator("#suggestions")).to_be_visible()
        await field.press("Escape")
        await expect(page.locator("#suggestions")).to_be_hidden()
        await expect(field).to_have_value("/")


async def test_a_press_on_one_completes_it(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        field = page.get_by_label("Message", exact=True)
        await field.press_sequentially("/ne")
        await page.locator("#suggestions [role=option]").click()
        await expect(field).to_have_value("/new ")
        await expect(field).to_be_focused()
