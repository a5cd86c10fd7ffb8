"""The real process: what it says when it starts, to whom, and how it ends."""

import os
import pty
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.cli import Exit
from tests.doubles.commands import ROOT, Commands


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


class Running:
    """A bot, and everything it said up to now."""

    def __init__(self, process: "subprocess.Popen[bytes]", output: int) -> None:
        self.process = process
        self.said = ""
        self._output = output

    def hear(self, words: str) -> None:
        """Read on until it said *words*."""
        while words not in self.said:
            try:
                piece = os.read(self._output, 4096)
            except OSError:  # a terminal whose other end has gone
                piece = b""
            assert piece, f"it ended without {words!r}: {self.said}"
            self.said += piece.decode()

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        """Ask it to stop, and return how it ended."""
        self.process.send_signal(signal_number)
        return self.process.wait(timeout=30)


@contextmanager
def running(
    commands: Commands, *arguments: str, terminal: bool = False, **environ: str
) -> Iterator[Running]:
    """Start it; its stdout is a terminal or a pipe. Its log is kept apart."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    commands.home.mkdir(mode=0o700, exist_ok=True)
    with (commands.folder / "stderr").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "bot", "run", *(arguments or ("--port", "0"))],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=log,
            cwd=ROOT,
            umask=0,  # the most careless there is
            env={"PATH": os.environ["PATH"], "HOME": str(commands.folder), **environ},
        )
    os.close(theirs)
    try:
        yield Running(process, ours)
    finally:
        process.kill()
        process.wait(timeout=30)
        os.close(ours)


def test_a_pipe_is_told_how_to_get_a_link_and_gets_none(commands: Commands) -> None:
    with running(commands, STONECHAT_COMMAND="script/run") as bot:
        bot.hear("For a link to the page, run: script/run open\n")

        assert "demo (no language model;" in bot.said
        assert f"{commands.home}/workspace" in bot.said
        assert "#" not in bot.said
        for log in (commands.folder / "stderr", commands.home / "logs" / "stonechat.log"):
            told = log.read_text()
            assert "run script/run open" in told
            assert "http://127.0.0.1:" in told
            assert "#" not in told
        assert bot.stop() == Exit.DONE


def test_a_terminal_gets_a_link_that_stands_nowhere_else(commands: Commands) -> None:
    connection = "10.0.0.9 50001 10.0.0.2 22"
    with running(commands, terminal=True, SSH_CONNECTION=connection, USER="ana") as bot:
        bot.hear("Stop with Ctrl-C.")
        [link] = [line.strip() for line in bot.said.splitlines() if "#code=" in line]
        assert ":127.0.0.1:" in bot.said
        assert "ana@10.0.0.2" in bot.said
        assert bot.stop(signal.SIGINT) == Exit.DONE

    code = link.partition("#code=")[2].encode()
    kept = [path for path in commands.folder.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if code in path.read_bytes()]


def test_all_that_it_leaves_is_its_owners_alone(commands: Commands) -> None:
    """O1: whatever the mask it was started with."""
    commands.configure("limits: {model_calls: 30}\n")
    (commands.home / ".env").write_text("ANTHROPIC_MODEL=any\n")
    (commands.home / ".env").chmod(0o600)
    (commands.home / "config.yaml").chmod(0o600)
    with running(commands) as bot:
        bot.hear("open\n")
        modes = {
            path.relative_to(commands.home): stat.S_IMODE(path.lstat().st_mode)
            for path in [commands.home, *commands.home.rglob("*")]
        }

    assert {str(path) for path in modes} >= {
        ".env",
        "config.last-good.yaml",
        "config.yaml",
        "control.sock",
        "logs",
        "logs/stonechat.log",
        "stonechat.db",
        "stonechat.db-shm",
        "stonechat.db-wal",
        "workspace",
    }
    assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}


def test_no_secret_is_on_its_command_line_or_said(commands: Commands) -> None:
    with running(commands, OPENAI_API_KEY="sk-canary-1") as bot:
        bot.hear("open\n")
        command_line = Path(f"/proc/{bot.process.pid}/cmdline")
        assert "key from OPENAI_API_KEY in the environment" in bot.said
        if command_line.exists():
            assert b"canary" not in command_line.read_bytes()
        bot.stop()

    kept = b"".join(path.read_bytes() for path in commands.folder.rglob("*") if path.is_file())
    assert "canary" not in bot.said
    assert b"canary" not in kept


def test_a_second_one_on_the_same_state_is_one_line(commands: Commands) -> None:
    with running(commands) as bot:
        bot.hear("open\n")

        said = commands.say("run", "--port", "0")

        assert said.code == Exit.CONFIG
        assert said.err.count("\n") == 1
        assert bot.process.poll() is None
        assert commands.say("open").out.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_one_line(commands: Commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = commands.say("run", "--port", str(port))

    assert said.code == Exit.CONFIG
    assert str(port) in said.err
    assert "another program" in said.err
    assert said.err.count("\n") == 1


def test_a_broken_file_after_a_good_start_runs_and_says_so(commands: Commands) -> None:
    commands.configure("tools: {shell: false}\n")
    with running(commands) as bot:
        bot.hear("open\n")
        bot.stop()
    commands.configure("tools: {shell: perhaps\n")

    with running(commands) as bot:
        bot.hear("open\n")

    assert "PROBLEM" in bot.said
    assert f"{commands.home}/config.yaml:2" in bot.said
    assert "shell      off" in bot.said
