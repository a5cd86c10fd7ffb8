"""Several conversations in a real browser: begun, found, named, deleted, and never mixed up."""

import asyncio
import uuid
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from bot.contracts.turn import TurnId
from channels.webchat.places import PAGE, thread_of
from tests.browser.opening import opened, say, try_now
from tests.channels.webchat.house import House, a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")

_PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


def thread(number: int) -> str:
    return str(uuid.UUID(int=number))


async def talk(house: House, number: int | None, text: str, answer: str) -> None:
    """Say something in a conversation from elsewhere, and let it be answered."""
    name = None if number is None else thread(number)
    async with house.page(conversation=name) as page:
        await page.say(text)
        house.gateway.answer(TurnId((await page.until("accepted"))["turn"]), answer)
        await page.until("ended")


async def furnish(house: House) -> None:
    """Three conversations: the first, and two threads."""
    await talk(house, None, "how are you?", "Well.")
    await talk(house, 1, "the roof leaks", "Call Ann, she has a ladder.")
    await talk(house, 2, "buy bread", "Noted.")


TITLES = ["buy bread", "the roof leaks", "how are you?"]


async def test_a_new_conversation_has_its_own_lines_title_and_address(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        house.gateway.on_message = lambda turn, text: house.gateway.answer(turn, f"re: {text}")
        await say(page, "first")
        await expect(page.locator("#lines .said .body")).to_have_text(["re: first"])

        await page.get_by_role("button", name="New conversation").click()
        await expect(page.locator("#empty")).to_be_visible()
        await say(page, "second")

        await expect(page.locator("#lines .said .body")).to_have_text(["re: second"])
        await expect(page.locator("#conversations .title")).to_have_text(["second", "first"])
        await expect(page).to_have_title("second · Stonechat")
        assert page.url.startswith(f"{house.url}/c/")
        sessions = [one.inbound.conversation.thread_id for one in house.gateway.heard]
        assert sessions == [None, page.url[-36:]]
        await page.reload()
        await expect(page.locator("#lines .said .body")).to_have_text(["re: second"])
        await page.go_back()
        await expect(page.locator("#lines .said .body")).to_have_text(["re: first"])
        await expect(page.locator("[aria-current] .title")).to_have_text("first")


async def test_a_conversation_that_runs_goes_on_behind_another(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await say(page, "write a novel")
        turn = await heard.get()
        house.gateway.start(turn)
        house.gateway.words(turn, "It was")
        await expect(page.locator("#live .body")).to_have_text("It was")

        await page.get_by_role("button", name="New conversation").click()
        await expect(page.locator("#empty")).to_be_visible()
        await expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        await expect(page.locator("#live > li")).to_have_count(0)
        house.gateway.words(turn, " a dark")

        await page.locator("#conversations").get_by_text("write a novel").click()
        await expect(page.locator("#live .body")).to_have_text("It was a dark")
        await expect(page.get_by_role("button", name="Stop")).to_be_visible()
        house.gateway.finish(turn, "It was a dark night.")
        await expect(page.locator("#lines .said .body")).to_have_text(["It was a dark night."])
        await expect(page.locator("#lines > li")).to_have_count(2)


async def test_what_was_not_accepted_is_brought_to_its_own_conversation(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            await expect(page.locator("#conversations .title")).to_have_text(TITLES)
            house.gateway.broken = True
            await say(page, "do not lose me")
            await expect(page.locator("#waiting .fate")).to_contain_text("the disk is full")
            await page.locator("#conversations").get_by_text("buy bread").click()
            await expect(page.locator("#waiting > li")).to_have_count(0)

            house.gateway.mend()
            await try_now(page)

            await expect(page.locator("#conversations .title").first).to_have_text("how are you?")
            await expect(page.locator("#lines .heard .text")).to_have_text(["buy bread"])
            (last,) = [one for one in house.gateway.heard if one.inbound.text == "do not lose me"]
            assert last.inbound.conversation_key == PAGE
            assert await page.evaluate("localStorage.getItem('stonechat.waiting')") == "[]"


async def test_a_search_finds_a_line_and_brings_it_into_view(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        for number in range(12):
            await talk(house, 1, f"and {number}", "more\n\n" * 15)
        async with opened(chromium, house) as page:
            await page.keyboard.press("Control+k")
            await page.keyboard.type("LADDER")
            await expect(page.get_by_role("status").get_by_text("1 found")).to_be_visible()
            await expect(page.locator("#found mark")).to_have_text("ladder")

            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("Enter")

            line = page.locator("#lines > li", has_text="Call Ann")
            await expect(line).to_be_in_viewport()
            await expect(line).to_be_focused()
            await expect(page).to_have_title("the roof leaks · Stonechat")


async def test_a_search_without_a_hit_says_so_and_escape_ends_it(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            await page.get_by_role("searchbox").fill("<b>nowhere")
            await expect(page.get_by_text("Nothing was found.")).to_be_visible()
            await expect(page.locator("#conversations")).to_be_hidden()

            await page.keyboard.press("Escape")
            await expect(page.locator("#conversations .title")).to_have_text(TITLES)
            await page.keyboard.press("Escape")

            await expect(page.get_by_label("Message", exact=True)).to_be_focused()


async def test_a_conversation_is_renamed_and_called_by_its_beginning_again(
    chromium: Browser,
) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house, link=None) as page:
            await page.get_by_role("button", name="Rename or delete: how are you?").click()
            await page.get_by_label("Name", exact=True).fill("  Small <i>talk</i> ")
            await page.keyboard.press("Enter")

            await expect(page.locator("#conversations .title").last).to_have_text(
                "Small <i>talk</i>"
            )
            await expect(page.get_by_role("heading", level=1)).to_have_text("Small <i>talk</i>")
            await expect(page.locator("#conversations a").last).to_be_focused()
            await page.keyboard.press("F2")
            await page.get_by_label("Name", exact=True).fill("")
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("heading", level=1)).to_have_text("how are you?")


async def test_a_rename_that_fails_says_why_and_can_be_tried_again(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            await page.get_by_role("button", name="Rename or delete: buy bread").click()
            await page.get_by_label("Name", exact=True).fill("Bread")
            house.gateway.broken = True
            await page.get_by_role("button", name="Save").click()
            await expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(
                "the disk is full"
            )

            house.gateway.mend()
            await page.get_by_role("button", name="Save").click()

            await expect(page.get_by_role("dialog")).to_have_count(0)
            await expect(page.locator("#conversations .title").first).to_have_text("Bread")


async def test_a_deletion_is_asked_for_and_leaves_the_others(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page, opened(chromium, house) as other:
            for each in (page, other):
                await each.locator("#conversations").get_by_text("buy bread").click()
                await expect(each.locator("#lines .said .body")).to_have_text(["Noted."])
            await page.get_by_role("button", name="Rename or delete: buy bread").click()
            await page.get_by_role("button", name="Delete…").click()
            await expect(page.get_by_role("button", name="Keep it")).to_be_focused()
            await page.get_by_role("button", name="Keep it").click()
            await expect(page.locator("#conversations .title")).to_have_text(TITLES)

            await page.locator("#conversations a").first.focus()
            await page.keyboard.press("Delete")
            await page.get_by_role("button", name="Delete", exact=True).click()

            await expect(page.locator("#conversations .title")).to_have_text(TITLES[1:])
            await expect(page.locator("#lines .said .body")).to_contain_text(["Call Ann"])
            await expect(other.locator("#lines > li")).to_have_count(0)
            await expect(other.locator("#empty")).to_be_visible()
            assert await house.gateway.lines(thread_of(thread(2)), after=0) == []


async def test_a_page_that_was_away_drops_what_was_deleted_meanwhile(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            await expect(page.locator("#lines .said .body")).to_have_text(["Well."])
            port = house.server.port
            await house.server.close()
            await expect(page.get_by_text("Stonechat does not answer")).to_be_visible()
            await house.gateway.forget(PAGE)
            await house.restart(port)
            await try_now(page)

            await expect(page.locator("#lines > li")).to_have_count(0)
            await expect(page.locator("#empty")).to_be_visible()


async def test_each_conversation_keeps_its_draft(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            field = page.get_by_label("Message", exact=True)
            await field.fill("half a sent")
            await page.locator("#conversations").get_by_text("buy bread").click()
            await expect(field).to_have_value("")
            await field.fill("another")

            await page.locator("#conversations").get_by_text("how are you?").click()

            await expect(field).to_have_value("half a sent")


async def test_on_a_phone_the_list_is_a_drawer(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house, **_PHONE) as page:
            menu = page.get_by_role("button", name="Conversations")
            await expect(page.get_by_role("navigation")).to_be_hidden()
            await menu.click()
            await expect(page.get_by_role("button", name="Close the list")).to_be_focused()
            await page.keyboard.press("Escape")
            await expect(page.get_by_role("navigation")).to_be_hidden()
            await expect(menu).to_be_focused()

            await menu.click()
            await page.locator("#conversations").get_by_text("the roof leaks").click()

            await expect(page.get_by_role("navigation")).to_be_hidden()
            await expect(page.locator("#lines .said .body")).to_contain_text(["Call Ann"])
            await page.locator("#menu").click()
            await page.locator("#shade").click(position={"x": 380, "y": 400})
            await expect(page.get_by_role("navigation")).to_be_hidden()


async def test_a_stop_is_not_pressed_by_the_escape_of_a_dialog_or_the_list(
    chromium: Browser,
) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            await expect(page.locator("#lines .said .body")).to_have_text(["Well."])
            await say(page, "work for hours")
            await expect(page.get_by_role("button", name="Stop")).to_be_visible()
            await page.get_by_role("button", name="Rename or delete: buy bread").click()
            await page.keyboard.press("Escape")
            await page.get_by_role("searchbox").focus()
            await page.keyboard.press("Escape")

            await expect(page.get_by_label("Message", exact=True)).to_be_focused()
            assert "/stop" not in house.gateway.said


async def test_a_conversation_is_chosen_and_gone_on_with_by_the_keyboard_alone(
    chromium: Browser,
) -> None:
    async with a_house() as house:
        await furnish(house)
        house.gateway.on_message = lambda turn, text: house.gateway.answer(turn, f"re: {text}")
        async with opened(chromium, house) as page:
            field = page.get_by_label("Message", exact=True)
            await expect(field).to_be_focused()
            await expect(page.locator("#conversations .title")).to_have_text(TITLES)

            await page.keyboard.press("Control+k")
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("Enter")  # the second conversation
            await expect(page.get_by_role("heading", level=1)).to_have_text("the roof leaks")
            await expect(field).to_be_focused()
            await page.keyboard.type("when?")
            await page.keyboard.press("Enter")
            await expect(page.locator("#lines .said .body").last).to_have_text("re: when?")


async def test_the_list_is_kept_in_order_with_the_keyboard_alone(chromium: Browser) -> None:
    async with a_house() as house:
        await furnish(house)
        async with opened(chromium, house) as page:
            await expect(page.locator("#conversations .title")).to_have_text(TITLES)
            await page.keyboard.press("Control+k")
            await page.keyboard.press("ArrowDown")
            await expect(page.locator("#conversations a").first).to_be_focused()
            await page.keyboard.press("Tab")  # to its dots
            await page.keyboard.press("Enter")
            await page.keyboard.type("The roof")
            await page.keyboard.press("Enter")
            await expect(page.locator("#conversations .title").first).to_have_text("The roof")
            await expect(page.locator("#conversations a").first).to_be_focused()

            await page.keyboard.press("Delete")
            await expect(page.get_by_role("button", name="Keep it")).to_be_focused()
            await page.keyboard.press("Tab")
            await page.keyboard.press("Enter")
            await expect(page.locator("#conversations .title")).to_have_text(
                ["the roof leaks", "how are you?"]
            )

            await page.keyboard.press("Control+k")
            await page.keyboard.press("Shift+Tab")
            await page.keyboard.press("Enter")  # a new conversation
            await expect(page.locator("#empty")).to_be_visible()
            await expect(page.get_by_label("Message", exact=True)).to_be_focused()
