import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.errors import ModelDisconnected, ModelError
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.model import Delta, ModelParts, ModelTimeouts, TextDelta, ThinkingDelta
from bot.models.reading import Reading
from bot.models.server import Server
from bot.models.sse import LONGEST, EventStream
from tests.models.rig import StillClock

SERVER = Server(provider="OpenAI", model="m", base_url="http://127.0.0.1:1", keyed=True)
QUICK = ModelParts(
    model="m",
    clock=StillClock(),
    timeouts=ModelTimeouts(first_seconds=0.05, idle_seconds=0.05),
)


class WordReader:
    """Every event is a word, or a list of one: a thought; a full stop completes the message."""

    def __init__(self) -> None:
        self._words: list[str] = []

    @property
    def complete(self) -> bool:
        return "." in self._words

    def feed(self, event: object) -> Iterator[Delta]:
        match event:
            case [str(thought)]:
                yield ThinkingDelta(text=thought)
            case str(word):
                self._words.append(word)
                yield TextDelta(text=word)
            case _:
                raise ModelDisconnected("no word")

    def message(self) -> AssistantMessage:
        if not self.complete:
            raise ModelDisconnected("no full stop")
        return AssistantMessage(text=" ".join(self._words), stop=StopReason.END)


class Pieces:
    """What comes from the network, and how it ends."""

    def __init__(self, *pieces: bytes, then: str = "end") -> None:
        self._left = iter(pieces)
        self._then = then

    async def __call__(self) -> bytes:
        if (piece := next(self._left, None)) is not None:
            return piece
        if self._then == "break":
            raise ModelDisconnected("broken")
        if self._then == "stall":
            await asyncio.Event().wait()
        return b""


def frames(*events: object) -> tuple[bytes, ...]:
    return tuple(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


async def heard(pieces: Callable[[], Awaitable[bytes]]) -> list[Delta]:
    return (await both(pieces))[0]


async def both(pieces: Callable[[], Awaitable[bytes]]) -> tuple[list[Delta], AssistantMessage]:
    reading = Reading(EventStream(), WordReader(), QUICK, SERVER)
    found: list[Delta] = []
    while (words := await reading.words(pieces)) is not None:
        found += words
    return found, reading.message()


def texts(deltas: list[Delta]) -> list[str]:
    return [delta.text for delta in deltas]


@pytest.mark.parametrize("then", ["end", "break", "stall"])
async def test_what_breaks_after_the_stop_reason_is_no_fault(then: str) -> None:
    deltas, message = await both(Pieces(*frames("so", "."), then=then))

    assert texts(deltas) == ["so", "."]
    assert message.text == "so ."


@pytest.mark.parametrize("then", ["end", "break", "stall"])
async def test_what_breaks_before_it_is_one(then: str) -> None:
    with pytest.raises(ModelDisconnected):
        await both(Pieces(*frames("so"), then=then))


async def test_what_follows_the_stop_reason_is_still_read() -> None:
    assert texts(await heard(Pieces(*frames("so", ".", "P.S.")))) == ["so", ".", "P.S."]


@pytest.mark.parametrize("rest", [b"data: {oops\n\n", b'data: {"error": "no"}\n\n', b"data: 1\n\n"])
async def test_a_piece_after_the_stop_reason_that_cannot_be_read_takes_no_word_away(
    rest: bytes,
) -> None:
    deltas, message = await both(Pieces(b"".join(frames("so", ".")) + rest))

    assert texts(deltas) == ["so."]
    assert message.text == "so ."


async def test_the_mark_of_the_end_is_no_event_and_nothing_after_it_is_one() -> None:
    pieces = Pieces(*frames("so", "."), b"data: [DONE]\n\n", *frames("never"), then="stall")

    assert texts(await heard(pieces)) == ["so", "."]


async def test_what_comes_together_is_said_together_and_thoughts_stay_apart() -> None:
    deltas = await heard(Pieces(b"".join(frames("a", "b", ["hm"], ["m"], "c", "."))))

    assert deltas == [TextDelta(text="ab"), ThinkingDelta(text="hmm"), TextDelta(text="c.")]


async def test_an_error_in_the_middle_is_one_whatever_came_with_it() -> None:
    with pytest.raises(ModelError, match="stumbled"):
        await heard(Pieces(b"".join(frames("so", {"error": "out of memory"}))))


async def test_signs_of_life_that_are_no_events_do_not_buy_time() -> None:
    async def alive() -> bytes:
        await asyncio.sleep(0)
        return b": still here\n\n"

    with pytest.raises(ModelDisconnected, match=r"sent nothing for 0\.05 seconds"):
        await both(alive)


async def test_an_event_without_end_is_a_fault() -> None:
    with pytest.raises(ModelDisconnected, match="more than 16,777,216 bytes"):
        await heard(Pieces(b"data: " + b"x" * LONGEST + b"x"))


async def test_an_answer_without_end_is_a_fault() -> None:
    with pytest.raises(ModelDisconnected, match="more than 67,108,864 bytes"):
        await heard(Pieces(*[b": " + b"x" * LONGEST + b"\n"] * 5))


@given(
    words=st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=8),
    cuts=st.lists(st.integers(0, 400), max_size=8),
)
def test_wherever_the_network_cuts_them_the_words_are_the_same(
    words: list[str], cuts: list[int]
) -> None:
    whole = b"".join(frames(*words, "."))
    at = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(at) if a != b]

    deltas, message = asyncio.run(both(Pieces(*pieces)))

    assert "".join(texts(deltas)) == "".join(words) + "."
    assert message.text == " ".join((*words, "."))
