"""The address of a store names its backend."""

import pytest

from bot.contracts.errors import ConfigError, StoreUnavailable
from bot.store import open_ledger, open_store
from tests.doubles.clock import FakeClock


@pytest.mark.parametrize(
    "url",
    [
        "",
        "stone.db",
        "/var/lib/stone.db",
        "mysql://localhost/stone",
        "codec://x",
        "../sqlite:///x",
        "sqlite.turns:///x",
        "sqlite://relative.db",
        "sqlite:///",
    ],
)
async def test_an_address_that_names_no_store_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(ConfigError) as told:
        await open_store(url, clock=FakeClock())
    assert told.value.setting == "store"
    assert "sqlite:///" in str(told.value)
    with pytest.raises(ConfigError):
        await open_ledger(url)


async def test_lists_of_a_store_that_was_never_opened_say_so() -> None:
    with pytest.raises(StoreUnavailable, match="start the bot once"):
        await open_ledger("sqlite:///nowhere/at/all.db")
