"""Where the others are asked, by the variables that their own users know."""

from pathlib import Path

import pytest

from bot.settings.elsewhere import ollama_address
from tests.doubles.settings_files import SettingsFiles


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - what people write there
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("[::]:11434", "http://127.0.0.1:11434"),
        ("[::1]:11434", "http://[::1]:11434"),
        ("box.lan", "http://box.lan:11434"),
        ("http://box.lan", "http://box.lan:80"),
        ("https://ollama.example/api-of-mine/", "https://ollama.example:443/api-of-mine"),
        (":8080", "http://127.0.0.1:8080"),
        ("http://box:port", "http://127.0.0.1:11434"),
        ('"127.0.0.1:1"', "http://127.0.0.1:1"),
    ],
)
def test_ollamas_address_is_read_as_its_own_command_reads_it(written: str, address: str) -> None:
    assert ollama_address(written) == address


def test_a_stored_token_waits_for_its_channel_and_no_longer(files: SettingsFiles) -> None:
    (files.home / ".env").write_text(
        "TELEGRAM_BOT_TOKEN=1:a\nTELEGRAM_BOT_URL=https://t.me/example_bot\n"
    )

    (stored,) = files.read().stored

    assert (stored.channel, stored.identity) == ("telegram", "@example_bot")
    assert files.read("channels: {telegram: {}}").stored == ()


def test_a_token_that_somebody_wrote_there_by_hand_has_no_name(files: SettingsFiles) -> None:
    assert files.read(TELEGRAM_BOT_TOKEN="1:a").stored[0].identity == ""


def test_a_model_of_ollama_is_where_its_own_variable_says_unless_the_file_says_more(
    files: SettingsFiles,
) -> None:
    yaml = "models: {{x: {{provider: ollama, model: m{more}}}}}\n"
    host = {"OLLAMA_HOST": "box.lan:1234"}

    assert files.read(yaml.format(more=""), **host).models["x"].base_url == "http://box.lan:1234"
    assert files.read(yaml.format(more="")).models["x"].base_url is None
    more = ", base_url: http://127.0.0.1:1"
    assert files.read(yaml.format(more=more), **host).models["x"].base_url == "http://127.0.0.1:1"
