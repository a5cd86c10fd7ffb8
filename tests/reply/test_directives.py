import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reply.directives import (
    Directive,
    Directives,
    MediaRef,
    ReplyTo,
    Silent,
    ToChannel,
    Voice,
    read_directives,
)


@pytest.mark.parametrize(
    ("text", "shown", "found"),
    [
        pytest.param("[[reply:77]] ok", " ok", [ReplyTo(message_id="77")]),
        pytest.param("[[ Reply_To : 77 ]]ok", "ok", [ReplyTo(message_id="77")]),
        pytest.param("[[reply:current]]ok", "ok", [ReplyTo()]),
        pytest.param("[[reply_to_current]]ok", "ok", [ReplyTo()]),
        pytest.param("[[reply_to_current] ok", " ok", [ReplyTo()], id="a bracket was forgotten"),
        pytest.param("[[voice]][[audio_as_voice]]ok", "ok", [Voice(), Voice()]),
        pytest.param("[[channel:team]]ok", "ok", [ToChannel(name="team")]),
        pytest.param("[[silent]]", "", [Silent()]),
        pytest.param("NO_REPLY", "", [Silent()]),
        pytest.param(" **no_reply** \n", "", [Silent()]),
        pytest.param("[[media:https://ex.test/a (1).png]]", "",
                     [MediaRef(location="https://ex.test/a (1).png")]),
        pytest.param("a\nMEDIA:/etc/passwd\nb", "a\nb", [MediaRef(location="/etc/passwd")]),
        pytest.param('MEDIA: "my cat.png" b.png', "",
                     [MediaRef(location="my cat.png"), MediaRef(location="b.png")]),
        pytest.param("MEDIA:`a.png`", "", [MediaRef(location="a.png")]),
        pytest.param("MEDIA:data:image/png;base64,AAAA", "",
                     [MediaRef(location="data:image/png;base64,AAAA")]),
        pytest.param("one [[voice]] two", "one  two", [Voice()], id="nothing else is taken out"),
        pytest.param("one\n[[voice]]\ntwo", "one\ntwo", [Voice()], id="its own line goes with it"),
        pytest.param("[[reply:1]] [[voice]] \nHi", "Hi", [ReplyTo(message_id="1"), Voice()]),
        pytest.param("  [[voice]]\n  x", "  x", [Voice()]),
        pytest.param("  [[voice]] x", "   x", [Voice()], id="unless something else is on it"),
        pytest.param("x\n\n[[voice]]\n\ny", "x\n\n\ny", [Voice()]),
    ],
)  # fmt: skip
def test_directives_are_found_and_taken_out(text: str, shown: str, found: list[Directive]) -> None:
    assert _scanned(text) == (shown, tuple(found))


@pytest.mark.parametrize(
    "text",
    [
        "write `[[reply_to:999]]` first",
        "```\n[[reply_to_current]]\nMEDIA:/x.png\nNO_REPLY\n```",
        "`NO_REPLY`",
        r"\[[voice]]",
        "[[reply:]] [[reply: ]] [[media:]]",
        "[[voice:loud]] [[silently]] [[unknown:1]] [[x]]",
        "[[reply:" + "1" * 257 + "]]",
        "[[reply:1",
        "[reply:1]",
        "[[reply:a\nb]]",
        "MEDIA:",
        "MEDIA: is a word",
        "the MEDIA:/etc/passwd line",
        "Media: https://ex.test says",
        "say NO_REPLY to stay silent",
        "NO_REPLY.",
        "NO",
        "[a](https://ex.test) [[1]](https://ex.test)",
    ],
)
def test_what_is_code_or_malformed_is_text(text: str) -> None:
    assert _scanned(text) == (text, ())


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        pytest.param(["a [[vo", "ice]] b"], ["a ", " b"]),
        pytest.param(["a [[x", "]]"], ["a [[x", "]]"]),
        pytest.param(["N", "O", "_REPLY"], ["", "", ""]),
        pytest.param(["N", "O", "!"], ["", "", "NO!"]),
        pytest.param(["M", "ore"], ["", "More"]),
        pytest.param(["a [", "b](c)"], ["a ", "[b](c)"]),
    ],
)
def test_only_a_tail_that_could_become_a_directive_is_kept_back(
    pieces: list[str], shown: list[str]
) -> None:
    scan = Directives()

    assert [scan.feed(piece) for piece in pieces] == shown


def test_silence_asked_for_beside_words_means_nothing() -> None:
    assert read_directives("Hello\nNO_REPLY") == ("Hello\n", ())
    assert read_directives("NO_REPLY") == ("", (Silent(),))


def test_a_whole_message_is_read_as_people_see_it() -> None:
    text = "<think>[[voice]]</think>[[reply:1]]Hello"

    assert read_directives(text) == ("Hello", (ReplyTo(message_id="1"),))


PARTS = st.lists(
    st.sampled_from(
        (
            *("[[voice]]", "[[reply:1]]", "[[silent]", "[[", "]]", "[", "]", "reply:", "MEDIA:"),
            *(
                "/a.b",
                "M",
                "NO_REPLY",
                "NO",
                "_",
                "**",
                "`",
                "``",
                "```",
                "~~~",
                "\\",
                "\n",
                "\n\n",
            ),
            *("- ", "> ", " ", "  ", "\t", "a", "中"),
        )
    ),
    max_size=14,
).map("".join)


@given(PARTS, st.data())
def test_any_two_pieces_say_what_the_whole_says(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))

    assert _scanned(text[:place], text[place:]) == _scanned(text) == _scanned(*text)


@given(st.text())
def test_a_text_without_directives_stays_as_it_is(text: str) -> None:
    shown, found = _scanned(*text)

    assert found or shown == text


def _scanned(*pieces: str) -> tuple[str, tuple[Directive, ...]]:
    scan = Directives()
    shown = "".join(scan.feed(piece) for piece in pieces) + scan.end()
    return shown, scan.found
