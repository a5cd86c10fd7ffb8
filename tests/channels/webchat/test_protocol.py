"""The words of the WebSocket, and the page that documents them."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.webchat.codec import encode, read_client, read_server
from channels.webchat.errors import translate
from channels.webchat.protocol import ClientFrame, HelloFrame, SayFrame, ServerFrame, WordsFrame

_PAGE = Path(__file__).parents[3] / "docs" / "webchat-protocol.md"
_FRAMES = _PAGE.read_text("utf-8").partition("\n## The list\n")[0]
_HALVES = re.split(r"^## From the bot$", _FRAMES, flags=re.MULTILINE)
_EXAMPLE = re.compile(r"```json\n(.*?)\n```", re.DOTALL)
_FROM_CLIENT, _FROM_BOT = (_EXAMPLE.findall(half) for half in _HALVES)
_ID = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"


def complaint(sent: str) -> str | None:
    """What a client hears that sends this; None if it is a frame."""
    try:
        read_client(sent)
    except (ValueError, RecursionError) as error:
        return translate(error)
    return None


@pytest.mark.parametrize("example", _FROM_CLIENT)
def test_every_documented_client_frame_is_one(example: str) -> None:
    assert json.loads(encode(read_client(example))) == json.loads(example)


@pytest.mark.parametrize("example", _FROM_BOT)
def test_every_documented_frame_of_the_bot_is_one(example: str) -> None:
    frame = read_server(example)

    assert read_server(encode(frame)) == frame
    assert json.loads(example).keys() <= json.loads(encode(frame)).keys()


def test_every_frame_is_documented() -> None:
    from_client = {type(read_client(example)) for example in _FROM_CLIENT}
    from_bot = {type(read_server(example)) for example in _FROM_BOT}

    assert from_client == set(get_args(ClientFrame))
    assert from_bot == set(get_args(ServerFrame))


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        pytest.param("{", "This is not JSON", id="half an object"),
        pytest.param("", "This is not JSON", id="nothing"),
        pytest.param("hello", "This is not JSON", id="a word"),
        pytest.param("[1]", "A frame is a JSON object.", id="a list"),
        pytest.param("null", "A frame is a JSON object.", id="null"),
        pytest.param("[" * 100_000, "nested too deeply", id="a tower"),
        pytest.param("1" * 5_000, "not JSON that can be read", id="a number without end"),
        pytest.param("{}", "needs a type", id="no type"),
        pytest.param('{"type":"shout"}', "no frame of this type", id="unknown type"),
        pytest.param('{"type":["say"]}', "no frame of this type", id="type of a wrong kind"),
        pytest.param('{"type":"hello"}', "'protocol' is missing", id="missing field"),
        pytest.param('{"type":"hello","protocol":"1"}', "'protocol' is not of", id="wrong kind"),
        pytest.param('{"type":"hello","protocol":1,"after_seq":-1}', "'after_seq' is not", id="<0"),
        pytest.param('{"type":"ping","scopes":["admin"]}', "a field too many", id="scopes"),
        pytest.param('{"type":"say","id":"1","text":"a"}', "'id' is no UUID", id="no UUID"),
        pytest.param(
            json.dumps({"type": "say", "id": _ID.upper(), "text": "a"}),
            "'id' is no UUID",
            id="case",
        ),
        pytest.param(json.dumps({"type": "say", "id": _ID, "text": 1}), "'text'", id="no text"),
    ],
)
def test_what_is_no_frame_gets_one_sentence(sent: str, sentence: str) -> None:
    said = complaint(sent)

    assert said is not None
    assert sentence in said
    assert "\n" not in said


def test_half_a_character_is_replaced_and_a_whole_pair_is_joined() -> None:
    sent = r'{"type":"say","id":"ID","text":"a\ud800b \ud83d\ude00"}'.replace("ID", _ID)

    assert read_client(sent) == SayFrame(id=_ID, text="a\ufffdb \N{GRINNING FACE}")


def test_fields_of_a_later_version_of_the_bot_are_passed_over() -> None:
    assert read_server('{"type":"words","turn":"t","text":"a","colour":"red"}') == WordsFrame(
        turn="t", text="a"
    )


def test_a_hello_without_a_line_asks_for_none() -> None:
    assert read_client('{"type":"hello","protocol":1}') == HelloFrame(protocol=1, after_seq=None)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_frame_or_a_sentence(sent: str) -> None:
    said = complaint(sent)

    assert said is None or said.endswith(".")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_words_come_out_as_they_went_in(text: str) -> None:
    assert read_server(encode(WordsFrame(turn="t", text=text))) == WordsFrame(turn="t", text=text)
