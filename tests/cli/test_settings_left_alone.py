"""What somebody wrote by hand stays as it is, whatever is typed and from wherever it is typed."""

import hashlib
import stat
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from bot.cli import Exit, app
from bot.settings.load import LAST_GOOD
from tests.doubles.bot_process import BotProcess
from tests.doubles.commands import Commands

WRITTEN: Final = """\
# by hand, and nothing in it says who wrote it
limits: {model_calls: 61}

models:
  main:   {provider: demo, model: "m", key: "${MY_TOKEN}"}   # not the key itself
"""
SECRET: Final = "canary-of-the-environment"
TYPED: Final = {
    "ask": ["what time is it?"],
    "trace": ["no-such-turn"],
    "channels add": ["telegram", "--help"],
    "web invite": ["Ana", "--help"],
}
"""What a command is given besides its name. One that waits for somebody is only asked for help."""
WAITING: Final = {"run": ["--help"], "chat": []}


def _commands(group: Any, above: str = "") -> list[str]:  # noqa: ANN401 - click's, as typer has it
    names: list[str] = []
    for name, command in group.commands.items():
        path = f"{above} {name}".strip()
        names += _commands(command, path) if hasattr(command, "commands") else [path]
    return names


COMMANDS: Final = _commands(typer.main.get_command(app))


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    found = Commands(tmp_path)
    found.configure(WRITTEN)
    (found.home / "config.yaml").chmod(0o600)
    return found


def _holding(folder: Path, words: str) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if words.encode() in path.read_bytes()]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_changes_the_settings_or_writes_a_secret_down(
    commands: Commands, command: str
) -> None:
    file = commands.home / "config.yaml"
    before = hashlib.sha256(file.read_bytes())

    given = [*TYPED.get(command, []), *WAITING.get(command, [])]
    said = commands.say(*command.split(), *given, MY_TOKEN=SECRET)

    assert "Traceback" not in said.err
    assert hashlib.sha256(file.read_bytes()).digest() == before.digest()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert SECRET not in said.out + said.err
    assert _holding(commands.folder, SECRET) == []


async def test_a_start_keeps_the_last_good_settings_as_they_were_written(
    commands: Commands,
) -> None:
    bot = BotProcess(commands.home, {"MY_TOKEN": SECRET})
    await bot.start()
    await bot.stop()

    kept = commands.home / LAST_GOOD
    assert kept.read_text() == (commands.home / "config.yaml").read_text() == WRITTEN
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert _holding(commands.folder, SECRET) == []


@pytest.mark.parametrize("command", ["turns", "sessions", "outbox"])
def test_what_is_wrong_elsewhere_keeps_nobody_from_reading_the_lists(
    commands: Commands, command: str
) -> None:
    commands.say("ask", "what time is it?", MY_TOKEN=SECRET)
    commands.configure(f"{WRITTEN}http: {{port: x}}\n")

    said = commands.say(command)

    assert said.code == Exit.DONE
    assert said.err.startswith("! ")
    assert "MY_TOKEN" in said.err
    assert "and 1 more" in said.err


def test_a_store_that_is_not_known_is_not_guessed(commands: Commands) -> None:
    commands.configure("store: y\n")

    assert commands.say("turns").code == Exit.CONFIG


@pytest.mark.parametrize("place", ["/", "HOME", "below"])
def test_the_same_settings_mean_the_same_from_wherever_they_are_read(
    commands: Commands, place: str
) -> None:
    (commands.folder / "below").mkdir()
    commands.configure("agents: {main: {workspace: ./work}}\nstore: sqlite:///~/db/x.db\n")
    cwd = {"/": Path("/"), "HOME": commands.folder, "below": commands.folder / "below"}[place]

    said = commands.say_in(cwd, "check")

    assert said.code == Exit.DONE, said.err
    assert f"{commands.home}/work" in said.out
    assert f"sqlite://{commands.folder}/db/x.db" in said.out


def test_without_a_home_it_says_what_to_set_and_writes_nowhere(
    commands: Commands, tmp_path: Path
) -> None:
    said = commands.say_in(tmp_path, "check", HOME="")

    assert said.code == Exit.CONFIG
    assert "STONECHAT_HOME" in said.err
    assert "HOME is not set" in said.err
    assert said.err.count("\n") == 1
