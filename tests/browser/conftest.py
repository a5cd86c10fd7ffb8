"""Debian's chromium, driven from the loop the page's server runs in, and the rules of axe-core."""

from collections.abc import AsyncIterator
from importlib.resources import files

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.browser.opening import browser_program, launched


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for all tests; each opens a context of its own."""
    if browser_program() is None:
        pytest.skip(
            "LEFT OUT: there is no chromium (Debian: apt-get install chromium-headless-shell)"
        )
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The rules of accessibility, as the package of the pinned version carries them."""
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
