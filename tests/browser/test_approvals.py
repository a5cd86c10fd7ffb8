"""A question that waits for its owner, on the page: seen, decided by key, and decided for good."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.browser.opening import say
from tests.browser.test_accessibility import LOOKS, findings_of
from tests.doubles.bot_process import BotProcess
from tests.stories.test_meeting_notes import QUESTION, TASKS

pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest.mark.parametrize("look", LOOKS)
async def test_a_question_is_decided_by_key_and_stays_decided(
    chromium: Browser, axe: str, look: dict[str, Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("tools: {ask: [read_file]}\n")
    bot = BotProcess(home)
    await bot.start()
    context = await chromium.new_context(**look)
    page = await context.new_page()
    await page.goto(await bot.link())
    await say(page, QUESTION)
    standing = page.locator(".decision .standing")
    once = page.get_by_role("button", name="Once", exact=True)
    await expect(once).to_be_visible()
    await expect(page.locator("#lines .said .body")).to_contain_text(["notes/meeting.md"])
    asked = await findings_of(page, axe)

    await once.focus()
    await page.keyboard.press("Enter")

    await expect(standing).to_contain_text(["Approved by the owner"])
    await expect(page.locator("#lines .said .body").last).to_contain_text(TASKS[-1])
    assert (asked, await findings_of(page, axe)) == ([], [])
    await page.reload()
    await expect(standing).to_contain_text(["Approved by the owner"])
    await expect(once).to_have_count(0)
    await context.close()
    await bot.stop()
