"""A bot to talk to: the one that runs, or one of our own for as long as the command takes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bot.cli.client import Talk, control, is_answered
from bot.contracts.errors import StoreHeld
from bot.settings import Settings

_STARTING_SECONDS: Final = 20.0
"""How long the other process may take to start, or to stop, before it counts as gone."""

_OUR_OWN_SECONDS: Final = 2.0
"""How long our own bot may be away: when it stops, it does not come back."""


@asynccontextmanager
async def attached(settings: Settings) -> AsyncIterator[Talk]:
    """Talk to the bot of this state directory; start one, without its page, if none runs.

    Raises:
        ConfigError: a setting is wrong.
        StoreUnavailable: the state cannot be written.
    """
    async with control(settings.control_socket) as http:
        if await is_answered(settings.control_socket):
            yield Talk(http)
            return
        async with _our_own(settings) as is_ours:
            yield Talk(http, patience=_OUR_OWN_SECONDS if is_ours else _STARTING_SECONDS)


@asynccontextmanager
async def _our_own(settings: Settings) -> AsyncIterator[bool]:
    """Run the bot in this process, unless another process holds the state; say which it is."""
    from bot.app import build  # noqa: PLC0415 - the whole bot, only when none runs
    from bot.serve import serve  # noqa: PLC0415 - the whole bot, only when none runs

    try:
        app = await build(settings, web=False)
    except StoreHeld:
        yield False
        return
    ready, until = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(app, ready=lambda _: ready.set(), until=until))
    waiting = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            yield True
    finally:
        waiting.cancel()
        until.set()
        await serving
