"""The command line: what can be said to the bot from a terminal, and how each command ends."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Annotated

import typer

from bot import __version__
from bot.cli import groups, looking
from bot.cli.sessions_group import sessions
from bot.contracts.errors import BotError, ConfigError, StoreHeld
from bot.contracts.secret import mask


class Exit(IntEnum):
    """How a command ended, for scripts and for systemd."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOT_OVER = 3
    """A wait expired; what was waited for goes on."""
    INTERRUPTED = 4
    CONFIG = 78
    """EX_CONFIG of sysexits(3): starting it again changes nothing before somebody acts."""


app = typer.Typer(
    name="stonechat",
    help="A self-hosted assistant that ends every message in exactly one visible outcome.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(looking.looking)
app.add_typer(groups.models, name="models")
app.add_typer(groups.channels, name="channels")
app.add_typer(groups.web, name="web")
app.add_typer(groups.pair, name="pair")
app.add_typer(groups.owner, name="owner")
app.add_typer(groups.approvals, name="approvals")
app.add_typer(sessions, name="sessions")

_INTERRUPTED_BY_TYPER = 130
"""What typer makes of Ctrl-C."""

_COLLECTED_AFTER = 10_000
"""New objects between two looks for garbage. With Python's 700, a start looks while modules are
imported, finds nothing, and takes 6 % longer."""


def main(arguments: Sequence[str] | None = None, *, commands: typer.Typer = app) -> int:
    """Carry out one of *commands* and return its exit code. An error is one sentence on stderr."""
    os.umask(0o077)
    gc.set_threshold(_COLLECTED_AFTER)
    try:
        code = typer.main.get_command(commands).main(
            args=None if arguments is None else list(arguments),
            prog_name="stonechat",
            standalone_mode=False,
        )
    except typer.TyperException as error:
        from bot.settings.terminal import command_name

        wrong = error.format_message().rstrip(".")
        if wrong.startswith("Usage:"):  # a group without its command says what it has
            sys.stderr.write(f"{wrong}\n")
            return Exit.USAGE
        return _complain(f"{wrong}; see {command_name()} --help", Exit.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return Exit.INTERRUPTED
    except BotError as error:
        return _complain(str(error), _code(error))
    except BaseExceptionGroup as group:
        expected, bugs = group.split(BotError)
        if expected is None or bugs is not None:
            raise
        return max(_complain(str(error), _code(error)) for error in _leaves(expected))
    except BrokenPipeError:
        # Whoever read our output has left; Python's last flush would only complain of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FAILED
    return Exit.INTERRUPTED if code == _INTERRUPTED_BY_TYPER else Exit(code or 0)


def _code(error: BaseException) -> Exit:
    return Exit.CONFIG if isinstance(error, ConfigError | StoreHeld) else Exit.FAILED


def _complain(sentence: str, code: Exit) -> Exit:
    sys.stderr.write(f"stonechat: {mask(sentence)}\n")
    return code


def _leaves(group: BaseExceptionGroup[BotError]) -> Iterator[BotError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"stonechat {__version__}")
        raise typer.Exit


@app.callback()
def stonechat(
    context: typer.Context,
    *,
    debug: Annotated[
        bool, typer.Option("--debug", help="Log more, and show tracebacks here.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Remember what holds for every command."""
    del version
    context.obj = debug

    def unexpected(_: type[BaseException], error: BaseException, __: object) -> None:
        from bot.cli.crash import report

        report(error, debug=debug)

    sys.excepthook = unexpected
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(Exit.USAGE)


def _import_quickly() -> None:
    from bot.cli.quick import import_quickly

    import_quickly()


Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Listen here instead; 0 takes any free port.")
]
Host = Annotated[
    str | None,
    typer.Option(help="Listen at this IP address; one that others reach needs `http.public_url`."),
]


@app.command()
def run(context: typer.Context, *, port: Port = None, host: Host = None) -> None:
    """Start the bot, and keep it running until Ctrl-C."""
    gc.disable()  # a start makes much and drops little; `bot/cli/run.py` looks again from then on
    _import_quickly()
    from bot.cli.run import run as run_until_stopped

    run_until_stopped(port=port, host=host, debug=context.obj)


@app.command(name="open")
def open_page(context: typer.Context) -> None:
    """Print a fresh link to the page; it works once, within ten minutes."""
    from bot.cli.open import open_page as print_link

    raise typer.Exit(print_link(debug=context.obj))


@app.command()
def ask(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to say; - reads it from standard input.")],
    *,
    attach: Annotated[
        list[Path] | None, typer.Option(help="A file to send with it; may be given again.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds after which it is stopped.")
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only print the turn's id, for `wait` and `trace`.")
    ] = False,
) -> None:
    """Say one thing and print the answer. Exits 0 answered, 1 failed, 4 interrupted."""
    _import_quickly()
    from bot.cli.ask import ask as say
    from bot.cli.ask import hand_over

    if no_wait:
        raise typer.Exit(hand_over(text, attach or (), debug=context.obj))
    exit_code = say(text, attach or (), as_json=as_json, timeout=timeout, debug=context.obj)
    raise typer.Exit(exit_code)


@app.command()
def chat(context: typer.Context) -> None:
    """Talk in the terminal. Ctrl-C stops the answer, Ctrl-D leaves."""
    _import_quickly()
    from bot.cli.chat import chat as talk

    raise typer.Exit(talk(debug=context.obj))


@app.command()
def check() -> None:
    """Say what would run, or what is wrong with the settings. Changes nothing."""
    from bot.cli.check import check as check_settings

    if not check_settings():
        raise typer.Exit(Exit.CONFIG)


@app.command()
def reload() -> None:
    """Read the settings again; the bot that runs has all of them from the next message on."""
    from bot.cli.reload import reload as read_again

    read_again()


@app.command()
def version() -> None:
    """Show the version."""
    _show_version(wanted=True)
