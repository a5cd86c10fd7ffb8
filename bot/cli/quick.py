"""What a start imports, without the part of it that takes long and is not used."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bot.trust import reading_later


def import_quickly() -> None:
    """Import aiohttp without the store of certificates, and structlog without rich.

    Whoever imports them first decides; so this comes before the rest of the bot.
    """
    with reading_later():
        importlib.import_module("aiohttp")
    with _left_out("rich"):  # it would draw tracebacks, and ours are plain
        importlib.import_module("structlog")
    importlib.import_module("bot.settings.alone")  # before whoever else makes models of pydantic


@contextmanager
def _left_out(module: str) -> Iterator[None]:
    """Let *module* be one that is not installed (the import system's reference, 5.3.1)."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # what the reference says to put there
    try:
        yield
    finally:
        del sys.modules[module]
