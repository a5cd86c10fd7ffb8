"""How commands begin and end: quickly, with a code that means something, in one sentence."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from bot import __version__
from bot.cli import Exit, main
from bot.contracts.errors import ConfigError, StoreHeld, StoreUnavailable
from bot.contracts.secret import Secret
from tests.doubles.commands import ROOT, Commands

HEAVY = ("aiohttp", "anthropic", "openai", "pydantic", "rich", "structlog", "yaml", "sqlite3")


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


@pytest.fixture
def signals_and_mask_as_they_were() -> Iterator[None]:
    mask, hook = os.umask(0), sys.excepthook
    os.umask(mask)
    yield
    os.umask(mask)
    sys.excepthook = hook


def test_help_imports_nothing_that_takes_time() -> None:
    program = (
        "import sys; from bot.cli import main; main(['--help']);"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert ended.stderr == "[]\n"
    for command in ("run", "open", "ask", "chat", "check", "sessions", "turns", "trace", "outbox"):
        assert f"\n  {command}" in ended.stdout


@pytest.mark.parametrize("arguments", [["--version"], ["version"]])
def test_the_version(commands: Commands, arguments: list[str]) -> None:
    said = commands.say(*arguments)

    assert (said.code, said.out) == (Exit.DONE, f"stonechat {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rnu"], "Did you mean 'run'?"),
        (["ask"], "Missing argument"),
        (["ask", ""], "there is nothing"),
        (["run", "--port", "seventy"], "--port"),
        (["run", "--port", "70000"], "65535"),
        (["turns", "--limit", "0"], "--limit"),
    ],
)
def test_a_command_typed_wrongly_ends_with_2_and_one_line(
    commands: Commands, arguments: list[str], sentence: str
) -> None:
    said = commands.say(*arguments)

    assert said.code == Exit.USAGE
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_no_command_shows_the_help(commands: Commands) -> None:
    said = commands.say()

    assert said.code == Exit.USAGE
    assert "Commands:" in said.out


@pytest.mark.parametrize("command", [["run"], ["ask", "x"], ["chat"], ["open"], ["sessions"]])
def test_broken_settings_end_with_78_and_one_line(commands: Commands, command: list[str]) -> None:
    commands.configure("http: {port: x}\nstore: y\n")

    said = commands.say(*command)

    assert said.code == Exit.CONFIG
    assert said.err.startswith(f"stonechat: {commands.home}/config.yaml:1: http.port: found 'x'")
    assert said.err.count("\n") == 1


def test_a_state_directory_that_cannot_be_written_is_one_line(commands: Commands) -> None:
    said = commands.say("run", STONECHAT_HOME="/proc/stonechat")

    assert said.code == Exit.CONFIG
    assert "/proc/stonechat" in said.err
    assert said.err.count("\n") == 1


def test_lists_of_a_bot_that_never_ran_are_one_line(commands: Commands) -> None:
    said = commands.say("turns")

    assert said.code == Exit.FAILED
    assert "start the bot once" in said.err
    assert said.err.count("\n") == 1


def _failing_with(error: BaseException) -> typer.Typer:
    failing = typer.Typer(rich_markup_mode=None)

    @failing.callback()
    def fails() -> None:
        raise error

    @failing.command()
    def fail() -> None:
        pass

    return failing


@pytest.mark.usefixtures("signals_and_mask_as_they_were")
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x", "y", "z"), Exit.CONFIG),
        (StoreHeld("it runs already"), Exit.CONFIG),
        (StoreUnavailable("the disk is full"), Exit.FAILED),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (ExceptionGroup("two", [StoreUnavailable("a"), ConfigError("x", "y", "z")]), Exit.CONFIG),
    ],
)
def test_each_error_has_its_code_and_no_traceback(
    error: BaseException, code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fail"], commands=_failing_with(error)) == code
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.usefixtures("signals_and_mask_as_they_were")
def test_a_bug_among_the_errors_is_not_hidden() -> None:
    error = ExceptionGroup("two", [StoreUnavailable("a"), TypeError("b")])

    with pytest.raises(ExceptionGroup):
        main(["fail"], commands=_failing_with(error))


@pytest.mark.usefixtures("signals_and_mask_as_they_were")
def test_a_sentence_shows_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    Secret("sk-canary-1")
    error = StoreUnavailable("it said sk-canary-1")

    main(["fail"], commands=_failing_with(error))

    assert capsys.readouterr().err == "stonechat: it said ***\n"


@pytest.mark.usefixtures("signals_and_mask_as_they_were")
@pytest.mark.parametrize("group", ["models", "channels", "web"])
def test_a_group_without_its_command_says_what_it_has(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([group]) == Exit.USAGE

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"Usage: stonechat {group}")
    assert "\n  list" in said.err
