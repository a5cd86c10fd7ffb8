"""The bot in this process, spoken to where a channel does: at its gateway."""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from bench.inside import Say
from bot import log
from bot.app import App, build
from bot.contracts import inbound as said
from bot.contracts.events import Delivered, TurnEnded
from bot.serve import serve
from bot.settings import load_settings
from bot.workspace.seed import seed, template_folder

_PATIENCE_SECONDS: Final = 60.0


@asynccontextmanager
async def a_bot(home: Path, base_url: str) -> AsyncIterator[tuple[Say, int]]:
    """Give what says something to the bot's gateway, and how its store commits."""
    log.configure(terminal=sys.stderr, colours=False, logs=home / "logs")
    environ = {"HOME": str(home), "OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": base_url}
    settings = load_settings(home, environ)
    seed(Path(settings.agents["main"].workspace), template_folder())
    app = await build(settings, web=False)
    ready, until = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(app, ready=lambda _: ready.set(), until=until))
    await ready.wait()
    try:
        yield partial(_say, app), await _synchronous(app)
    finally:
        until.set()
        await serving


async def _say(app: App, conversation: int, text: str) -> bool:
    """Say something to the bot as its owner, in a thread, which is a session of its own."""
    native_id = str(uuid4())
    one = said.Inbound(
        source=said.Source(f"c:{native_id}"),
        event=said.EventClass.MESSAGE,
        channel="webchat",
        account="default",
        conversation=said.Conversation(
            kind=said.ConversationKind.DIRECT, id="bench", thread_id=str(conversation)
        ),
        sender=said.Sender(id="owner"),
        text=text,
        sent_at=app.clock.now(),
        native_id=native_id,
    )
    outcome, delivered = "", False
    with app.gateway.follow(one.conversation_key) as news:
        (accepted,) = await app.gateway.receive(one)
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not (outcome and delivered):
                event = await anext(news)
                if event.turn_id == accepted.turn_id:
                    outcome = event.outcome if isinstance(event, TurnEnded) else outcome
                    delivered = delivered or isinstance(event, Delivered)
    return outcome == "answered"


async def _synchronous(app: App) -> int:
    def unit(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA synchronous").fetchone()[0])

    store: Any = app.store  # only the connection that writes knows its own mode
    return int(await store._writer.write(unit))  # noqa: SLF001 - reads a pragma that no verb tells
