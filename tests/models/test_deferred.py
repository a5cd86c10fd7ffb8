import asyncio

import pytest

from bot.contracts.errors import ModelUnavailable
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelParts
from bot.models.deferred import DeferredModel
from bot.models.server import Server
from tests.doubles import slow_client
from tests.models.rig import HELLO, StillClock

PARTS = ModelParts(model="m", clock=StillClock())
SERVER = Server(provider="Slow", model="m", base_url="http://127.0.0.1:1", keyed=False)


def model() -> DeferredModel:
    return DeferredModel(slow_client.__name__, PARTS, SERVER)


async def said(slow: DeferredModel) -> str:
    last = [event async for event in slow.stream(HELLO)][-1]
    assert isinstance(last, AssistantMessage)
    return last.text


async def test_one_caller_that_gives_up_does_not_stop_the_others() -> None:
    slow_client.MAY_OPEN.clear()
    slow = model()
    first, second = asyncio.create_task(said(slow)), asyncio.create_task(said(slow))
    await asyncio.sleep(0)

    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    slow_client.MAY_OPEN.set()

    assert await second == "hello"
    assert slow_client.OPENED == ["m"]
    await slow.close()
    assert slow_client.OPENED == []


async def test_a_model_that_was_never_asked_has_nothing_to_close() -> None:
    await model().close()

    assert slow_client.OPENED == []


async def test_one_that_could_not_be_opened_is_no_answer_and_opened_anew_the_next_time() -> None:
    slow_client.MAY_OPEN.set()
    slow_client.FAILS_WITH[:] = [OSError(24, "Too many open files")]
    slow = model()

    with pytest.raises(ModelUnavailable, match="Too many open files"):
        await said(slow)

    assert await said(slow) == "hello"
    await slow.close()


async def test_one_that_could_not_be_opened_ends_neither_the_start_nor_the_stop() -> None:
    slow_client.MAY_OPEN.set()
    slow_client.FAILS_WITH[:] = [OSError(24, "Too many open files")]
    slow = model()

    await slow.warm()
    await slow.close()

    assert slow_client.OPENED == []
    assert slow_client.FAILS_WITH == []
