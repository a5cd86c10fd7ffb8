"""What a command makes before the bot starts, and what it refuses."""

import signal
from pathlib import Path

import pytest

from bot.cli import Exit
from tests.doubles.commands import Commands


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def test_a_first_command_makes_home_settings_workspace_and_log(commands: Commands) -> None:
    said = commands.say("ask", "what can you do?")

    assert said.code == Exit.DONE
    written = (commands.home / "config.yaml").read_text()
    assert written.startswith("# yaml-language-server: $schema=schema.json\n# The settings")
    assert (commands.home / "workspace" / "notes" / "meeting.md").exists()
    assert (commands.home / "logs" / "stonechat.log").exists()


def test_the_terminal_belongs_to_the_answer(commands: Commands) -> None:
    said = commands.say("ask", "what can you do?")

    assert "demo" in said.out
    assert said.err == ""


def test_a_planned_fault_happens(commands: Commands) -> None:
    said = commands.say("ask", "what can you do?", STONECHAT_FAULT="in.commit:after=kill")

    assert said.code == -signal.SIGKILL


@pytest.mark.parametrize(
    ("blocked", "said_of_it"), [("logs", "the log"), ("workspace", "agents.main.workspace")]
)
def test_a_folder_that_cannot_be_made_is_one_line(
    commands: Commands, blocked: str, said_of_it: str
) -> None:
    commands.configure("http: {port: 0}")
    (commands.home / blocked).write_text("")

    said = commands.say("run")

    assert said.code == Exit.CONFIG
    assert f"{said_of_it}: found {commands.home}/{blocked}, which cannot be written" in said.err
    assert said.err.count("\n") == 1
