"""Files attached, pasted and dropped, in a real browser."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Browser, FilePayload, Page, expect

from tests.browser.opening import opened, say
from tests.channels.webchat.house import House, a_house

pytestmark = pytest.mark.asyncio(loop_scope="package")

_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360f8cf500f0003860180a5b1a5c90000000049454e44ae426082"
)
_DROP = """([type, files]) => {
  const dataTransfer = new DataTransfer();
  for (const [name, content] of files) {
    dataTransfer.items.add(new File([content], name));
  }
  const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
  document.body.dispatchEvent(event);
}"""
_PASTE = """(files) => {
  const clipboardData = new DataTransfer();
  files.forEach(([name, content]) => clipboardData.items.add(new File([content], name)));
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.getElementById("message").dispatchEvent(event);
}"""


def a_file(name: str, content: bytes = b"a,b\n1,2\n") -> FilePayload:
    return FilePayload(name=name, mimeType="", buffer=content)


async def attach(page: Page, *files: FilePayload) -> None:
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Attach files").click()
    await (await choosing.value).set_files(list(files))


def names(house: House, at: int = -1) -> list[str]:
    return [file.name for file in house.gateway.heard[at].inbound.attachments]


async def heard(house: House, count: int = 1) -> None:
    async with asyncio.timeout(10):
        while len(house.gateway.heard) < count:  # noqa: ASYNC110 - the double rings no bell
            await asyncio.sleep(0.01)


async def test_files_are_chosen_sent_shown_and_there_after_a_reload(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await attach(page, a_file("sums.csv"), a_file("bird.png", _PNG))
        await expect(page.locator("#files .chip .name")).to_have_text(["sums.csv", "bird.png"])
        await expect(page.locator("#files .chip img")).to_have_js_property("naturalWidth", 1)
        await say(page, "add them up")

        await expect(page.locator("#files .chip")).to_have_count(0)
        for _ in range(2):
            line = page.locator("#lines > .heard")
            await expect(line.locator(".text")).to_have_text("add them up")
            await expect(line.locator(".file .name")).to_have_text("sums.csv")
            await expect(line.locator(".file .sign")).to_have_text("CSV")
            await expect(line.locator("img")).to_have_js_property("naturalWidth", 1)
            await page.reload()
        async with page.expect_download() as downloading:
            await page.locator(".file").click()
        assert (await downloading.value).suggested_filename == "sums.csv"
        assert names(house) == ["sums.csv", "bird.png"]


async def test_a_file_carries_the_ending_people_know(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        files = ["plan.md", "sums.csv", "Makefile", "old.backup", ".env", "slides.v2.ODP"]
        await attach(page, *(a_file(name) for name in files))
        signs = ["MD", "CSV", "FILE", "FILE", "FILE", "ODP"]
        await expect(page.locator("#files .chip .sign")).to_have_text(signs)


async def test_a_file_alone_is_a_message_and_names_its_conversation(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        send = page.get_by_role("button", name="Send")
        await expect(send).to_be_disabled()
        await attach(page, a_file("sums.csv"))
        await send.click()

        await expect(page.locator("#lines > .heard .file .name")).to_have_text(["sums.csv"])
        await expect(page.locator("#conversations .title")).to_have_text("sums.csv")
        await page.get_by_role("searchbox").fill("SUMS")
        await expect(page.locator("#found .text mark")).to_have_text("sums")
        assert names(house) == ["sums.csv"]


async def test_a_picture_is_pasted_and_a_text_with_its_picture_is_a_text(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await page.evaluate(_PASTE, [["image.png", "x"]])
        await expect(page.locator("#files .chip .name")).to_have_text(["image.png"])
        await page.evaluate(
            """() => {
              const clipboardData = new DataTransfer();
              clipboardData.setData("text/plain", "words");
              clipboardData.items.add(new File(["x"], "words.png"));
              const event = new ClipboardEvent("paste", { clipboardData, cancelable: true });
              document.getElementById("message").dispatchEvent(event);
            }"""
        )
        await expect(page.locator("#files .chip")).to_have_count(1)


async def test_files_are_dropped_on_a_zone_that_shows_itself(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        dropped = [["one.txt", "1"], ["two.txt", "2"]]
        await page.evaluate(_DROP, ["dragenter", dropped])
        await expect(page.get_by_text("Drop files to attach them")).to_be_visible()
        await page.evaluate(_DROP, ["dragleave", dropped])
        await expect(page.get_by_text("Drop files to attach them")).to_be_hidden()
        await page.evaluate(_DROP, ["dragenter", dropped])
        await page.evaluate(_DROP, ["drop", dropped])

        await expect(page.get_by_text("Drop files to attach them")).to_be_hidden()
        await expect(page.locator("#files .chip .name")).to_have_text(["one.txt", "two.txt"])
        await say(page, "two of them")
        await heard(house)
        assert names(house) == ["one.txt", "two.txt"]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        pytest.param([a_file("no.txt", b"")], "no.txt is empty.", id="empty"),
        pytest.param(
            [a_file(f"{n}.txt") for n in range(11)], "A message takes at most 10 files.", id="many"
        ),
    ],
)
async def test_what_cannot_be_attached_is_one_sentence(
    chromium: Browser, files: list[Any], sentence: str
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await page.set_input_files("#file-input", files)

        await expect(page.locator("#files .chip")).to_have_count(min(len(files) - 1, 10))
        await expect(page.locator("#files .coming")).to_have_count(0)
        await expect(page.locator("#files-told")).to_have_text(sentence)
        await expect(page.locator("#files-told")).to_have_class("files-told refused")


async def test_what_is_too_large_is_not_sent(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await page.evaluate(
            """() => {
              const dataTransfer = new DataTransfer();
              dataTransfer.items.add(new File([new Uint8Array(20 * 2 ** 20 + 1)], "big.bin"));
              const options = { dataTransfer, bubbles: true, cancelable: true };
              document.body.dispatchEvent(new DragEvent("drop", options));
            }"""
        )

        await expect(page.locator("#files-told")).to_have_text(
            "big.bin has 21 MB; at most 20 MB are taken."
        )
        await expect(page.locator("#files .chip")).to_have_count(0)


async def test_with_the_keyboard_alone_one_attaches_removes_and_sends(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await expect(page.get_by_label("Message", exact=True)).to_be_focused()
        # Waited for from here on: what tells the browser so goes out ahead of the keys.
        async with page.expect_file_chooser() as choosing:
            await page.keyboard.press("Shift+Tab")
            await expect(page.get_by_role("button", name="Attach files")).to_be_focused()
            await page.keyboard.press("Enter")
        await (await choosing.value).set_files([a_file("one.txt"), a_file("two.txt")])
        await expect(page.locator("#files-told")).to_have_text("2 files are attached.")

        await page.keyboard.press("Shift+Tab")
        await expect(page.get_by_role("button", name="Remove two.txt")).to_be_focused()
        await page.keyboard.press("Space")
        await expect(page.get_by_role("button", name="Remove one.txt")).to_be_focused()
        await expect(page.locator("#files-told")).to_have_text("two.txt is removed.")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.type("this one")
        await page.keyboard.press("Enter")
        await heard(house)

        assert names(house) == ["one.txt"]
        assert len(list(house.folder.glob("media/*/*.*"))) == 1


async def test_the_parts_have_names_for_who_does_not_see_them(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await attach(page, a_file("sums.csv"))
        await expect(page.get_by_role("button", name="Remove sums.csv")).to_be_visible()
        await expect(page.locator("#composer")).to_match_aria_snapshot(
            """
            - list "Files to send":
              - listitem:
                - text: sums.csv 8 B
                - button "Remove sums.csv"
            - status: sums.csv is attached.
            - button "Attach files"
            - textbox "Message"
            - button "Send"
            """
        )
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator("#lines")).to_match_aria_snapshot(
            """
            - listitem:
              - list "Attached files":
                - listitem:
                  - link "sums.csv 8 B"
            """
        )


async def test_files_that_were_sent_are_kept_or_left_out_when_the_message_is_edited(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "Done.")
        await attach(page, a_file("one.txt"), a_file("two.txt"))
        await say(page, "both")
        await expect(page.locator("#lines > .said .body")).to_have_text(["Done."])
        await attach(page, a_file("draft.txt"))
        await page.get_by_role("button", name="Answer again").click()
        await heard(house, 2)
        await expect(page.locator("#lines > .said .body")).to_have_text(["Done."])
        await page.get_by_role("button", name="Edit the message").click()
        await page.get_by_role("button", name="Remove one.txt").click()
        await page.keyboard.press("Escape")
        await expect(page.locator("#files .chip .name")).to_have_text(["draft.txt"])
        await page.get_by_role("button", name="Edit the message").click()
        await page.get_by_role("button", name="Remove one.txt").click()
        await page.get_by_role("button", name="Send").click()
        await heard(house, 3)

        assert [names(house, at) for at in range(3)] == [["one.txt", "two.txt"]] * 2 + [["two.txt"]]
        await expect(page.locator("#lines > .heard .file .name")).to_have_text(["two.txt"])
        await expect(page.locator("#files .chip .name")).to_have_text(["draft.txt"])


async def test_a_draft_s_files_wait_in_their_own_conversation_over_a_reload(
    chromium: Browser,
) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await say(page, "the first one")
        await attach(page, a_file("draft.txt"), a_file("swept.txt"))
        await expect(page.locator("#files .chip.coming")).to_have_count(0)
        await page.get_by_role("button", name="New conversation").click()
        await expect(page.locator("#files .chip")).to_have_count(0)
        await page.go_back()
        await expect(page.locator("#files .chip .name")).to_have_text(["draft.txt", "swept.txt"])
        for facts in house.folder.glob("media/*/*.loose"):
            if b"swept" in facts.read_bytes():
                facts.unlink()

        await page.reload()
        await expect(page.locator("#files-told")).to_have_text(
            "swept.txt waited too long; attach it again."
        )
        await expect(page.locator("#files .chip .name")).to_have_text(["draft.txt"])


async def test_an_upload_waits_for_a_bot_that_is_away(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        port = house.server.port
        await house.server.close()
        await attach(page, a_file("patient.txt"))
        await expect(page.locator("#files-told")).to_contain_text("does not answer")
        await expect(page.get_by_role("button", name="Send")).to_be_disabled()
        await page.keyboard.press("Enter")

        await house.restart(port)

        await expect(page.locator("#files-told")).to_have_text(
            "patient.txt is attached.", timeout=20_000
        )
        await expect(page.get_by_role("button", name="Send")).to_be_enabled()


async def test_a_file_that_is_not_there_any_more_gives_the_message_back(chromium: Browser) -> None:
    async with a_house() as house, opened(chromium, house) as page:
        await attach(page, a_file("gone.txt"))
        await expect(page.locator("#files .chip.coming")).to_have_count(0)
        for file in house.folder.glob("media/*/*"):
            file.unlink()
        await say(page, "read it")
        await expect(page.locator("#waiting .fate")).to_contain_text("attach it again")
        await page.get_by_role("button", name="Edit it").click()

        await expect(page.get_by_label("Message", exact=True)).to_have_value("read it")
        assert house.gateway.heard == []
