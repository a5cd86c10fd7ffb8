"""The settings in a real browser: seen, and changed by a key that is left nowhere."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from bot.contracts.errors import SetupRefused, StoreUnavailable
from bot.contracts.setup import Finding, Weight
from bot.contracts.turn import Rank
from tests.browser.opening import opened, try_now
from tests.browser.test_accessibility import LOOKS, Checked
from tests.channels.webchat.house import a_house
from tests.doubles.fake_setup import DEMO

pytestmark = pytest.mark.asyncio(loop_scope="package")

_CANARY = "sk-ant-canary-2f9c1a7b44de"
_KEY = "API key"


def settings_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Settings")


async def open_settings(page: Page) -> Locator:
    """Open them, and wait until they show how things are."""
    await page.get_by_role("button", name="Settings", exact=True).click()
    await expect(page.locator("#version")).to_have_text("Stonechat 0.1.0")
    return settings_of(page)


async def test_a_newcomer_is_led_to_the_field_and_every_tab_knows_the_model_at_once(
    chromium: Browser,
) -> None:
    async with (
        a_house() as house,
        opened(chromium, house) as page,
        opened(chromium, house) as other,
    ):
        await expect(other.locator("#model")).to_have_text("demo")
        await page.get_by_role("button", name="Add a key for a real model").click()
        await expect(page.get_by_label(_KEY, exact=True)).to_be_focused()

        await page.keyboard.type(_CANARY)
        await page.keyboard.press("Enter")

        told = settings_of(page).get_by_text("claude-sonnet-5-5 · 200k window · a day costs about")
        await expect(told).to_have_text(
            "claude-sonnet-5-5 · 200k window · a day costs about $4.80. It answers from now on."
        )
        await expect(page.locator("#models")).to_have_text(
            "claude-sonnet-5-5 Anthropic · 200k window · chosen here"
        )
        await expect(settings_of(page).get_by_text("Nothing that is known.")).to_be_visible()
        await expect(page.locator("#model")).to_have_text("claude-sonnet-5-5")
        await expect(other.locator("#model")).to_have_text("claude-sonnet-5-5")
        await expect(other.get_by_text("This is a demo")).to_be_hidden()
        assert [offer.key.reveal() for offer in house.setup.offers] == [_CANARY]


async def open_by_keys(page: Page) -> None:
    await expect(page.get_by_text("This is a demo")).to_be_visible()
    await expect(page.get_by_label("Message", exact=True)).to_be_focused()
    await page.keyboard.press("Control+,")
    await expect(page.get_by_role("heading", name="Settings")).to_be_focused()
    await expect(page.locator("#version")).to_have_text("Stonechat 0.1.0")


async def test_a_key_is_given_by_keys_alone(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await open_by_keys(page)

        await press_until(page, "Tab", page.get_by_label(_KEY, exact=True))
        await page.keyboard.type(_CANARY)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Space")
        await expect(page.get_by_label(_KEY, exact=True)).to_have_attribute("type", "text")
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Enter")
        await expect(settings_of(page).get_by_text("It answers from now on")).to_be_visible()
        await expect(page.get_by_label(_KEY, exact=True)).to_be_focused()
        await expect(page.get_by_label(_KEY, exact=True)).to_have_attribute("type", "password")

        await page.keyboard.press("Escape")
        await expect(settings_of(page)).to_be_hidden()
        await expect(page.get_by_label("Message", exact=True)).to_be_focused()


async def test_a_local_model_and_a_bot_are_added_by_keys_alone(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await open_by_keys(page)
        look = page.get_by_role("button", name="Look for a model on this machine")
        await press_until(page, "Tab", look)
        await page.keyboard.press("Enter")
        await expect(settings_of(page).get_by_text("3 models are there.")).to_be_visible()
        await press_until(page, "Shift+Tab", page.get_by_role("button", name="Use llama3.2"))
        await page.keyboard.press("Enter")
        await expect(page.locator("#model")).to_have_text("llama3.2")
        await expect(look).to_be_focused()

        await press_until(page, "Tab", page.get_by_label("Token of the bot"))
        await page.keyboard.type("123456:canary")
        await page.keyboard.press("Enter")
        await expect(settings_of(page).get_by_text("This is @example_bot.")).to_be_visible()
        await page.keyboard.press("Control+,")
        await expect(settings_of(page)).to_be_hidden()
        assert house.setup.chosen == [("http://127.0.0.1:11434", "llama3.2")]
        assert [token.reveal() for _, token in house.setup.tokens] == ["123456:canary"]


async def press_until(page: Page, key: str, wanted: Locator) -> None:
    """Press *key* until *wanted* has the focus; nothing but the settings is met on the way."""
    for _ in range(40):
        await page.keyboard.press(key)
        if await wanted.evaluate("(element) => element === document.activeElement"):
            return
        outside = "!document.activeElement.closest('dialog, body:focus, html')"
        assert not await page.evaluate(outside), "the focus left the settings"
    raise AssertionError(f"{key} never came to {wanted}")


async def test_a_screen_reader_finds_its_way(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        opener = page.get_by_role("button", name="Settings", exact=True)
        await expect(opener).to_have_attribute("aria-haspopup", "dialog")
        await expect(opener).to_have_attribute("aria-keyshortcuts", "Control+, Meta+,")
        dialog = await open_settings(page)

        await expect(dialog).to_match_aria_snapshot(
            """
            - dialog "Settings":
              - heading "Settings" [level=2]
              - button "Close the settings"
              - region "What is wrong":
                - heading "What is wrong" [level=3]
                - list:
                  - listitem:
                    - paragraph:
                      - strong: "Broken:"
                    - paragraph:
                      - 'button "Copy: stonechat check"'
                  - listitem:
                    - paragraph:
                      - strong: "Careful:"
                  - listitem:
                    - paragraph:
                      - strong: "Hint:"
              - region "Model":
                - heading "Model" [level=3]
                - list:
                  - listitem:
                    - strong: demo
                - form "Use a model with a key":
                  - heading "Use a model with a key" [level=4]
                  - textbox "API key"
                  - button "Show the API key"
                  - status
                  - alert
                  - button "Check and use"
                - group "Use a model on this machine":
                  - heading "Use a model on this machine" [level=4]
                  - status
                  - alert
                  - button "Look for a model on this machine"
              - region "Used today":
                - heading "Used today" [level=3]
                - paragraph: /12 turns/
                - heading "Limits in force" [level=4]
                - term:
                  - code: limits.model_calls
                - definition: 60 model calls a turn
              - region "Channels":
                - heading "Channels" [level=3]
                - list:
                  - listitem:
                    - text: "Works:"
                    - strong: webchat
                  - listitem:
                    - text: "Does not work:"
                    - strong: telegram
                - form "Telegram":
                  - heading "Telegram" [level=4]
                  - list:
                    - listitem:
                      - link "@BotFather"
                    - listitem: /Copy the token/
                  - textbox "Token of the bot"
                  - button "Show the token"
                  - button "Check and store"
              - region "Sandbox":
                - heading "Sandbox" [level=3]
                - paragraph: /Works. bubblewrap/
            """
        )
        names = await fields(page)
        assert _KEY in names
        assert "Message" not in names, "what is behind is out of reach"


async def fields(page: Page) -> list[str]:
    """Name the fields in the browser's own tree, from which what is inert is missing."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Accessibility.getFullAXTree")
    return [
        node["name"]["value"]
        for node in tree["nodes"]
        if not node["ignored"] and node["role"]["value"] == "textbox"
    ]


async def test_what_is_wrong_stands_first_and_its_command_can_be_copied(chromium: Browser) -> None:
    rights = ["clipboard-read", "clipboard-write"]
    async with a_house() as house, opened(chromium, house, permissions=rights) as page:
        dialog = await open_settings(page)
        await expect(dialog.get_by_role("region").first).to_have_attribute("id", "findings")
        await expect(page.locator("#findings .weight")).to_have_text(
            ["Broken:", "Careful:", "Hint:"]
        )

        await dialog.get_by_role("button", name="Copy: stonechat check").click()

        await expect(page.locator("#findings button").first).to_have_text("Copied")
        assert await page.evaluate("navigator.clipboard.readText()") == "stonechat check"


async def test_what_is_wrong_with_a_key_is_said_and_the_key_can_be_mended(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        dialog = await open_settings(page)
        await dialog.get_by_label(_KEY, exact=True).press("Enter")
        await expect(page.locator("#key-form [role=alert]")).to_have_text(
            "API key: nothing was typed."
        )

        house.setup.refusal = SetupRefused("Anthropic does not know this key.")
        await dialog.get_by_label(_KEY, exact=True).fill(_CANARY)
        await dialog.get_by_role("button", name="Check and use").click()
        await expect(page.locator("#key-form [role=alert]")).to_have_text(
            "Anthropic does not know this key."
        )
        await expect(dialog.get_by_label(_KEY, exact=True)).to_have_value(_CANARY)

        await dialog.get_by_text("Provider, model, address").click()
        await dialog.get_by_label("Provider", exact=True).select_option("openai")
        await dialog.get_by_role("textbox", name="Model").fill(" my-model ")
        await dialog.get_by_label("Address of the server").fill("http://127.0.0.1:9/v1")
        await dialog.get_by_role("button", name="Check and use").click()

        await expect(page.locator("#key-form [role=alert]")).to_be_empty()
        await expect(page.locator("#model")).to_have_text("my-model")
        await dialog.get_by_label(_KEY, exact=True).fill("another-key")
        await dialog.get_by_label(_KEY, exact=True).press("Enter")
        await expect(page.locator("#model")).to_have_text("claude-sonnet-5-5")
        offers = [(one.provider, one.model, one.base_url) for one in house.setup.offers]
        assert offers == [
            ("openai", "my-model", "http://127.0.0.1:9/v1"),
            (None, None, None),
        ], "the next key is sent to no server that was typed for the one before"


@pytest.mark.parametrize("height", [800, 560])
async def test_a_refusal_is_in_view_below_a_form_that_is_taller_than_the_screen(
    chromium: Browser, height: int
) -> None:
    size = {"width": 1280, "height": height}
    async with a_house() as house, opened(chromium, house, viewport=size) as page:
        dialog = await open_settings(page)
        house.setup.refusal = SetupRefused("That server lists no model; load one there.")
        await dialog.get_by_text("Provider, model, address").click()
        await dialog.get_by_label(_KEY, exact=True).fill(_CANARY)
        await dialog.get_by_label(_KEY, exact=True).press("Enter")

        await expect(page.locator("#key-form [role=alert]")).to_be_in_viewport(ratio=1)
        await expect(dialog.get_by_label(_KEY, exact=True)).to_be_focused()


async def test_a_check_is_seen_while_it_lasts_and_a_second_one_is_refused(
    chromium: Browser,
) -> None:
    async with (
        a_house() as house,
        opened(chromium, house) as page,
        opened(chromium, house) as other,
    ):
        house.setup.holding = asyncio.Event()
        dialog, second = await open_settings(page), await open_settings(other)
        await dialog.get_by_label(_KEY, exact=True).fill(_CANARY)
        await dialog.get_by_label(_KEY, exact=True).press("Enter")
        await expect(page.locator("#key-form [role=status]")).to_contain_text("Asking the provider")
        await expect(dialog.get_by_role("button", name="Check and use")).to_be_disabled()
        await house.setup.changing.wait()

        await second.get_by_label("Token of the bot").fill("1:a")
        await second.get_by_label("Token of the bot").press("Enter")
        await expect(second.get_by_text("is being checked right now")).to_be_visible()
        await dialog.get_by_label(_KEY, exact=True).press("Enter")
        house.setup.holding.set()

        await expect(dialog.get_by_text("It answers from now on")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Check and use")).to_be_enabled()
        assert len(house.setup.offers) == 1


async def test_where_no_server_answers_it_says_what_to_start(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        house.setup.servers = ()
        dialog = await open_settings(page)

        await dialog.get_by_role("button", name="Look for a model").click()

        await expect(dialog.get_by_text("No model server answered. Start Ollama")).to_be_visible()


async def test_what_cannot_be_told_is_said_and_tried_again(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        house.setup.broken = StoreUnavailable("The disk is full.")
        await page.get_by_role("button", name="Settings", exact=True).click()
        await expect(page.locator("#overview-trouble")).to_contain_text("The disk is full.")

        house.setup.broken = None
        await settings_of(page).get_by_role("button", name="Try again").click()

        await expect(page.locator("#overview-trouble")).to_be_hidden()
        await expect(page.locator("#version")).to_have_text("Stonechat 0.1.0")


async def test_a_bot_that_restarts_is_said_to_and_looked_at_again_when_it_is_back(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await open_settings(page)
        port = house.server.port
        await house.server.close()
        await expect(page.locator("#overview-trouble")).to_contain_text("it may be restarting")
        await expect(page.locator("#models")).to_contain_text("demo")

        await house.restart(port)
        await try_now(page)

        await expect(page.locator("#overview-trouble")).to_be_hidden()


async def test_whoever_is_not_the_owner_has_no_settings(chromium: Browser) -> None:
    async with a_house() as house:
        _, link, _ = await house.channel.invite("Ann", Rank.MEMBER)
        async with opened(chromium, house, link=link) as page:
            await expect(page.locator("#model")).to_have_text("demo")

            await page.keyboard.press("Control+,")

            await expect(page.locator("#settings-open")).to_be_hidden()
            await expect(page.get_by_text("This is a demo")).to_be_hidden()
            await expect(settings_of(page)).to_be_hidden()
            assert house.setup.looks == 0


@asynccontextmanager
async def overheard(page: Page) -> AsyncIterator[list[str]]:
    """Collect all that leaves the page but a request's body, all that it hears, and all it logs."""
    heard: list[str] = []

    def listen(socket: Any) -> None:  # noqa: ANN401 - playwright's own
        socket.on("framesent", lambda payload: heard.append(str(payload)))
        socket.on("framereceived", lambda payload: heard.append(str(payload)))

    page.on("websocket", listen)
    page.on("console", lambda message: heard.append(message.text))
    page.on("request", lambda request: heard.append(request.url + json.dumps(request.headers)))
    yield heard


_EVERYWHERE = """async () => JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll("input, textarea, select")].map(({ value }) => value),
  { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
  await indexedDB.databases(), await caches.keys(), name,
])"""


@pytest.mark.parametrize("ending", ["taken", "refused"])
async def test_a_typed_key_is_left_nowhere(chromium: Browser, ending: str) -> None:
    async with a_house() as house, opened(chromium, house) as page, overheard(page) as heard:
        await page.reload()
        dialog = await open_settings(page)
        if ending == "refused":
            house.setup.refusal = SetupRefused(f"{_CANARY} is no key.")
        await dialog.get_by_label(_KEY, exact=True).fill(_CANARY)
        await dialog.get_by_role("button", name="Show the API key").click()
        await dialog.get_by_role("button", name="Check and use").click()
        if ending == "refused":
            await expect(dialog.get_by_text("*** is no key.")).to_be_visible()
            await page.keyboard.press("Escape")
        else:
            await expect(page.locator("#model")).to_have_text("claude-sonnet-5-5")

        assert _CANARY not in await page.evaluate(_EVERYWHERE)
        assert any("about" in one or "welcome" in one for one in heard)
        assert _CANARY not in "\n".join(heard)
        await page.reload()
        await open_settings(page)
        assert _CANARY not in await page.evaluate(_EVERYWHERE)
        for field in (_KEY, "Token of the bot"):
            await expect(page.get_by_label(field, exact=True)).to_have_attribute(
                "autocomplete", "off"
            )


async def test_it_closes_by_a_press_beside_it_and_not_by_one_that_only_ends_there(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        dialog = await open_settings(page)
        await dialog.get_by_label(_KEY, exact=True).fill(_CANARY)
        await dialog.get_by_label(_KEY, exact=True).hover()
        await page.mouse.down()
        await page.mouse.move(100, 300)
        await page.mouse.up()
        await expect(dialog.get_by_label(_KEY, exact=True)).to_have_value(_CANARY)

        await page.mouse.click(100, 300)
        await expect(dialog).to_be_hidden()


async def test_a_fault_and_a_proxy_s_page_become_a_sentence(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await page.route("**/setup", lambda route: route.fulfill(status=504, body="<h1>504</h1>"))
        await page.get_by_role("button", name="Settings", exact=True).click()
        await expect(page.locator("#overview-trouble p")).to_have_text(
            "That went wrong (504). Stonechat's log may say why."
        )


_CHECKED = {"model": "m", "window": None, "micro_usd_a_day": None, "note": ""}
_USED = {
    "turns": 1,
    "input_tokens": 1_200,
    "output_tokens": 3,
    "micro_usd": 0,
    "unpriced_tokens": 1_203,
}


@pytest.mark.parametrize(
    ("call", "told", "words"),
    [
        pytest.param("windowSize", 200_000, "200k window", id="200k"),
        pytest.param("windowSize", 1_000_000, "1M window", id="1M"),
        pytest.param("windowSize", 32_768, "32.8k window", id="a power of two"),
        pytest.param("windowSize", None, "", id="no window"),
        pytest.param("dollars", 4_000, "less than $0.01", id="not nothing"),
        pytest.param("dollars", 12_345_678, "$12.35", id="cents"),
        pytest.param(
            "checked",
            _CHECKED,
            ["m · what a day costs is not known. It answers from now on.", ""],
            id="no price",
        ),
        pytest.param(
            "checked",
            {**_CHECKED, "micro_usd_a_day": 0, "note": "It is here."},
            ["m · costs nothing. It answers from now on.", "It is here."],
            id="free",
        ),
        pytest.param(
            "used",
            _USED,
            "1 turn · 1,200 tokens read · 3 written · 1,203 tokens at a price that is not known",
            id="one turn",
        ),
        pytest.param(
            "used",
            {"turns": 0, "input_tokens": 0, "output_tokens": 0, "micro_usd": 0},
            "Nothing yet.",
            id="nothing",
        ),
    ],
)
async def test_numbers_are_told_in_words(
    chromium: Browser, call: str, told: object, words: object
) -> None:
    async with a_house() as house, opened(chromium, house, link=house.url) as page:
        script = "async ([call, told]) => (await import('/static/saying.js'))[call](told)"
        assert await page.evaluate(script, [call, told]) == words


@pytest.mark.parametrize("width", [320, 390, 1200])
async def test_nothing_is_wider_than_the_screen(chromium: Browser, width: int) -> None:
    size = {"width": width, "height": 640}
    async with a_house() as house, opened(chromium, house, viewport=size) as page:
        long = Finding(weight=Weight.BROKEN, what="w" * 300, fix=f"`{'x' * 300}`, and more")
        model = replace(DEMO.models[0], model="m" * 100, source=f"/{'path/' * 60}")
        house.setup.seen = replace(DEMO, findings=(long,), models=(model,))
        dialog = await open_settings(page)
        await dialog.get_by_text("Provider, model, address").click()
        await dialog.get_by_role("button", name="Look for a model").click()
        await expect(dialog.get_by_text("3 models are there.")).to_be_visible()

        scrolls = "(settings) => settings.scrollHeight > settings.clientHeight"
        assert not await page.locator("#settings").evaluate(scrolls), "its head would scroll away"
        for element in ("html", "#settings", ".panel-body"):
            inner, outer = await page.locator(element).evaluate(
                "(element) => [element.scrollWidth, element.clientWidth]"
            )
            assert inner <= outer, element
        cut = await dialog.locator("button, input, select").evaluate_all(
            "(all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length"
        )
        assert cut == 0
        # The heads of page and settings stay where they are, however far one scrolls.
        await page.locator(".panel-body").evaluate("(body) => body.scrollTo(0, body.scrollHeight)")
        await expect(dialog.get_by_role("button", name="Close the settings")).to_be_in_viewport()


@asynccontextmanager
async def checked(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> AsyncIterator[tuple[Checked, Locator]]:
    async with a_house() as house, opened(chromium, house, **look) as page:
        await expect(page.get_by_text("This is a demo")).to_be_visible()
        yield Checked(house, page, axe), settings_of(page)


@pytest.mark.parametrize("look", LOOKS)
async def test_axe_finds_nothing_while_they_open_and_when_that_fails(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> None:
    async with checked(chromium, axe, look) as (at, dialog):
        assert await at.findings() == []
        at.house.setup.broken = StoreUnavailable("The disk is full.")
        await at.page.get_by_role("button", name="Settings", exact=True).click()
        await expect(dialog.get_by_text("The disk is full.")).to_be_visible()
        assert await at.findings() == []

        at.house.setup.broken = None
        await dialog.get_by_role("button", name="Try again").click()
        await expect(at.page.locator("#version")).to_have_text("Stonechat 0.1.0")
        await dialog.get_by_text("Provider, model, address").click()
        assert await at.findings() == []


@pytest.mark.parametrize("look", LOOKS)
async def test_axe_finds_nothing_while_a_key_is_checked_refused_and_taken(
    chromium: Browser, axe: str, look: dict[str, Any]
) -> None:
    async with checked(chromium, axe, look) as (at, dialog):
        await open_settings(at.page)
        at.house.setup.holding = asyncio.Event()
        at.house.setup.refusal = SetupRefused("Anthropic does not know this key.")
        await dialog.get_by_label(_KEY, exact=True).fill(_CANARY)
        await dialog.get_by_label(_KEY, exact=True).press("Enter")
        await expect(dialog.get_by_text("Asking the provider")).to_be_visible()
        assert await at.findings() == []

        at.house.setup.holding.set()
        await expect(dialog.get_by_text("does not know this key")).to_be_visible()
        assert await at.findings() == []

        await dialog.get_by_label(_KEY, exact=True).press("Enter")
        await expect(dialog.get_by_text("It answers from now on")).to_be_visible()
        await dialog.get_by_role("button", name="Look for a model").click()
        await expect(dialog.get_by_role("button", name="Use llama3.2")).to_be_visible()
        await dialog.get_by_label("Token of the bot").fill("1:a")
        await dialog.get_by_label("Token of the bot").press("Enter")
        await expect(dialog.get_by_text("This is @example_bot.")).to_be_visible()
        assert await at.findings() == []

        await at.house.server.close()
        await expect(dialog.get_by_text("it may be restarting")).to_be_visible()
        assert await at.findings() == []
