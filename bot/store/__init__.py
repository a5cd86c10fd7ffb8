"""Opens what is remembered: the scheme of a URL names the backend's folder."""

import importlib
import importlib.util
from typing import Final, Protocol, cast

from bot.contracts.clock import Clock
from bot.contracts.errors import ConfigError
from bot.contracts.ledger import Ledger
from bot.contracts.store import Store

MOST_WAITING: Final = 2_000
"""How many turns may wait in all, unless the settings say otherwise."""

_SETTING = "store"
_EXPECTED = "an address such as sqlite:///path/to/stonechat.db"


class Backend(Protocol):
    """What a backend's folder exports."""

    async def open_store(self, url: str, *, clock: Clock, most_waiting: int) -> Store:
        """Open it to read and write, alone."""
        ...

    async def open_ledger(self, url: str) -> "OpenLedger":
        """Open it to read, beside whoever writes."""
        ...


class OpenLedger(Ledger, Protocol):
    """A ledger with a connection of its own."""

    async def close(self) -> None:
        """Let go of it."""
        ...


async def open_store(url: str, *, clock: Clock, most_waiting: int = MOST_WAITING) -> Store:
    """Open the store at *url*, and be the only one who has it open.

    At most *most_waiting* turns wait in it.

    Raises:
        ConfigError: no backend has this scheme, or the address is not one of its own.
        StoreHeld: another process has it open.
        StoreUnavailable: it cannot be read or written; the sentence says why.
    """
    return await _backend(url).open_store(url, clock=clock, most_waiting=most_waiting)


async def open_ledger(url: str) -> OpenLedger:
    """Open the lists of the store at *url*, also while a bot has it open.

    Raises:
        ConfigError: no backend has this scheme, or the address is not one of its own.
        StoreUnavailable: there is nothing to read yet, or it cannot be read.
    """
    return await _backend(url).open_ledger(url)


def _backend(url: str) -> Backend:
    scheme, separator, _ = url.partition("://")
    if not separator or not scheme.isidentifier():
        raise ConfigError(_SETTING, f"{url!r}", _EXPECTED)
    name = f"{__name__}.{scheme}"
    found = importlib.util.find_spec(name)
    if found is None or found.submodule_search_locations is None:
        raise ConfigError(_SETTING, f"the scheme {scheme!r}", _EXPECTED)
    return cast("Backend", importlib.import_module(name))
