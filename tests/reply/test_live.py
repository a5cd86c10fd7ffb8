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
            "<think>",
            "</think>",
            "<final>",
            "[[voice]]",
            "[[",
            "MEDIA:/a",
            "NO_REPLY",
            "`",
            "\n",
            "a ",
        )
    ),
    max_size=12,
)


@given(PARTS)
def test_what_was_seen_live_ends_as_what_is_sent(parts: list[str]) -> None:
    """But for reasoning that only a lone closing tag gave away, which the answer replaces."""
    live = LiveText()
    shown = "".join(map(live.feed, parts)) + live.end()

    assert shown.endswith(read_directives("".join(parts))[0])
