"""The commands that look at what became of messages, and at what would: nothing is changed."""

from typing import Annotated, Literal

import typer

looking = typer.Typer(rich_markup_mode=None)

Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to show.")]


@looking.command()
def turns(
    *,
    session: Annotated[str | None, typer.Option(help="Only those of this session key.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only what waits or runs.")] = False,
    limit: Limit = 30,
) -> None:
    """List the turns, latest first."""
    from bot.cli.lists import list_turns

    list_turns(session, open_only=open_only, limit=limit)


@looking.command()
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


@looking.command()
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


@looking.command()
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


@looking.command()
def targets() -> None:
    """List the places that have a name."""
    from bot.cli.route import list_targets

    list_targets()


@looking.command()
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


@looking.command()
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


@looking.command()
def outbox(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Also what has arrived.")] = False,
    limit: Limit = 30,
) -> None:
    """List what is on its way, or did not arrive."""
    from bot.cli.lists import list_outbox

    list_outbox(everything=everything, limit=limit)
