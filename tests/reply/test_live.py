import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reply.directives import read_directives
from bot.reply.live import LiveText


def test_words_go_through_both_filters() -> None:
    live = LiveText()

    shown = [
        live.feed(piece) for piece in ("<think>a</think>[[rep", "ly:1]]\nHi `[[voice]]` <", "b")
    ]

    assert [*shown, live.end()] == ["", "Hi `[[voice]]` ", "<b", ""]


PARTS = st.lists(
    st.sampled_from(
        (
            *("<think>", "<think>a</think>", "<final>", "[[voice]]", "[[", "MEDIA:/a", "NO_REPLY"),
            *("`", "\n", "a "),
        )
    ),
    max_size=12,
)


@given(PARTS)
def test_what_was_seen_live_is_what_is_sent(parts: list[str]) -> None:
    live = LiveText()
    shown = "".join(map(live.feed, parts)) + live.end()

    assert shown == read_directives("".join(parts))[0]


@pytest.mark.parametrize(
    "pattern",
    [
        *("<think></think>", "a</think>", "[[voice]]", "NO_REPLY\n", "MEDIA:/a\n", "<tool_call>"),
        *("` ", "``` ", "~~~\n", "<", "[[", "\\", " ", "words "),
    ],
)
def test_time_is_linear_in_the_text(pattern: str) -> None:
    short, long = (_seconds(pattern * (size // len(pattern))) for size in (4_000, 32_000))

    assert long < max(0.2, 24 * short)


def test_a_held_tail_costs_nothing_more_with_every_character() -> None:
    live = LiveText()
    start = time.process_time()

    for character in "a ` tick <think> " + "and words " * 2_000:
        live.feed(character)

    assert time.process_time() - start < 2


def _seconds(text: str) -> float:
    start = time.process_time()
    read_directives(text)
    return time.process_time() - start
