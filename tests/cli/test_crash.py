"""A bug is one sentence for the person; its traceback is kept, without secrets."""

from pathlib import Path

import pytest

from tests.doubles.commands import Commands

PROGRAM = "import runpy; runpy.run_module('bot')"


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    found = Commands(tmp_path)
    found.configure("http: {port: 1}")
    return found


def _with_a_bug(commands: Commands) -> dict[str, str]:
    """Make a package that breaks the command `turns` with a secret in its error."""
    (commands.folder / "sitecustomize.py").write_text(
        "import bot.store\n"
        "from bot.contracts.secret import Secret\n"
        "async def open_ledger(url): raise TypeError('sk-canary-1')\n"
        "Secret('sk-canary-1')\n"
        "bot.store.open_ledger = open_ledger\n"
    )
    return {"PYTHONPATH": f"{commands.folder}"}


def test_the_sentence_names_the_log_and_the_log_has_the_traceback(commands: Commands) -> None:
    said = commands.say("turns", **_with_a_bug(commands))

    log = commands.home / "logs" / "stonechat.log"
    assert said.code == 1
    assert said.err == (f"stonechat: stopped by an error in the program (TypeError); see {log}\n")
    assert "TypeError: ***" in log.read_text()
    assert "canary" not in log.read_text()


def test_debugging_shows_it_at_once(commands: Commands) -> None:
    said = commands.say("--debug", "turns", **_with_a_bug(commands))

    assert "TypeError: ***" in said.err
    assert "canary" not in said.err
