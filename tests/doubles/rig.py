"""The whole bot with doubles at its edges: somebody says things, and a screen shows lines."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from bot.app import App, build
from bot.assistant import Seams
from bot.contracts.channel import Accepted
from bot.contracts.inbound import (
    Conversation,
    ConversationKey,
    ConversationKind,
    EventClass,
    Inbound,
    Sender,
    Source,
)
from bot.contracts.ledger import Direction, TurnRecord
from bot.contracts.model import ChatModel
from bot.contracts.tool import Tool
from bot.contracts.turn import TurnId
from bot.serve import serve
from bot.settings import load_settings, read_settings
from bot.workspace.seed import seed, template_folder
from tests.doubles.scripted_model import ScriptedModel, Step

_PATIENCE_SECONDS = 20.0
PAGE = ConversationKey(channel="webchat", account="default", conversation_id="main")


@dataclass
class Rig:
    """What a person can do, and what they see."""

    app: App
    model: ScriptedModel
    conversation: ConversationKey = field(default=PAGE)
    sender: Sender = field(default=Sender(id="owner"))

    @property
    def workspace(self) -> Path:
        return Path(self.app.settings.agents["main"].workspace)

    async def say(
        self, text: str, *, client_id: str | None = None, replaces: str | None = None
    ) -> Accepted:
        """Write something on the page, maybe instead of what was written before."""
        inbound = self.inbound(text, client_id)
        if replaces is not None:
            inbound = replace(inbound, edited_source=Source(f"c:{replaces}"))
        (accepted,) = await self.app.gateway.receive(inbound)
        return accepted

    async def press_stop(self) -> Accepted:
        """Press the stop button."""
        inbound = self.inbound("/stop", None, EventClass.INTERACTION)
        (accepted,) = await self.app.gateway.receive(inbound)
        return accepted

    async def outcome(self, turn_id: TurnId) -> TurnRecord:
        """Wait until a turn has ended and what tells of it has arrived."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            with self.app.gateway.follow(self.conversation) as news:
                while True:
                    record = await self.app.gateway.turn(turn_id)
                    assert record is not None
                    delivered = all(
                        d.state not in {"pending", "sending"} for d in record.deliveries
                    )
                    if record.outcome is not None and delivered:
                        return record
                    await anext(news)

    async def answered(self, text: str) -> str:
        """Say something, and return what was said to it."""
        accepted = await self.say(text)
        await self.outcome(accepted.turn_id)
        return "\n".join(await self.said_to(accepted.turn_id))

    async def said_to(self, turn_id: TurnId) -> list[str]:
        """What the screen shows as said in one turn."""
        lines = await self.app.gateway.lines(self.conversation, after=0)
        return [
            line.text
            for line in lines
            if line.turn_id == turn_id and line.direction is Direction.SAID
        ]

    async def screen(self) -> list[str]:
        """Every line of the page, in order."""
        return [line.text for line in await self.app.gateway.lines(self.conversation, after=0)]

    def inbound(
        self, text: str, client_id: str | None = None, event: EventClass = EventClass.MESSAGE
    ) -> Inbound:
        """Make what the page's channel makes of a text."""
        native_id = client_id or str(uuid4())
        return Inbound(
            source=Source(f"c:{native_id}"),
            event=event,
            channel=self.conversation.channel,
            account=self.conversation.account,
            conversation=Conversation(
                kind=ConversationKind.DIRECT,
                id=self.conversation.conversation_id,
                thread_id=self.conversation.thread_id,
            ),
            sender=self.sender,
            text=text,
            sent_at=self.app.clock.now(),
            native_id=native_id,
        )


@asynccontextmanager
async def a_rig(
    home: Path,
    *steps: Step,
    tools: Sequence[Tool[Any]] = (),
    drain_seconds: float = 5.0,
    environ: Mapping[str, str] | None = None,
    asks: ChatModel | None = None,
) -> AsyncIterator[Rig]:
    """Run the bot on *home*, with a model that takes *steps*; stop it as an operator would.

    A key in *environ* makes it ask that key's server instead, *asks* that very model.
    """
    home.mkdir(mode=0o700, exist_ok=True)
    around = {"HOME": str(home), **(environ or {})}
    settings = load_settings(home, around)
    for agent in settings.agents.values():
        seed(Path(agent.workspace), template_folder())
    model = ScriptedModel(*steps)
    seams = Seams(models={"demo": asks or model}, tools=tuple(tools))
    app = await build(settings, web=False, seams=seams, read=lambda: read_settings(home, around))
    ready, until = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(
        serve(app, ready=lambda _: ready.set(), until=until, drain_seconds=drain_seconds)
    )
    started = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED)
        yield Rig(app=app, model=model)
    finally:
        started.cancel()
        until.set()
        await asyncio.wait_for(serving, 30)
