"""Makes docs/page.png: the page as a newcomer sees it, with a real answer of the demo."""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.async_api import ViewportSize, async_playwright, expect

from tests.browser.opening import launched, say
from tests.doubles.bot_process import BotProcess
from tests.stories.test_meeting_notes import QUESTION, TASKS

TARGET: Final = Path(__file__).parents[2] / "docs" / "page.png"
_SIZE: Final[ViewportSize] = {"width": 1120, "height": 700}


async def take(target: Path) -> None:
    """Start the bot in a folder of its own, ask the first question and keep what is seen."""
    with tempfile.TemporaryDirectory() as folder:
        bot = BotProcess(Path(folder) / "home")
        await bot.start()
        async with async_playwright() as playwright:
            browser = await launched(playwright)
            page = await browser.new_page(viewport=_SIZE, color_scheme="light")
            await page.goto(await bot.link())
            await say(page, QUESTION)
            await expect(page.get_by_text(TASKS[-1])).to_be_visible()
            await page.get_by_label("Message", exact=True).focus()
            await page.screenshot(path=target, animations="disabled")
            await browser.close()
        await bot.stop()


if __name__ == "__main__":
    asyncio.run(take(TARGET if len(sys.argv) < 2 else Path(sys.argv[1])))
