"""Words on their way to a screen, measured."""

from bot.markup.live import LiveMarkdown
from channels.webchat.painting import Painting


def test_of_a_message_without_end_only_the_beginning_is_painted_and_every_word_is_kept() -> None:
    painting = Painting("t", LiveMarkdown)
    painting.feed("x" * 150_000)
    assert len(painting.change().html) == 100_000 + len("<p></p>")

    painting.feed("more")

    assert not painting.is_fresh
    assert len(painting.whole()) == 100_000 + len("<p></p>")
    assert painting.words == "x" * 150_000 + "more"


def test_a_dropped_message_leaves_nothing() -> None:
    painting = Painting("t", LiveMarkdown)
    painting.feed("one\n\ntwo\n\nthree\n\n")
    painting.change()
    painting.clear()
    painting.feed("new")

    assert (painting.change().keep, painting.whole(), painting.words) == (0, "<p>new</p>", "new")
