"""What starts in which order, and how it stops, also when something breaks."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app import build
from bot.assistant import Seams
from bot.contracts.channel import Gateway
from bot.contracts.inbound import (
    Conversation,
    ConversationKind,
    EventClass,
    Inbound,
    Sender,
    Source,
)
from bot.contracts.ledger import TurnQuery
from bot.serve import serve
from bot.settings import load_settings
from bot.store import open_ledger
from bot.workspace.seed import seed, template_folder
from tests.doubles.clock import START
from tests.doubles.fake_channel import FakeChannel
from tests.doubles.scripted_model import ScriptedModel


class BreakingDoor(FakeChannel):
    """Takes one message, and breaks once the model is asked."""

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__()
        self.model = model

    async def listen(self, gateway: Gateway) -> None:
        await gateway.receive(
            Inbound(
                source=Source("c:1"),
                event=EventClass.MESSAGE,
                channel="webchat",
                account="default",
                conversation=Conversation(kind=ConversationKind.DIRECT, id="main"),
                sender=Sender(id="owner"),
                text="hello",
                sent_at=START,
                native_id="1",
            )
        )
        await self.model.asked.wait()
        raise ZeroDivisionError("a bug of the channel")


async def test_a_channel_that_breaks_ends_the_bot_and_its_turns_are_put_back(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    settings = load_settings(home, {"HOME": str(home)})
    seed(Path(settings.agents["main"].workspace), template_folder())
    model = ScriptedModel()
    model.holding = asyncio.Event()
    app = await build(settings, web=False, seams=Seams(models={"demo": model}))
    door = BreakingDoor(model)

    with pytest.raises(ExceptionGroup) as told:
        async with asyncio.timeout(20):
            await serve(replace(app, channels=(*app.channels, door)))

    assert told.group_contains(ZeroDivisionError)
    ledger = await open_ledger(settings.store)
    (listed,) = await ledger.turns(TurnQuery())
    record = await ledger.turn(listed.turn.id)
    await ledger.close()
    assert record is not None
    assert [attempt.reason for attempt in record.attempts] == ["released"]
