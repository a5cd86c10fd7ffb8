"""The protocol, spoken to a real server on loopback."""

from tests.channels.webchat.house import a_house


async def test_a_message_is_accepted_streamed_and_becomes_a_line() -> None:
    async with a_house() as house, house.page() as page:
        house.gateway.on_message = lambda turn, text: house.gateway.answer(turn, f"You said {text}")

        message_id = await page.say("hello")

        accepted = await page.until("accepted")
        line = await page.until("line", direction="said")
        ended = await page.until("ended")
        assert accepted["id"] == message_id
        assert line["html"] == "<p>You said hello</p>"
        assert line["turn"] == ended["turn"] == accepted["turn"]
        assert ended["outcome"] == "answered"
        assert ended["text"] == "You said hello"
        streamed = [frame["text"] for frame in page.seen if frame["type"] == "words"]
        assert " ".join(streamed) == "You said hello"
