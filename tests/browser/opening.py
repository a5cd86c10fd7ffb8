"""The page opened in a browser, as a person does it."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Page, Playwright

from tests.channels.webchat.house import House


def browser_program() -> str | None:
    """Return Debian's chromium without a window, which opens a page in half the time, or with."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


async def launched(playwright: Playwright) -> Browser:
    """Start the browser; the caller closes it.

    Without a sandbox of its own it also runs as root, in a container; it meets only our page.
    """
    return await playwright.chromium.launch(
        executable_path=browser_program(), args=["--no-sandbox", "--no-proxy-server"]
    )


@asynccontextmanager
async def opened(
    chromium: Browser,
    house: House,
    *,
    link: str | None = None,
    **context_options: Any,  # noqa: ANN401 - playwright's own, passed on
) -> AsyncIterator[Page]:
    """Open the page with a fresh link; fail on any error of its scripts and any foreign request."""
    context = await chromium.new_context(**context_options)
    page = await context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((house.url, house.url.replace("http", "ws"), "data:"))
            else faults.append(request.url)
        ),
    )
    try:
        await page.goto(link or await house.channel.new_link())
        yield page
    finally:
        await context.close()
    assert faults == []


async def say(page: Page, text: str) -> None:
    await page.get_by_label("Message", exact=True).fill(text)
    await page.get_by_role("button", name="Send").click()


async def try_now(page: Page) -> None:
    """Press the banner's button, or find that the page is connected already."""
    await page.evaluate("document.getElementById('retry').click()")
