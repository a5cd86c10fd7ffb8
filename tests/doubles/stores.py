"""The real store in a folder of the test's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.clock import SystemClock
from bot.contracts.clock import Clock
from bot.contracts.store import Store
from bot.store import open_store


@asynccontextmanager
async def a_store(folder: Path, clock: Clock | None = None) -> AsyncIterator[Store]:
    """Open a SQLite store in *folder*, and close it."""
    url = f"sqlite://{folder / 'stonechat.db'}"
    store = await open_store(url, clock=clock or SystemClock())
    try:
        yield store
    finally:
        await store.close()
