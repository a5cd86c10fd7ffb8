"""The lists of the store for a command that only reads, whether the bot runs or not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.contracts.ledger import Ledger
from bot.settings import home_folder, load_settings
from bot.store import open_ledger


@asynccontextmanager
async def ledger() -> AsyncIterator[Ledger]:
    """Open the ledger that the settings name, and let go of it.

    Raises:
        ConfigError: the settings are broken, and there are no last good ones.
        StoreUnavailable: there is nothing to read yet, or it cannot be read.
    """
    opened = await open_ledger(load_settings(home_folder()).store)
    try:
        yield opened
    finally:
        await opened.close()
