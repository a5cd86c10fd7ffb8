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
def test_a_long_text_of_one_mark_is_read_to_its_end(pattern: str) -> None:
    """What takes time by the square of the length meets the limit of every test."""
    shown, _ = read_directives(pattern * (120_000 // len(pattern)))

    assert len(shown) <= 120_000


def test_a_held_tail_costs_nothing_more_with_every_character() -> None:
    text = "a ` tick <think> " + "and words " * 10_000
    live = LiveText()

    shown = "".join(map(live.feed, text)) + live.end()

    assert shown == read_directives(text)[0]
