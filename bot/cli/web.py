"""``stonechat web``: who may use the page beside the owner."""

import asyncio

import typer

from bot.cli import Exit
from bot.cli.control import ask
from bot.cli.start import prepare
from bot.cli.table import local, one_line, show
from channels.webchat.people_routes import Invited, PersonRow, invited, people_list


def invite(name: str, rank: str, *, debug: bool) -> Exit:
    """Let somebody in and print the link for them.

    Raises:
        NoAnswer: the bot does not run, or the name or rank cannot be.
    """
    settings = prepare(debug=debug, quiet=True)
    answer = asyncio.run(ask(settings, "POST", "/people", {"name": name, "rank": rank}))
    typer.echo(invitation(invited().validate_json(answer)))
    return Exit.DONE


def list_people(*, debug: bool) -> Exit:
    """List everybody who was ever let in.

    Raises:
        NoAnswer: the bot does not run.
    """
    settings = prepare(debug=debug, quiet=True)
    answer = asyncio.run(ask(settings, "GET", "/people", None))
    show(
        ("name", "rank", "state", "since", "id"),
        (
            (one.name, one.rank, _state(one), local(one.since), one.id)
            for one in people_list().validate_json(answer).people
        ),
        nothing="Nobody but the owner was let in yet.",
    )
    return Exit.DONE


def revoke(name: str, *, debug: bool) -> Exit:
    """Shut somebody out, at once.

    Raises:
        NoAnswer: the bot does not run, or nobody has that name.
    """
    settings = prepare(debug=debug, quiet=True)
    answer = asyncio.run(ask(settings, "POST", "/people/revoke", {"name": name}))
    (person,) = people_list().validate_json(answer).people
    typer.echo(
        f"{one_line(person.name)} is shut out: every login, link and open page of theirs has "
        "ended. What they said is kept."
    )
    return Exit.DONE


def invitation(invited: Invited) -> str:
    """Say what was done and what to do with the link (pure)."""
    person, name = invited.person, one_line(invited.person.name)
    begin = f"{name} is let in as {person.rank}. This link signs their browser in;"
    lines = [
        f"{begin} it works once, within 24 hours:",
        "",
        f"  {invited.link}",
        "",
        f"Whoever opens it is {name}: send it to nobody else.",
    ]
    if invited.returns:
        lines.append(
            f"{name} was here before and finds the old conversations again. "
            "If this is somebody else, revoke it and choose another name."
        )
    if not invited.link.startswith("https:"):
        lines.append(
            "This address is of this machine alone; for people elsewhere, set `http.public_url`."
        )
    return "\n".join(lines)


def _state(person: PersonRow) -> str:
    if person.revoked_at is not None:
        return f"shut out {local(person.revoked_at)}"
    return "here now" if person.online else "let in"
