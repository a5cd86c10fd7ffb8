"""``stonechat sessions …``: see, write down and delete what is remembered."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

sessions = typer.Typer(
    help="See, write down and delete what is remembered.",
    invoke_without_command=True,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Key = Annotated[str, typer.Argument(help="The session's key, as `sessions list` shows it.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to show.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@sessions.callback()
def every(context: typer.Context, *, limit: Limit = 30) -> None:
    """List the sessions, where nothing else is asked for."""
    if context.invoked_subcommand is None:
        from bot.cli.sessions import list_sessions

        list_sessions(limit, as_json=False)


@sessions.command(name="list")
def list_all(*, limit: Limit = 30, as_json: AsJson = False) -> None:
    """List the sessions, latest first."""
    from bot.cli.sessions import list_sessions

    list_sessions(limit, as_json=as_json)


@sessions.command()
def show(session: Key, *, as_json: AsJson = False) -> None:
    """Tell what is chosen in a session, its chapters, and what it used."""
    from bot.cli.sessions import show_session

    show_session(session, as_json=as_json)


@sessions.command()
def export(
    session: Key,
    *,
    as_json: AsJson = False,
    to: Annotated[
        Path | None, typer.Option(help="Write to this file, which must not exist yet.")
    ] = None,
) -> None:
    """Write all chapters of a session down, as Markdown or JSON."""
    from bot.cli.sessions import export_session

    export_session(session, to, as_json=as_json)


@sessions.command()
def delete(session: Key, *, yes: Yes = False) -> None:
    """Delete a session: its memory, its lines, its choices. What runs in it is stopped."""
    from bot.cli.sessions import delete_session

    delete_session(session, yes=yes)


@sessions.command()
def prune(
    *,
    older: Annotated[str, typer.Option(help="Without a word for so long, such as 90d or 12w.")],
    yes: Yes = False,
) -> None:
    """Show which sessions nobody used for long, and delete them if you say so."""
    from bot.cli.sessions import prune_sessions

    prune_sessions(_span(older), yes=yes)


def _span(text: str) -> timedelta:
    number, unit = text[:-1], text[-1:]
    days = {"d": 1, "w": 7, "y": 365}.get(unit)
    if days is None or not (number.isascii() and number.isdigit() and 0 < len(number) <= 4):
        raise typer.BadParameter(f"{text!r} is no span of time; say 90d, 12w or 1y")
    if int(number) == 0:
        raise typer.BadParameter("nothing is older than 0 days in this sense; say 1d at least")
    return timedelta(days=int(number) * days)
