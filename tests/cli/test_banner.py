"""The start says what runs and at whose cost, and how to get in."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.cli.banner import banner, local_server, way_in, way_to_a_link
from bot.contracts.setup import LocalServer
from bot.sandbox.find import NoSandbox
from bot.settings import Settings
from tests.doubles.settings_files import SettingsFiles

ABSENT = NoSandbox(reason="no shell: bubblewrap is not installed; install it")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return SettingsFiles(tmp_path).read(OPENAI_API_KEY="sk-canary-1")


def test_model_workspace_shell_and_page_are_named(settings: Settings) -> None:
    words = banner(settings, ABSENT, "http://127.0.0.1:7870")

    assert "gpt-5.5 (key from OPENAI_API_KEY in the environment)" in words
    assert str(settings.home / "workspace") in words
    assert "shell      off: bubblewrap is not installed; install it" in words
    assert "http://127.0.0.1:7870" in words
    assert "canary" not in words


def test_a_problem_and_findings_are_not_overlooked(settings: Settings) -> None:
    words = banner(replace(settings, problem="x is broken", findings=("y is odd",)), ABSENT, "")

    assert "PROBLEM    x is broken" in words
    assert "note       y is odd" in words


def test_under_ssh_the_tunnel_comes_before_the_link() -> None:
    words = way_in("http://x/#c", "ssh -N -L 1:127.0.0.1:1 host")

    assert words.index("ssh -N -L 1:127.0.0.1:1 host") < words.index("http://x/#c")
    assert "SSH" not in way_in("http://x/#c", None)


def test_without_a_terminal_there_is_no_link_but_the_way_to_one() -> None:
    assert way_to_a_link("script/run") == "For a link to the page, run: script/run open"


def test_a_server_that_was_found_is_named_with_the_command_that_uses_it() -> None:
    found = LocalServer(kind="ollama", address="http://127.0.0.1:11434", models=("qwen3:8b",))

    words = local_server(found, "script/run")

    assert words.startswith("Ollama runs on this machine with qwen3:8b.")
    assert words.endswith("script/run models add --local --model qwen3:8b")
