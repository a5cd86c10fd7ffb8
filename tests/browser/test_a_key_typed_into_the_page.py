"""From the demo to a real model without a restart, and after one: the whole bot, by the page."""

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.opening import say, try_now
from tests.doubles.bot_process import BotProcess
from tests.doubles.fake_anthropic import FakeAnthropic
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, ModelServer

pytestmark = pytest.mark.asyncio(loop_scope="package")

_PATIENCE_MS = 15_000


def repeats(asked: Asked) -> Answer:
    """Answer with what was said before the question, and the question."""
    words = [said.text.partition("] ")[2] or said.text for said in asked.said]
    return Answer(text=f"{len(words)} messages, the last: {words[-1]}")


async def give_key(page: Page, key: str, provider: str, server: ModelServer) -> None:
    """Type a key and where it is good for, and press the button."""
    await page.get_by_role("button", name="Add a key for a real model").click()
    await page.get_by_label("API key", exact=True).fill(key)
    details = page.get_by_text("Provider, model, address")
    if not await page.get_by_label("Provider", exact=True).is_visible():
        await details.click()
    await page.get_by_label("Provider", exact=True).select_option(provider)
    await page.get_by_role("textbox", name="Model").fill("model-of-the-double")
    await page.get_by_label("Address of the server").fill(server.base_url)
    await page.get_by_role("button", name="Check and use").click()


async def answered(page: Page, text: str, expected: str) -> None:
    await say(page, text)
    await expect(page.locator("#lines .said .body").last).to_have_text(
        expected, timeout=_PATIENCE_MS
    )


@pytest.mark.parametrize(
    ("provider", "double"),
    [
        pytest.param("openai", FakeOpenAI, id="openai"),
        pytest.param("anthropic", FakeAnthropic, id="anthropic"),
    ],
)
async def test_it_answers_in_the_same_conversation_and_still_after_a_restart(
    chromium: Browser, tmp_path: Path, provider: str, double: type[ModelServer]
) -> None:
    async with double(repeats) as model, a_page(chromium, tmp_path / "home") as (bot, page):
        await expect(page.locator("#model")).to_have_text("demo")
        await give_key(page, "sk-wrong", provider, model)
        await expect(page.locator("#key-form [role=alert]")).not_to_be_empty(timeout=_PATIENCE_MS)
        await page.keyboard.press("Escape")
        await say(page, "are you a model?")
        await expect(page.locator("#lines .said .body")).to_contain_text(["no language model"])

        await page.get_by_role("button", name="New conversation").click()
        await give_key(page, model.key, provider, model)
        await expect(page.get_by_text("It answers from now on")).to_be_visible(timeout=_PATIENCE_MS)
        await page.keyboard.press("Escape")
        await expect(page.locator("#model")).to_have_text("model-of-the-double")
        await page.get_by_role("link", name="are you a model?").click()
        await answered(page, "and now?", "3 messages, the last: and now?")

        await bot.kill()
        await bot.start()
        await try_now(page)
        await expect(page.locator("#model")).to_have_text("model-of-the-double")
        await answered(page, "still?", "5 messages, the last: still?")
    assert_kept_for_its_owner(tmp_path / "home", model.key)


@asynccontextmanager
async def a_page(chromium: Browser, home: Path) -> AsyncIterator[tuple[BotProcess, Page]]:
    """Start a bot without any key, and open its page; it comes back at the same address."""
    bot = BotProcess(home)
    await bot.start()
    context = await chromium.new_context()
    try:
        page = await context.new_page()
        link = await bot.link()
        bot.port = int(link.partition("/#")[0].rpartition(":")[2])
        await page.goto(link)
        yield bot, page
    finally:
        await context.close()
        await bot.stop()


def assert_kept_for_its_owner(home: Path, key: str) -> None:
    """The key stands in one file, for its owner alone; no other file and no log has it."""
    holders = [
        path
        for path in (*home.rglob("*"), home.parent / "bot.log")
        if path.is_file() and key.encode() in path.read_bytes()
    ]

    assert holders == [home / ".env"]
    assert stat.S_IMODE(holders[0].stat().st_mode) == 0o600
