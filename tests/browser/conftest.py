"""Debian's chromium, driven from the loop the page's server runs in, and axe-core from npm."""

import shutil
import subprocess
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for all tests; each opens a context of its own."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("LEFT OUT: there is no chromium (Debian: apt-get install chromium)")
    async with async_playwright() as playwright:
        # Without a sandbox of its own it also runs as root, in a container; it meets only our page.
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--no-proxy-server"]
        )
        yield browser
        await browser.close()


_AXE = "axe-core@4.14.1"


@pytest.fixture(scope="session")
def axe(pytestconfig: pytest.Config) -> str:
    """The rules of accessibility, fetched once into pytest's cache and never committed."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(
            "LEFT OUT: there is no npm to fetch axe-core with (Debian: apt-get install npm)"
        )
    folder = pytestconfig.cache.mkdir(_AXE.replace("@", "-"))
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        fetched = subprocess.run(  # noqa: S603 - npm, with a package of a fixed version
            [
                npm,
                "install",
                "--no-save",
                "--ignore-scripts",
                "--no-audit",
                "--prefix",
                folder,
                _AXE,
            ],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        if fetched.returncode:
            pytest.skip(f"LEFT OUT: npm cannot fetch axe-core: {fetched.stderr.strip()[-200:]}")
    return script.read_text("utf-8")
