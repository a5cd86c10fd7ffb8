import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from bot.contracts.errors import ModelDisconnected
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.model import ModelEvent, ModelTimeouts, TextDelta
from bot.models.reading import read
from bot.models.server import Server

SERVER = Server(provider="OpenAI", model="m", base_url="http://127.0.0.1:1", keyed=True)
QUICK = ModelTimeouts(first_seconds=0.05, idle_seconds=0.05)


class WordReader:
    """Every event is a word; a full stop completes the message."""

    def __init__(self) -> None:
        self._words: list[str] = []

    @property
    def complete(self) -> bool:
        return "." in self._words

    def feed(self, event: object) -> Iterator[ModelEvent]:
        self._words.append(str(event))
        yield TextDelta(text=str(event))

    def message(self) -> AssistantMessage:
        if not self.complete:
            raise ModelDisconnected("no full stop")
        return AssistantMessage(text=" ".join(self._words), stop=StopReason.END)


async def words(*said: str, then: str = "end") -> AsyncIterator[object]:
    for word in said:
        yield word
    if then == "break":
        raise ModelDisconnected("broken")
    if then == "stall":
        await asyncio.Event().wait()


async def texts(events: AsyncIterator[object]) -> list[str]:
    return [
        event.text
        async for event in read(events, WordReader(), QUICK, SERVER)
        if isinstance(event, TextDelta | AssistantMessage)
    ]


@pytest.mark.parametrize("then", ["end", "break", "stall"])
async def test_what_breaks_after_the_stop_reason_is_no_fault(then: str) -> None:
    assert await texts(words("so", ".", then=then)) == ["so", ".", "so ."]


@pytest.mark.parametrize("then", ["end", "break", "stall"])
async def test_what_breaks_before_it_is_one(then: str) -> None:
    with pytest.raises(ModelDisconnected):
        await texts(words("so", then=then))


async def test_what_follows_the_stop_reason_is_still_read() -> None:
    assert await texts(words("so", ".", "P.S.")) == ["so", ".", "P.S.", "so . P.S."]
