import pytest

from bot.reply.directives import Directive, Silent, Voice
from bot.reply.silence import Silence, silence


@pytest.mark.parametrize(
    ("words", "found", "direct", "expected"),
    [
        pytest.param("Hello", [], True, Silence.BROKEN, id="words are words"),
        pytest.param("Hello", [Silent()], False, Silence.BROKEN, id="even beside the directive"),
        pytest.param(" \n", [Silent()], False, Silence.CHOSEN, id="a room may be left in peace"),
        pytest.param("", [Silent()], True, Silence.FAULT, id="a person may not"),
        pytest.param("", [], False, Silence.FAULT, id="nobody chose it"),
        pytest.param("", [Voice()], False, Silence.FAULT, id="a voice without words says nothing"),
    ],
)
def test_silence(words: str, found: list[Directive], direct: bool, expected: Silence) -> None:
    assert silence(words, found, direct=direct) is expected
