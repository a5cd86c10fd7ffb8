"""The command line: what can be said to the bot from a terminal, and how each command ends."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot import __version__
from bot.cli import groups
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
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to show.")]


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


@app.command()
def turns(
    *,
    session: Annotated[str | None, typer.Option(help="Only those of this session key.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only what waits or runs.")] = False,
    limit: Limit = 30,
) -> None:
    """List the turns, latest first."""
    from bot.cli.lists import list_turns

    list_turns(session, open_only=open_only, limit=limit)


@app.command()
def trace(
    message: Annotated[
        str | None,
        typer.Argument(
            help="A turn's id or its beginning, or the platform's id of a message; "
            "left out, the last message."
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Tell why there is no reply, and all else that became of a message."""
    from bot.cli.trace import trace as tell

    tell(message, as_json=as_json)


@app.command()
def wait(
    context: typer.Context,
    turn: Annotated[
        str, typer.Argument(help="A turn's id or its beginning, or a message's own id.")
    ],
    *,
    seconds: Annotated[float, typer.Option(min=0, help="How long to wait; 0 only looks.")] = 3_600,
    delivered: Annotated[
        bool, typer.Option("--delivered", help="Also until the answer has arrived.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Wait for a turn and print the answer. Exits as `ask` does, and 3 if the wait expired."""
    from bot.cli.wait import wait as wait_for
    from bot.contracts.waiting import WaitFor

    until = WaitFor.DELIVERED if delivered else WaitFor.ENDED
    raise typer.Exit(wait_for(turn, seconds, until, as_json=as_json, debug=context.obj))


@app.command()
def route(  # noqa: PLR0913 - one option each
    *,
    channel: Annotated[str, typer.Option(help="The channel, by its key under `channels:`.")],
    conversation: Annotated[
        str | None, typer.Option(help="The platform's id of the conversation.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="direct or room; left out: direct where no conversation is named."),
    ] = None,
    thread: Annotated[str | None, typer.Option(help="A thread of the conversation.")] = None,
    parent: Annotated[str | None, typer.Option(help="The room that it is below.")] = None,
    space: Annotated[str | None, typer.Option(help="The server or workspace.")] = None,
    sender: Annotated[str | None, typer.Option(help="The platform's id of who writes.")] = None,
    roles: Annotated[
        str | None, typer.Option(help="Their roles there, with commas between.")
    ] = None,
    rank: Annotated[str | None, typer.Option(help="Their rank; left out: owner or member.")] = None,
    account: Annotated[str, typer.Option(help="Which account it is written to.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Say where a message would go, and why no other binding gets it. Sends nothing."""
    from bot.cli.route import kind_of, rank_of
    from bot.cli.route import route as tell_route
    from bot.contracts.route import Match

    when = Match(
        channel=channel,
        account=account,
        conversation=conversation,
        kind=kind_of(kind),
        thread=thread,
        parent=parent,
        space=space,
        sender=sender,
        roles=tuple(one.strip() for one in (roles or "").split(",") if one.strip()),
    )
    tell_route(when, rank_of(rank), as_json=as_json)


@app.command()
def targets() -> None:
    """List the places that have a name."""
    from bot.cli.route import list_targets

    list_targets()


@app.command()
def tools(
    *,
    rank: Annotated[
        Literal["owner", "admin", "member", "guest"], typer.Option(help="Who asks.")
    ] = "owner",
    agent: Annotated[str, typer.Option(help="Which agent answers.")] = "main",
    channel: Annotated[str, typer.Option(help="Where it is asked.")] = "",
    conversation: Annotated[str, typer.Option(help="In which conversation of the channel.")] = "",
) -> None:
    """Say which tools a model gets, and by which rule each was given or taken away."""
    from bot.agent.policy import Place
    from bot.cli.tools import tools as tell

    tell(rank, Place(agent=agent, channel=channel, conversation=conversation))


@app.command()
def usage(
    *,
    days: Annotated[int, typer.Option(min=1, max=3_650, help="How many, today included.")] = 7,
    by: Annotated[
        Literal["model", "agent", "person", "session", "day"],
        typer.Option(help="What is added up together."),
    ] = "model",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Say what models used and cost, also of conversations that were deleted."""
    from bot.cli.usage import usage as tell

    tell(days, by, as_json=as_json)


@app.command()
def outbox(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Also what has arrived.")] = False,
    limit: Limit = 30,
) -> None:
    """List what is on its way, or did not arrive."""
    from bot.cli.lists import list_outbox

    list_outbox(everything=everything, limit=limit)
