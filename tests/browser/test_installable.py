"""The page can be installed as an app, as Chromium judges it."""

import json

import pytest
from playwright.async_api import Browser, expect

from tests.browser.opening import opened
from tests.channels.webchat.house import a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_chromium_finds_nothing_that_keeps_it_from_being_installed(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.get_by_text("What can I do for you?")).to_be_visible()
        devtools = await page.context.new_cdp_session(page)
        manifest = await devtools.send("Page.getAppManifest")
        found = await devtools.send("Page.getInstallabilityErrors")

        assert manifest["errors"] == []
        assert json.loads(manifest["data"])["display"] == "standalone"
        # A window that leaves no trace, as a test's is, may install nothing.
        assert [
            error["errorId"]
            for error in found["installabilityErrors"]
            if error["errorId"] != "in-incognito"
        ] == []


async def test_every_picture_of_the_manifest_has_the_size_it_says(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        icons = await page.evaluate(
            """async () => {
              const { icons } = await (await fetch("/static/manifest.webmanifest")).json();
              return Promise.all(icons.map(async ({ src, sizes, type }) => {
                const answer = await fetch(src);
                const image = new Image();
                image.src = src;
                await image.decode();
                const kind = answer.headers.get("Content-Type");
                return [sizes, `${image.naturalWidth}x${image.naturalHeight}`, type === kind];
              }));
            }"""
        )

        assert len(icons) == 4
        assert all(kind for _, _, kind in icons)
        assert [found for said, found, _ in icons if said != "any"] == [
            said for said, _, _ in icons if said != "any"
        ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_frame_has_the_colour_of_the_page(chromium: Browser, scheme: str) -> None:
    async with a_house() as house, opened(chromium, house, color_scheme=scheme) as page:
        colours = await page.evaluate(
            """() => {
              const metas = [...document.querySelectorAll("meta[name=theme-color]")];
              const { content } = metas.find(({ media }) => matchMedia(media).matches);
              const probe = document.createElement("p");
              probe.style.color = content;
              document.body.append(probe);
              const { color } = getComputedStyle(probe);
              return [color, getComputedStyle(document.documentElement).backgroundColor];
            }"""
        )

        assert colours[0] == colours[1]
