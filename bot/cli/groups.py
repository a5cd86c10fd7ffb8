"""The commands that come in groups: ``stonechat models …``, ``web …``, ``pair …`` and so on."""

from typing import Annotated, Final

import typer

FAILED: Final = 1
"""`bot.cli.Exit.FAILED`, which cannot be imported by what it imports."""

pair = typer.Typer(
    help="Who is let in on the platforms: list, approve, refuse, revoke. For a running bot.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
owner = typer.Typer(
    help="Whose bot it is on the platforms: list, code, add, remove. For a running bot.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Who = Annotated[str, typer.Argument(help="Their account, such as telegram:4711; never a name.")]
Code = Annotated[str, typer.Argument(help="The code that the bot told them.")]


@pair.command(name="list")
def list_pairs(context: typer.Context) -> None:
    """List who waits to be let in, and who was let in."""
    from bot.cli.pair import list_pairs as show_pairs

    raise typer.Exit(show_pairs(debug=context.obj))


@pair.command()
def approve(
    context: typer.Context,
    code: Code,
    *,
    rank: Annotated[
        str,
        typer.Option(
            help="guest: talk; member: and have shared files read; admin: and every tool."
        ),
    ] = "guest",
) -> None:
    """Let in who has that code, into direct chats alone."""
    from bot.cli.pair import approve as let_in

    raise typer.Exit(let_in(code, rank, debug=context.obj))


@pair.command()
def refuse(context: typer.Context, code: Code) -> None:
    """Let the request with that code go."""
    from bot.cli.pair import refuse as let_go

    raise typer.Exit(let_go(code, debug=context.obj))


@pair.command(name="revoke")
def revoke_pair(context: typer.Context, who: Who) -> None:
    """Shut somebody out who was let in."""
    from bot.cli.pair import revoke as shut_out

    raise typer.Exit(shut_out(who, debug=context.obj))


@owner.command(name="list")
def list_owners(context: typer.Context) -> None:
    """List the owners' accounts."""
    from bot.cli.pair import list_owners as show_owners

    raise typer.Exit(show_owners(debug=context.obj))


@owner.command(name="code")
def owner_code(
    context: typer.Context, channel: Annotated[str, typer.Argument(help="Such as telegram.")]
) -> None:
    """Print a code that makes whoever tells it to the bot owner; once, within ten minutes."""
    from bot.cli.pair import owner_code as print_code

    raise typer.Exit(print_code(channel, debug=context.obj))


@owner.command(name="add")
def add_owner(context: typer.Context, who: Who) -> None:
    """Make somebody owner: every tool, and all that the bot remembers."""
    from bot.cli.pair import add_owner as add

    raise typer.Exit(add(who, debug=context.obj))


@owner.command(name="remove")
def remove_owner(context: typer.Context, who: Who) -> None:
    """Make somebody owner no more."""
    from bot.cli.pair import remove_owner as remove

    raise typer.Exit(remove(who, debug=context.obj))


models = typer.Typer(no_args_is_help=True, help="Add, list and check models.")
channels = typer.Typer(no_args_is_help=True, help="Add and list channels.")


@models.command(name="add")
def add_model(
    context: typer.Context,
    *,
    model: Annotated[str | None, typer.Option(help="The provider's name of the model.")] = None,
    provider: Annotated[
        str | None, typer.Option(help="anthropic or openai, if the key does not tell.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="The address of a server that speaks OpenAI's API.")
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="Use Ollama, LM Studio or llama.cpp on this machine.")
    ] = False,
) -> None:
    """Add a model by its key: checked live, kept for you alone, used from now on.

    The key is asked for and not shown, or read from standard input:

        stonechat models add

        stonechat models add --model claude-haiku-5-5 < key.txt

        stonechat models add --local --model qwen3:8b
    """
    from bot.cli.models import add_by_key, add_local

    if local:
        if provider is not None or base_url is not None:
            raise typer.BadParameter("--local finds its server; leave the other options out")
        add_local(model=model, debug=context.obj)
    else:
        add_by_key(model=model, provider=provider, base_url=base_url, debug=context.obj)


@models.command(name="list")
def list_models() -> None:
    """List the models that are asked, in their order, and where each was named."""
    from bot.cli.models import list_models as show_models

    show_models()


@models.command(name="check")
def check_models() -> None:
    """Ask every model for one word, with each of its keys; it costs a cent at most."""
    from bot.cli.models import check_models as ask_models

    if not ask_models():
        raise typer.Exit(FAILED)


@models.command(name="forget")
def forget_choice() -> None:
    """Forget what `models add` chose; the configuration and the environment decide again."""
    from bot.cli.models import forget_choice as forget

    forget()


@channels.command(name="add")
def add_channel(
    context: typer.Context,
    channel: Annotated[str, typer.Argument(help="telegram")],
) -> None:
    """Add a platform by its token, checked live and kept for you alone.

    The token is asked for and not shown, or read from standard input:

        stonechat channels add telegram

        stonechat channels add telegram < token.txt
    """
    from bot.cli.channels import add_channel as add

    add(channel, debug=context.obj)


@channels.command(name="list")
def list_channels() -> None:
    """List the channels, and the tokens that wait for theirs."""
    from bot.cli.channels import list_channels as show_channels

    show_channels()


web = typer.Typer(
    help="Who may use the page beside you: invite, list, revoke. For a running bot.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@web.command()
def invite(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What you call them; their id is the bot's own.")],
    *,
    rank: Annotated[
        str,
        typer.Option(
            help="guest: talk; member: and have shared files read; admin: and every tool."
        ),
    ] = "member",
) -> None:
    """Let somebody in, and print the link for them; it works once, within a day."""
    from bot.cli.web import invite as let_in

    raise typer.Exit(let_in(name, rank, debug=context.obj))


@web.command(name="list")
def list_people(context: typer.Context) -> None:
    """List who was let in, and who was shut out again."""
    from bot.cli.web import list_people as show_people

    raise typer.Exit(show_people(debug=context.obj))


@web.command()
def revoke(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Who, by name.")]
) -> None:
    """Shut somebody out at once: their logins, links, open pages and running turns end."""
    from bot.cli.web import revoke as shut_out

    raise typer.Exit(shut_out(name, debug=context.obj))


approvals = typer.Typer(
    help="What is not asked for any more, since somebody said always.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@approvals.command(name="list")
def list_rules() -> None:
    """List what was allowed for good: by which agent, with which tool, exactly what."""
    from bot.cli.approvals import list_rules as show_rules

    show_rules()


@approvals.command(name="revoke")
def revoke_rule(number: Annotated[int, typer.Argument(help="The number in the list.")]) -> None:
    """Take one back: from now on it is asked for again."""
    from bot.cli.approvals import revoke_rule as take_back

    take_back(number)
