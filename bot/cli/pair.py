"""``stonechat pair`` and ``stonechat owner``: who is let in, and whose bot it is."""

import asyncio

import typer

from bot.cli import Exit
from bot.cli.control import ask
from bot.cli.start import prepare
from bot.cli.table import local, one_line, show
from bot.http.access import PairList, new_code, owner_list, pair_list


def list_pairs(*, debug: bool) -> Exit:
    """List who waits to be let in, and who was.

    Raises:
        NoAnswer: the bot does not run.
    """
    told = _pairs("GET", "/pair", None, debug=debug)
    waiting = [
        (one.who, one.name, "waits", local(one.asked_at), f"until {local(one.until)}")
        for one in told.waiting
    ]
    people = [
        (
            one.who,
            one.name,
            one.rank,
            local(one.since),
            "let in" if one.revoked_at is None else f"shut out {local(one.revoked_at)}",
        )
        for one in told.people
    ]
    show(
        ("who", "calls themself", "rank", "since", "state"),
        waiting + people,
        nothing="Nobody has asked to be let in. A stranger who writes to the bot gets a code.",
    )
    return Exit.DONE


def approve(code: str, rank: str, *, debug: bool) -> Exit:
    """Let in who has *code*.

    Raises:
        NoAnswer: the bot does not run, or nobody who waits has it.
    """
    (person,) = _pairs("POST", "/pair/approve", {"code": code, "rank": rank}, debug=debug).people
    typer.echo(
        f"{person.who}, who calls themself {one_line(person.name)}, is let in as {person.rank}, "
        "in direct chats. Tell them to write again."
    )
    return Exit.DONE


def refuse(code: str, *, debug: bool) -> Exit:
    """Let the request with *code* go.

    Raises:
        NoAnswer: the bot does not run, or nobody who waits has it.
    """
    (gone,) = _pairs("POST", "/pair/refuse", {"code": code}, debug=debug).waiting
    typer.echo(f"The request of {gone.who} is gone. They may ask again, and get another code.")
    return Exit.DONE


def revoke(who: str, *, debug: bool) -> Exit:
    """Shut somebody out who was let in.

    Raises:
        NoAnswer: the bot does not run, or they are not in.
    """
    (person,) = _pairs("POST", "/pair/revoke", {"who": who}, debug=debug).people
    typer.echo(f"{person.who} is shut out. What they said is kept.")
    return Exit.DONE


def list_owners(*, debug: bool) -> Exit:
    """List the owners.

    Raises:
        NoAnswer: the bot does not run.
    """
    settings = prepare(debug=debug, quiet=True)
    told = owner_list().validate_json(asyncio.run(ask(settings, "GET", "/owners", None)))
    show(
        ("who", "calls themself", "since"),
        ((one.who, one.name, local(one.since)) for one in told.owners),
        nothing="No owner but whoever opens the page by its link, and you in this terminal.",
    )
    return Exit.DONE


def add_owner(who: str, *, debug: bool) -> Exit:
    """Make somebody owner.

    Raises:
        NoAnswer: the bot does not run, or that is no account.
    """
    settings = prepare(debug=debug, quiet=True)
    told = owner_list().validate_json(asyncio.run(ask(settings, "POST", "/owners", {"who": who})))
    typer.echo(f"{told.owners[0].who} is owner: every tool, and all that the bot remembers of you.")
    return Exit.DONE


def remove_owner(who: str, *, debug: bool) -> Exit:
    """Make somebody owner no more.

    Raises:
        NoAnswer: the bot does not run, or they are none.
    """
    settings = prepare(debug=debug, quiet=True)
    told = owner_list().validate_json(
        asyncio.run(ask(settings, "POST", "/owners/remove", {"who": who}))
    )
    typer.echo(f"{told.owners[0].who} is owner no more.")
    return Exit.DONE


def owner_code(channel: str, *, debug: bool) -> Exit:
    """Print a code that makes whoever tells it to the bot owner.

    Raises:
        NoAnswer: the bot does not run, or there is no such channel.
    """
    settings = prepare(debug=debug, quiet=True)
    answer = asyncio.run(ask(settings, "POST", "/owners/code", {"channel": channel}))
    code = new_code().validate_json(answer)
    typer.echo(
        f"Write this to the bot in a direct chat on {code.channel}; it works once, within "
        f"{code.until_minutes} minutes:\n\n  /owner {code.code}\n\n"
        "Whoever writes it is owner: show it to nobody else."
    )
    return Exit.DONE


def _pairs(method: str, path: str, body: object, *, debug: bool) -> PairList:
    settings = prepare(debug=debug, quiet=True)
    return pair_list().validate_json(asyncio.run(ask(settings, method, path, body)))
