"""``script/run`` is killed at random moments while the page is open; the page shows one answer to
every message, and every message once."""

import asyncio
import random
import socket
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.doubles.bot_process import ROOT, BotProcess
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call, Raw

pytestmark = pytest.mark.asyncio(loop_scope="package")

KILLS = 20
SEED = 7
_PATIENCE_MS = 30_000


def reader(asked: Asked) -> Answer | Raw:
    """Read a file, then answer with the number it was told."""
    if not asked.results:
        return Answer(text="Looking.", calls=(Call(name="list_files", arguments="{}"),))
    return Answer(text=f"answer to {asked.question.rsplit(' ', 1)[-1]}")


def a_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


async def said(page: Page) -> list[str]:
    return await page.locator("#lines .said .body").all_inner_texts()


@pytest.mark.timeout(400)
async def test_the_page_shows_one_answer_to_every_message(
    chromium: Browser, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    async with FakeOpenAI(reader, pause=0.01) as model:
        bot = BotProcess(
            tmp_path / "home",
            {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url},
            port=a_free_port(),
            command=(str(ROOT / "script" / "run"), "run"),
        )
        await bot.start()
        context = await chromium.new_context()
        page = await context.new_page()
        await page.goto(await bot.link())
        for number in range(KILLS):
            await page.get_by_label("Message", exact=True).fill(f"message {number}")
            await page.get_by_role("button", name="Send").click()
            await asyncio.sleep(chance.uniform(0.0, 0.25))
            await bot.kill()
            await bot.start()
            await page.evaluate("document.getElementById('retry').click()")
            await expect(page.locator("#lines .said .body").last).to_have_text(
                f"answer to {number}", timeout=_PATIENCE_MS
            )
        heard = await page.locator("#lines .heard .text").all_inner_texts()
        shown = await said(page)
        await page.reload()
        await expect(page.locator("#lines .said .body").last).to_be_visible()
        again = await said(page)
        await context.close()
        await bot.stop()

    expected = [f"answer to {number}" for number in range(KILLS)]
    assert heard == [f"message {number}" for number in range(KILLS)]
    assert shown == expected
    assert again == expected[-len(again) :]
