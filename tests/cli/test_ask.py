"""One message, its outcome, an exit code: against a served channel with a scripted bot."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.cli.ask import outcome
from bot.cli.client import BotGone, Talk, control, why_not
from bot.contracts.turn import OutcomeKind, TurnId
from tests.channels.webchat.house import House, a_house


@asynccontextmanager
async def a_talk(house: House, *, patience: float = 10.0) -> AsyncIterator[Talk]:
    async with control(house.control_path) as http:
        yield Talk(http, patience=patience)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("hello", None, id="a word"),
        pytest.param("x" * 200_000, None, id="the longest text"),
        pytest.param(" \n", "nothing to say", id="nothing"),
        pytest.param("x" * 200_001, "200,001 characters", id="one too many"),
        pytest.param("\N{CJK UNIFIED IDEOGRAPH-5B57}" * 100_000, "262,144 bytes", id="a frame"),
    ],
)
def test_what_would_never_be_taken_is_not_sent(text: str, reason: str | None) -> None:
    found = why_not(text)

    assert found == reason or (found is not None and reason is not None and reason in found)


async def test_the_answer_comes_with_its_turn_and_its_cost() -> None:
    async with a_house() as house, a_talk(house) as talk:
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "three things")

        ended = await outcome(talk, "what must I do?", asyncio.Event(), None)

        assert (ended.outcome, ended.text, ended.turn) == ("answered", "three things", "turn-1")
        assert ended.usage.input_tokens == 120
        assert house.gateway.heard[0].inbound.conversation.id == "terminal"


async def test_a_failed_turn_says_why() -> None:
    async with a_house() as house, a_talk(house) as talk:

        def fail(turn: TurnId, _text: str) -> None:
            house.gateway.finish(turn, "Sorry.", kind=OutcomeKind.FAILED, reason="no model")

        house.gateway.on_message = fail

        ended = await outcome(talk, "hello", asyncio.Event(), None)

        assert (ended.outcome, ended.text, ended.reason) == ("failed", "Sorry.", "no model")


async def test_a_message_that_joined_another_turn_ends_with_it() -> None:
    async with a_house() as house, a_talk(house) as talk:
        seen: list[TurnId] = []
        heard = asyncio.Event()

        def join(turn: TurnId, _text: str) -> None:
            seen.append(turn)
            heard.set()
            if len(seen) == 2:
                house.gateway.absorb(turn, into=seen[0])
                house.gateway.finish(seen[0], "both answered")

        house.gateway.on_message = join
        first = asyncio.create_task(outcome(talk, "one", asyncio.Event(), None))
        async with a_talk(house) as another:
            await heard.wait()
            second = await outcome(another, "two", asyncio.Event(), None)

        assert second.text == "both answered"
        assert second.turn == "turn-2"
        assert (await first).text == "both answered"


async def test_ctrl_c_stops_the_turn_and_waits_for_its_end() -> None:
    async with a_house() as house, a_talk(house) as talk:
        stopping = asyncio.Event()
        running: list[TurnId] = []

        def hold(turn: TurnId, text: str) -> None:
            if text == "/stop":
                house.gateway.finish(turn, "", kind=OutcomeKind.SILENT)
                house.gateway.finish(
                    running[0], "Stopped.", kind=OutcomeKind.INTERRUPTED, reason="stopped"
                )
            else:
                running.append(turn)
                stopping.set()

        house.gateway.on_message = hold

        ended = await outcome(talk, "think for an hour", stopping, None)

        assert (ended.outcome, ended.reason) == ("interrupted", "stopped")


async def test_after_its_time_the_turn_is_stopped_and_the_reason_says_so() -> None:
    async with a_house() as house, a_talk(house) as talk:
        turns: list[TurnId] = []

        def hold(turn: TurnId, text: str) -> None:
            turns.append(turn)
            if text == "/stop":
                house.gateway.finish(turns[0], "", kind=OutcomeKind.INTERRUPTED, reason="stopped")

        house.gateway.on_message = hold

        ended = await outcome(talk, "think for an hour", asyncio.Event(), 0.2)

        assert (ended.outcome, ended.reason) == ("interrupted", "no answer within 0.2 seconds")


async def test_lost_news_costs_a_second_and_no_more() -> None:
    async with a_house() as house, a_talk(house) as talk:
        house.gateway.loses_news = True
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "here")

        assert (await outcome(talk, "hello", asyncio.Event(), 20)).text == "here"


async def test_a_bot_that_was_away_is_asked_again_and_takes_the_message_once() -> None:
    async with a_house() as house, a_talk(house) as talk:
        heard: asyncio.Queue[TurnId] = asyncio.Queue()
        house.gateway.on_message = lambda turn, _: heard.put_nowait(turn)
        asking = asyncio.create_task(outcome(talk, "hello", asyncio.Event(), None))
        turn = await heard.get()

        await house.server.close()
        house.gateway.loses_news = True
        house.gateway.answer(turn, "while you were away")
        await house.server.start()

        assert (await asking).text == "while you were away"
        assert house.gateway.said == ["hello"]


async def test_a_full_disk_puts_a_message_off_and_does_not_lose_it() -> None:
    async with a_house() as house, a_talk(house) as talk:
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "now I can")
        house.gateway.broken = True
        asking = asyncio.create_task(outcome(talk, "hello", asyncio.Event(), 20))
        asyncio.get_running_loop().call_later(0.3, house.gateway.mend)

        assert (await asking).text == "now I can"
        assert house.gateway.said == ["hello"]


async def test_a_bot_that_never_answers_is_given_up() -> None:
    async with a_house() as house, a_talk(house, patience=0.2) as talk:
        await house.server.close()

        with pytest.raises(BotGone, match="has not answered"):
            await outcome(talk, "hello", asyncio.Event(), None)
