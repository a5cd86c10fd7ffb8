"""The lists of the store for a command that only reads, whether the bot runs or not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import typer

from bot.contracts.ledger import Ledger
from bot.contracts.secret import mask
from bot.settings import SettingsBroken, home_folder, load_settings
from bot.store import open_ledger


@asynccontextmanager
async def ledger() -> AsyncIterator[Ledger]:
    """Open the ledger that the settings name, and let go of it.

    Settings that are broken elsewhere are told, and keep nobody from reading.

    Raises:
        ConfigError: the settings are broken, and where the store is cannot be told.
        StoreUnavailable: there is nothing to read yet, or it cannot be read.
    """
    opened = await open_ledger(_store())
    try:
        yield opened
    finally:
        await opened.close()


def _store() -> str:
    try:
        return load_settings(home_folder()).store
    except SettingsBroken as error:
        if error.store is None:
            raise
        typer.echo(f"! {mask(str(error))}", err=True)
        return error.store
