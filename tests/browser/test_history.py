"""What was before: earlier messages, what a search led to, and the steps of turns that are over."""

import asyncio
from datetime import timedelta

import pytest
from playwright.async_api import Browser, Page, expect

from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId
from tests.browser.opening import opened
from tests.channels.webchat.house import House, a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def talked(house: House, lines: int) -> None:
    """Say so many things in the first conversation."""
    async with house.page() as page:
        for number in range(1, lines + 1):
            house.clock.ahead += timedelta(seconds=1)
            said = await page.say(f"line {number} of the talk")
            turn = TurnId((await page.until("accepted", id=said))["turn"])
            house.gateway.finish(turn, "", kind=OutcomeKind.SILENT)


async def texts(page: Page) -> list[str]:
    return await page.locator("#lines > .heard .text").all_inner_texts()


async def test_scrolling_up_brings_earlier_messages_and_moves_nothing(chromium: Browser) -> None:
    async with a_house() as house:
        await talked(house, 350)
        async with opened(chromium, house) as page:
            await expect(page.locator("#lines > .heard")).to_have_count(200)
            first = page.get_by_text("line 151 of the talk")
            await page.evaluate("window.scrollTo({ top: 0 })")

            await expect(page.locator("#lines > .heard")).to_have_count(300)
            await expect(first).to_be_in_viewport()
            await page.evaluate("window.scrollTo({ top: 0 })")
            await expect(page.locator("#lines > .heard")).to_have_count(350)
            await expect(page.locator("#earlier")).to_be_hidden()
            assert await texts(page) == [f"line {n} of the talk" for n in range(1, 351)]


async def test_the_button_does_it_by_key_and_hands_the_focus_on(chromium: Browser) -> None:
    async with a_house() as house:
        await talked(house, 201)
        async with opened(chromium, house) as page:
            button = page.get_by_role("button", name="Show earlier messages")
            await button.focus()
            await page.keyboard.press("Enter")

            first = page.locator("#lines > .heard").first
            await expect(first.locator(".text")).to_have_text("line 1 of the talk")
            await expect(first).to_be_focused()


async def test_what_cannot_be_fetched_is_said_and_tried_again(chromium: Browser) -> None:
    async with a_house() as house:
        await talked(house, 210)
        async with opened(chromium, house) as page:
            await expect(page.locator("#lines > .heard")).to_have_count(200)
            house.gateway.broken = True
            await page.evaluate("window.scrollTo({ top: 0 })")
            button = page.locator("#earlier button")
            await expect(button).to_contain_text("could not be fetched. Try again")
            house.gateway.mend()
            await button.click()

            await expect(page.locator("#lines > .heard")).to_have_count(210)


async def test_a_search_leads_to_a_line_far_above_and_lights_it_up(chromium: Browser) -> None:
    async with a_house() as house:
        await talked(house, 7)
        async with house.page() as page_:
            await page_.until("accepted", id=await page_.say("a walrus is at the door"))
        await talked(house, 410)
        async with opened(chromium, house) as page:
            await page.get_by_role("searchbox").fill("walrus")
            await page.locator("#found a").click()

            found = page.locator("#lines > .heard").filter(has_text="a walrus")
            await expect(found).to_be_in_viewport()
            await expect(found).to_be_focused()
            await expect(found).to_have_class("heard hit")


async def test_a_message_that_was_replaced_is_folded_when_it_comes_later(chromium: Browser) -> None:
    async with a_house() as house:
        async with house.page() as page:
            first = await page.say("the first try")
            await page.until("accepted", id=first)
        await talked(house, 199)
        async with house.page() as page:
            again = "5b1f0c7e-9a44-4c55-8a5e-2f6d0e3b9c10"
            frame = {"type": "say", "id": again, "text": "the second try", "replaces": first}
            house.clock.ahead += timedelta(minutes=1)
            await page.send(frame)
            await page.until("accepted", id=again)
        async with opened(chromium, house) as page_:
            await expect(page_.locator("#lines > .heard").last).to_contain_text("the second try")
            await page_.evaluate("window.scrollTo({ top: 0 })")
            await expect(page_.locator(".replaced summary")).to_be_visible()
            await expect(page_.locator(".replaced .heard .text")).to_have_text("the first try")


async def worked(house: House) -> TurnId:
    """Let a turn say something, call two tools, and answer."""
    async with house.page() as page:
        said = await page.say("read both")
        turn = TurnId((await page.until("accepted", id=said))["turn"])
        house.gateway.start(turn)
        house.gateway.words(turn, "I will look.")
        house.gateway.made(turn, final=False)
        for call, state in (("one", ResultState.OK), ("two", ResultState.ERROR)):
            house.gateway.call(turn, call, "read_file", f"notes/{call}.md")
            house.gateway.result(turn, call, "read_file", state)
        house.gateway.finish(turn, "Half of it.")
        await page.until("ended")
    return turn


async def test_live_and_after_a_reload_a_turn_has_as_many_steps(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await worked(house)
        summary = page.locator("#lines .taken summary")
        await expect(summary).to_have_text("2 steps")
        await page.reload()
        await expect(summary).to_have_text("2 steps")


async def test_the_whole_workspace_is_looked_through_and_no_dot(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page, house.page() as other:
        said = await other.say("what is there?")
        turn = TurnId((await other.until("accepted", id=said))["turn"])
        house.gateway.start(turn)
        house.gateway.call(turn, "one", "list_files", ".")
        await expect(page.locator("#live .step")).to_have_text("Looking through the workspace")
        house.gateway.result(turn, "one", "list_files", ResultState.OK)
        house.gateway.finish(turn, "Two files.")
        summary = page.locator("#lines .taken summary")
        await expect(summary).to_have_text("Looked through the workspace")
        await page.reload()
        await expect(summary).to_have_text("Looked through the workspace")


async def test_the_steps_of_a_turn_that_is_over_are_fetched_when_they_are_opened(
    chromium: Browser,
) -> None:
    async with a_house() as house:
        await worked(house)
        async with opened(chromium, house) as page:
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            summary = page.locator("#lines .taken summary")
            await expect(summary).to_have_text("2 steps")
            assert not [url for url in asked if "/steps/" in url]
            await summary.focus()
            await page.keyboard.press("Enter")

            await expect(page.locator("#lines .taken .step")).to_have_text(
                ["I will look.", "Read notes/one.md", "Read notes/two.md: it failed"]
            )
            for _ in range(2):
                await page.keyboard.press("Enter")
            assert len([url for url in asked if "/steps/" in url]) == 1


async def test_steps_that_cannot_be_fetched_are_asked_for_again(chromium: Browser) -> None:
    async with a_house() as house:
        await worked(house)
        async with opened(chromium, house) as page:
            await expect(page.locator("#lines .taken summary")).to_be_visible()
            house.gateway.broken = True
            await page.locator("#lines .taken summary").click()
            await expect(page.locator("#lines .taken .step")).to_contain_text(["the disk is full"])
            house.gateway.mend()
            await page.locator("#lines .taken summary").click()
            await page.locator("#lines .taken summary").click()

            await expect(page.locator("#lines .taken .step")).to_have_count(3)


async def test_words_look_while_they_come_as_they_will_when_they_are_a_line(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await page.get_by_label("Message", exact=True).fill("tell me")
        await page.keyboard.press("Enter")
        turn = await heard.get()
        house.gateway.start(turn)
        house.gateway.words(turn, "It is **qui")
        await expect(page.locator("#live .body strong")).to_have_text("qui")
        await page.evaluate("document.querySelector('#live .body p').dataset.seen = 'yes'")
        house.gateway.words(turn, "te** so.\n\nLook:\n\n```python\nprint(1)")
        await expect(page.locator("#live .body pre")).to_have_text("print(1)")
        house.gateway.words(turn, "\nprint(2)\n```\n\nAnd *th")

        await expect(page.locator("#live .body em")).to_have_text("th")
        await expect(page.locator("#live .body .code button")).to_have_count(1)
        shown = await page.locator("#live .body").inner_text()
        assert "*" not in shown
        assert "`" not in shown


async def test_what_is_settled_is_not_touched_by_what_comes(chromium: Browser) -> None:
    """A selection in it holds, and nothing flickers."""
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await page.get_by_label("Message", exact=True).fill("tell me")
        await page.keyboard.press("Enter")
        turn = await heard.get()
        house.gateway.start(turn)
        house.gateway.words(turn, "One.\n\nTwo.\n\nThree.\n\n")
        await expect(page.locator("#live .body p")).to_have_count(3)
        await page.evaluate("document.querySelector('#live .body p').dataset.seen = 'yes'")
        for word in "and some more words":
            house.gateway.words(turn, word)
            await asyncio.sleep(0)

        await expect(page.locator("#live .body p")).to_have_count(4)
        await expect(page.locator("#live .body p").last).to_have_text("and some more words")
        await expect(page.locator("#live .body p").first).to_have_attribute("data-seen", "yes")
