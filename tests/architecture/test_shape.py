"""The parallel shapes: what has been learnt once holds for every folder of its kind."""

from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from bot.contracts.channel import ChannelSpec
from bot.contracts.model import ProviderSpec
from tests.architecture.source import ROOT, packages

CHANNEL: Final = ("__init__", "settings", "adapter", "ingest", "render", "errors")
PROVIDER: Final = ("__init__", "client", "wire")
BACKEND: Final = (
    "__init__",
    "turns",
    "transcripts",
    "sessions",
    "outbox",
    "records",
    "ledger",
    "conversations",
    "migrate",
)

CHANNELS: Final = packages("channels")
PROVIDERS: Final = packages("bot/models")
BACKENDS: Final = packages("bot/store")


@pytest.mark.parametrize("folder", CHANNELS)
def test_a_channel_has_the_files_of_a_channel_and_exports_it(folder: str) -> None:
    exported = import_module(folder.replace("/", ".")).CHANNEL

    assert not _missing(folder, CHANNEL)
    assert isinstance(exported, ChannelSpec)
    assert exported.name == Path(folder).name


@pytest.mark.parametrize("folder", PROVIDERS)
def test_a_provider_exports_itself_and_has_three_files_if_it_has_a_wire(folder: str) -> None:
    exported = import_module(folder.replace("/", ".")).PROVIDER

    assert isinstance(exported, ProviderSpec)
    assert exported.name == Path(folder).name
    if (ROOT / folder / "wire.py").exists():
        assert not _missing(folder, PROVIDER)


@pytest.mark.parametrize("folder", BACKENDS)
def test_a_store_backend_has_a_file_for_each_part_of_the_store(folder: str) -> None:
    assert not _missing(folder, BACKEND)


def test_there_is_something_to_check() -> None:
    assert CHANNELS
    assert PROVIDERS
    assert BACKENDS


@pytest.mark.parametrize("folder", [*packages("bot"), *CHANNELS, *PROVIDERS])
def test_a_package_has_a_test_folder_of_the_same_name(folder: str) -> None:
    beside = ROOT / "tests" / folder.removeprefix("bot/")

    assert any(beside.rglob("*.py")), f"nothing tests {folder}: expected {beside.name}/test_*.py"


def _missing(folder: str, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if not (ROOT / folder / f"{name}.py").is_file()]
