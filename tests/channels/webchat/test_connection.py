"""The protocol, spoken to a real server on loopback."""

import asyncio
import json
import uuid

import aiohttp
import pytest

from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId
from tests.channels.webchat.house import Client, House, a_house


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
        assert "".join(streamed) == "You said hello"


async def test_a_message_is_heard_from_the_owner_of_the_page() -> None:
    async with a_house() as house, house.page() as page:
        message_id = await page.say("hello")
        await page.until("accepted")

        inbound = house.gateway.heard[0].inbound
        assert inbound.source == f"c:{message_id}"
        assert (inbound.conversation.id, inbound.sender.id) == ("main", "owner")
        assert (await page.until("line"))["source"] == f"c:{message_id}"


async def test_a_message_said_anew_is_a_line_that_names_what_it_replaces() -> None:
    async with a_house() as house, house.page() as page:
        first = await page.say("two plus three")
        line = await page.until("line")
        assert "replaces" not in line

        message = {"type": "say", "id": str(uuid.uuid4()), "text": "two plus four"}
        await page.send({**message, "replaces": first})

        line = await page.until("line", text="two plus four")
        assert line["replaces"] == f"c:{first}"


async def test_a_repeated_message_gets_the_same_answer_and_is_taken_once() -> None:
    async with a_house() as house, house.page() as page:
        message_id = await page.say("hello")
        first = await page.until("accepted")
        house.gateway.finish(TurnId(first["turn"]), "done")
        await page.until("ended")

        await page.say("hello", message_id=message_id)

        assert await page.until("accepted") == first
        assert (await page.until("ended"))["text"] == "done"
        assert house.gateway.said == ["hello"]


async def test_a_reader_that_comes_back_gets_what_it_missed_and_nothing_twice() -> None:
    async with a_house() as house:
        async with house.page() as page:
            for text in ("one", "two"):
                await page.say(text)
                turn = TurnId((await page.until("accepted"))["turn"])
                house.gateway.answer(turn, f"answer {text}")
                last = await page.until("line", direction="said")
            assert last["seq"] == 4

        async with house.page(after_seq=2) as page:
            assert [f["seq"] for f in page.seen if f["type"] == "line"] == [3, 4]
            assert page.welcome["seq"] == 4

        async with house.page(after_seq=4) as page:
            assert [f for f in page.seen if f["type"] == "line"] == []


async def test_whoever_comes_in_the_middle_sees_what_is_on_the_screen() -> None:
    async with a_house() as house, house.page() as page:
        await page.say("read it")
        turn = TurnId((await page.until("accepted"))["turn"])
        house.gateway.start(turn)
        house.gateway.call(turn, "c", "read_file", "a.md")
        house.gateway.result(turn, "c", "read_file", ResultState.OK)
        house.gateway.words(turn, "half of ")
        await page.until("words")

        async with house.page() as late:
            (picture,) = late.open["turns"]
            assert picture["turn"] == turn
            assert picture["words"] == "half of "
            assert picture["tools"][0]["state"] == "ok"

            house.gateway.words(turn, "it")
            house.gateway.finish(turn, "half of it")
            assert (await late.until("words"))["text"] == "it"
            assert (await late.until("ended"))["text"] == "half of it"


async def test_lost_news_delays_a_line_and_an_end_and_loses_neither() -> None:
    async with a_house() as house, house.page() as page:
        house.gateway.loses_news = True
        await page.say("hello")
        turn = TurnId((await page.until("accepted"))["turn"])

        house.gateway.answer(turn, "here")

        assert (await page.until("line", direction="said"))["text"] == "here"
        assert (await page.until("ended"))["turn"] == turn


async def test_a_stop_is_a_claim_like_a_message() -> None:
    async with a_house() as house, house.page() as page:
        stop = {"type": "stop", "id": str(uuid.uuid4())}
        await page.send(stop)
        first = await page.until("accepted")
        await page.send(stop)

        assert await page.until("accepted") == first
        assert house.gateway.said == ["/stop"]


async def test_a_message_that_joins_a_running_turn_is_told_so_and_ends_with_it() -> None:
    async with a_house() as house, house.page() as page:
        await page.say("one")
        first = TurnId((await page.until("accepted"))["turn"])
        await page.say("two")
        second = TurnId((await page.until("accepted"))["turn"])

        house.gateway.absorb(second, into=first)
        assert (await page.until("status", state="joined"))["into"] == first
        house.gateway.finish(first, "both")

        ends = [await page.until("ended"), await page.until("ended")]
        assert {end["turn"] for end in ends} == {first, second}
        assert {end["text"] for end in ends} == {"both"}


async def test_a_retry_and_a_dropped_message_are_told() -> None:
    async with a_house() as house, house.page() as page:
        await page.say("one")
        turn = TurnId((await page.until("accepted"))["turn"])
        house.gateway.words(turn, "half")
        house.gateway.drop(turn)
        house.gateway.fail_attempt(turn, "the model is busy")

        await page.until("dropped")
        assert (await page.until("status", state="retrying"))["reason"] == "the model is busy"


async def test_a_failed_turn_says_why_and_its_notice_is_a_line() -> None:
    async with a_house() as house, house.page() as page:
        await page.say("one")
        turn = TurnId((await page.until("accepted"))["turn"])
        house.gateway.finish(turn, "Sorry.", kind=OutcomeKind.FAILED, reason="no model")

        assert (await page.until("line", direction="said"))["kind"] == "notice"
        assert (await page.until("ended"))["reason"] == "no model"


async def test_a_full_disk_refuses_for_now_and_the_connection_goes_on() -> None:
    async with a_house() as house, house.page() as page:
        house.gateway.broken = True
        message_id = await page.say("hello")

        refused = await page.until("refused")
        assert refused["retry"] > 0
        assert "the disk is full" in refused["reason"]

        house.gateway.broken = False
        await page.say("hello", message_id=message_id)
        assert (await page.until("accepted"))["id"] == message_id


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("", "empty", id="nothing"),
        pytest.param(" \n\t", "empty", id="blanks"),
        pytest.param("x" * 200_001, "at most 200,000", id="too long"),
    ],
)
async def test_what_can_never_be_taken_is_refused_for_good(text: str, sentence: str) -> None:
    async with a_house() as house, house.page() as page:
        await page.say(text)

        refused = await page.until("refused")

        assert sentence in refused["reason"]
        assert "retry" not in refused
        assert house.gateway.said == []


async def test_the_longest_text_is_taken() -> None:
    async with a_house() as house, house.page() as page:
        await page.say("x" * 200_000)

        await page.until("accepted")


async def test_more_than_twenty_messages_in_ten_seconds_must_wait_over_all_connections() -> None:
    async with a_house() as house, house.page() as page, house.page() as other:
        for number in range(20):
            await (page, other)[number % 2].say(str(number))
        for _ in range(10):
            await page.until("accepted")
            await other.until("accepted")

        await other.say("one more")

        assert 0 < (await other.until("refused"))["retry"] <= 10.1
        assert len(house.gateway.said) == 20


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param("{", id="no JSON"),
        pytest.param('{"type":"shout"}', id="an unknown frame"),
        pytest.param('{"type":"say","id":3,"text":[]}', id="wrong types"),
        pytest.param("[" * 50_000, id="a tower"),
        pytest.param(json.dumps({"type": "hello", "protocol": 1}), id="a second hello"),
    ],
)
async def test_what_is_no_frame_gets_one_error_and_the_next_frame_is_read(sent: str) -> None:
    async with a_house() as house, house.page() as page:
        await page.send(sent)
        await page.send({"type": "ping"})

        assert (await page.next())["type"] == "error"
        assert (await page.next())["type"] == "pong"


async def test_a_binary_frame_gets_an_error() -> None:
    async with a_house() as house, house.page() as page:
        await page.socket.send_bytes(b"\xff\xfe")

        assert "text message" in (await page.until("error"))["reason"]


async def test_nothing_is_said_before_hello() -> None:
    async with a_house() as house, house.page(after_seq=None) as page:
        await page.say("hello")

        assert "hello" in (await page.until("error"))["reason"]
        assert house.gateway.said == []


async def test_half_a_character_does_not_stop_a_message() -> None:
    async with a_house() as house, house.page() as page:
        sent = r'{"type":"say","id":"ID","text":"a\ud800"}'
        await page.send(sent.replace("ID", str(uuid.uuid4())))

        await page.until("accepted")
        assert house.gateway.said == ["a\ufffd"]


async def closing(page: Client) -> aiohttp.WSMessage:
    """Read until the connection ends."""
    while True:
        message = await page.socket.receive(timeout=10)
        if message.type is not aiohttp.WSMsgType.TEXT:
            return message


async def test_a_frame_of_more_than_256_kib_ends_the_connection_with_a_sentence() -> None:
    async with a_house() as house, house.page() as page:
        await page.say("x" * 256 * 1024)

        message = await closing(page)

        assert message.data == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
        assert message.extra == "A frame may have at most 262,144 bytes."


async def test_another_protocol_is_sent_away() -> None:
    async with a_house() as house, house.page(after_seq=None) as page:
        await page.send({"type": "hello", "protocol": 2})

        message = await closing(page)

        assert message.data == 4406
        assert "reload" in str(message.extra)


async def test_a_store_that_cannot_be_read_sends_the_reader_away_to_come_back() -> None:
    async with a_house() as house, house.page(after_seq=None) as page:
        house.gateway.broken = True
        await page.send({"type": "hello", "protocol": 1, "after_seq": 0})

        assert (await closing(page)).data == aiohttp.WSCloseCode.TRY_AGAIN_LATER


async def test_a_slow_reader_is_sent_away_and_resumes_by_its_cursor() -> None:
    async with a_house() as house:
        async with house.page() as page:
            await page.say("write a novel")
            turn = TurnId((await page.until("accepted"))["turn"])
            house.gateway.start(turn)
            await page.until("status", state="running")
            transport = page.socket._conn.transport if page.socket._conn else None
            assert isinstance(transport, asyncio.Transport)
            transport.pause_reading()

            chapter = "x" * 200_000
            for _ in range(200):
                house.gateway.words(turn, chapter)
            await _gone(house)
            transport.abort()
            house.gateway.finish(turn, "a novel")

        async with house.page(after_seq=1) as page:
            assert page.open["turns"] == []
            assert [f["text"] for f in page.seen if f["type"] == "line"] == ["a novel"]


async def _gone(house: House) -> None:
    """Wait until the channel has no reader any more."""
    async with asyncio.timeout(10):
        while house.channel._connections:  # noqa: ASYNC110 - the state is what is observed
            await asyncio.sleep(0.01)


async def test_many_lines_are_all_sent_to_a_reader_that_keeps_up() -> None:
    async with a_house() as house, house.page() as page:
        house.gateway.on_message = lambda turn, _: house.gateway.finish(turn, "y" * 10_000)
        for number in range(20):
            await page.say(str(number))
        seqs = [(await page.until("line"))["seq"] for _ in range(40)]
        assert seqs == list(range(1, 41))

        async with house.page() as late:
            assert [f["seq"] for f in late.seen if f["type"] == "line"] == list(range(1, 41))


async def test_a_problem_of_the_bot_is_told_in_the_welcome() -> None:
    async with a_house(problem="A key is wrong.") as house, house.page() as page:
        assert page.welcome["problem"] == "A key is wrong."
        assert page.welcome["model"] == "demo"
