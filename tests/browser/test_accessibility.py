"""axe-core finds nothing serious on the page, in the states that people meet, in every look."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, FilePayload, Page, expect

from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId
from tests.browser.opening import opened, say
from tests.channels.webchat.house import House, a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")

_DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
_PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """async (tags) => {
  const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags } });
  return violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}"""

LOOKS = [
    pytest.param(
        {**size, "color_scheme": scheme, "reduced_motion": "reduce"}, id=f"{name} {scheme}"
    )
    for name, size in (("desktop", _DESKTOP), ("phone", _PHONE))
    for scheme in ("light", "dark")
]


async def findings_of(page: Page, axe: str) -> list[str]:
    """Return what the rules of *axe* have against the page as it is, trifles aside."""
    await page.evaluate(axe)
    found: list[str] = await page.evaluate(_RUN, _RULES)
    return found


class Checked:
    """A page, and what axe says of it."""

    def __init__(self, house: House, page: Page, axe: str) -> None:
        self.house = house
        self.page = page
        self._axe = axe

    async def findings(self) -> list[str]:
        """Everything moderate, serious or critical, on the page as it is."""
        return await findings_of(self.page, self._axe)

    async def open_list(self) -> None:
        if await self.page.locator("#menu").is_visible():
            await self.page.locator("#menu").click()


@asynccontextmanager
async def checked(chromium: Browser, axe: str, look: dict[str, Any]) -> AsyncIterator[Checked]:
    async with a_house() as house:
        async with house.page() as page:
            await page.say("the roof leaks")
            turn = TurnId((await page.until("accepted"))["turn"])
            house.gateway.answer(turn, "Call Ann:\n\n```text\nshe has a ladder\n```")
            await page.until("ended")
        async with opened(chromium, house, **look) as page_:
            await expect(page_.locator("#lines .said .body")).to_contain_text(["Call Ann"])
            yield Checked(house, page_, axe)


@pytest.mark.parametrize("look", LOOKS)
async def test_a_conversation_that_runs_fails_and_was_said_anew(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> None:
    async with checked(chromium, axe, look) as at:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        at.house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await at.page.get_by_role("button", name="Answer again").click()
        turn = await heard.get()
        at.house.gateway.start(turn)
        at.house.gateway.call(turn, "c", "read_file", "notes/roof.md")
        at.house.gateway.result(turn, "c", "read_file", ResultState.ERROR)
        at.house.gateway.words(turn, "Half an")
        await expect(at.page.locator("#live .body")).to_have_text("Half an")
        assert await at.findings() == []

        at.house.gateway.finish(turn, "Sorry.", kind=OutcomeKind.FAILED, reason="no model")
        await expect(at.page.locator("#lines > .notice")).to_be_visible()
        await at.page.get_by_text("Said before, and replaced").click()
        await at.page.get_by_role("button", name="Edit the message").click()
        assert await at.findings() == []


@pytest.mark.parametrize("look", LOOKS)
async def test_files_to_be_sent_refused_dropped_and_sent(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> None:
    async with checked(chromium, axe, look) as at:
        await at.page.set_input_files(
            "#file-input", [FilePayload(name="sums.csv", mimeType="", buffer=b"a,b\n")]
        )
        await expect(at.page.locator("#files .chip.coming")).to_have_count(0)
        await at.page.set_input_files(
            "#file-input", [FilePayload(name="none.txt", mimeType="", buffer=b"")]
        )
        await expect(at.page.locator("#files-told")).to_have_text("none.txt is empty.")
        assert await at.findings() == []

        await at.page.evaluate("document.getElementById('drop').hidden = false")
        assert await at.findings() == []

        await at.page.evaluate("document.getElementById('drop').hidden = true")
        await at.page.get_by_role("button", name="Send").click()
        await expect(at.page.locator("#lines .file .name")).to_have_text(["sums.csv"])
        assert await at.findings() == []


@pytest.mark.parametrize("look", LOOKS)
async def test_the_list_the_search_and_the_empty_page(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> None:
    async with checked(chromium, axe, look) as at:
        await at.open_list()
        await expect(at.page.locator("#conversations .title")).to_have_text(["the roof leaks"])
        assert await at.findings() == []

        await at.page.get_by_role("searchbox").fill("roof")
        await expect(at.page.locator("#found mark").first).to_be_visible()
        assert await at.findings() == []

        await at.page.get_by_role("button", name="New conversation").click()
        await expect(at.page.locator("#empty")).to_be_visible()
        assert await at.findings() == []


@pytest.mark.parametrize("look", LOOKS)
async def test_the_dialogs(chromium: Browser, axe: str, look: dict[str, Any]) -> None:
    async with checked(chromium, axe, look) as at:
        await at.open_list()
        await at.page.get_by_role("button", name="Rename or delete: the roof leaks").click()
        at.house.gateway.broken = True
        await at.page.get_by_role("button", name="Save").click()
        await expect(at.page.get_by_text("the disk is full")).to_be_visible()
        assert await at.findings() == []

        await at.page.get_by_role("button", name="Delete…").click()
        await expect(at.page.get_by_role("button", name="Keep it")).to_be_focused()
        assert await at.findings() == []


@pytest.mark.parametrize("look", LOOKS)
async def test_what_is_wrong_and_what_is_refused(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> None:
    async with checked(chromium, axe, look) as at:
        at.house.channel.introduce(address=at.house.url, model="demo", problem="A key is wrong.")
        await at.page.reload()
        await expect(at.page.get_by_text("A key is wrong.")).to_be_visible()
        await say(at.page, "x" * 200_001)
        await expect(at.page.locator(".refused .fate")).to_be_visible()
        await at.page.evaluate("document.querySelector('.refused .text').textContent = 'too long'")
        await at.house.server.close()
        await expect(at.page.get_by_text("Stonechat does not answer")).to_be_visible()
        assert await at.findings() == []


@pytest.mark.parametrize("look", LOOKS)
async def test_the_page_without_a_login(chromium: Browser, axe: str, look: dict[str, Any]) -> None:
    async with a_house() as house, opened(chromium, house, link=house.url, **look) as page:
        await expect(page.get_by_role("heading", name="This page needs a link")).to_be_visible()
        assert await Checked(house, page, axe).findings() == []
