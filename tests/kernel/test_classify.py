import time

import pytest

from bot.contracts.inbound import EventClass
from bot.kernel.classify import classify
from tests.doubles.arrivals import an_inbound


@pytest.mark.parametrize("text", ["/stop", "stop", "Stop!", " STOP. ", "停", "停止。", "停下!"])
def test_a_stop_word_alone_is_a_command(text: str) -> None:
    assert classify(an_inbound(text)) is EventClass.COMMAND


@pytest.mark.parametrize(
    "text",
    ["wait", "exit", "stop the music at ten", "don't stop", "please stop by", "停车场在哪", ""],
)
def test_a_word_that_could_begin_a_sentence_is_a_message(text: str) -> None:
    assert classify(an_inbound(text)) is EventClass.MESSAGE


def test_what_a_platform_calls_an_edit_stays_one() -> None:
    assert classify(an_inbound("stop", event=EventClass.EDIT)) is EventClass.EDIT


def test_two_hundred_thousand_full_stops_are_judged_at_once() -> None:
    text = "." * 200_000 + "x"

    began = time.process_time()
    assert classify(an_inbound(text, source="m:dots")) is EventClass.MESSAGE
    assert time.process_time() - began < 1
