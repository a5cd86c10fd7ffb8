"""What `stonechat approvals` shows and takes back: calls that are not asked for any more."""

import asyncio
from collections.abc import Sequence

import aiohttp
import typer
from pydantic import TypeAdapter

from bot.cli.client import control, is_answered
from bot.cli.printable import printable
from bot.cli.start import prepare
from bot.cli.table import local, show
from bot.clock import SystemClock
from bot.contracts.approval import Rule
from bot.contracts.errors import BotError
from bot.store import open_store


class NoSuchRule(BotError):
    """The person at the terminal must act: there is no such rule, or nobody answers."""


def list_rules() -> None:
    """Print what somebody said ``always`` to, in full."""
    show(
        ("number", "agent", "tool", "exactly", "by", "since"),
        (
            (str(r.number), r.agent_id, r.tool, r.identity, r.made_by, local(r.made_at))
            for r in asyncio.run(_asked(None))
        ),
        nothing="Nothing is allowed for good; what has to be asked for is asked for each time.",
    )


def revoke_rule(number: int) -> None:
    """Take a rule back: from now on it is asked for again.

    Raises:
        NoSuchRule: there is none.
    """
    taken = asyncio.run(_asked(number))
    if not taken:
        raise NoSuchRule(f"there is no rule {number}; `approvals list` shows them")
    (rule,) = taken
    typer.echo(printable(f"✓ {rule.tool} {rule.identity} is asked for again."))


async def _asked(revoked: int | None) -> Sequence[Rule]:
    """Return the rules, or the one that was *revoked*: of the bot that runs, else of the store."""
    settings = prepare(debug=False, quiet=True)
    if await is_answered(settings.control_socket):
        method, path = ("GET", "/approvals") if revoked is None else ("POST", "/approvals/revoke")
        body = None if revoked is None else {"number": revoked}
        try:
            async with (
                control(settings.control_socket) as http,
                http.request(method, path, json=body) as response,
            ):
                response.raise_for_status()
                return TypeAdapter(list[Rule]).validate_json(await response.read())
        except (aiohttp.ClientError, OSError):
            raise NoSuchRule("the bot did not answer; look at its log, and try again") from None
    store = await open_store(settings.store, clock=SystemClock())
    try:
        if revoked is None:
            return await store.approvals.rules()
        rule = await store.approvals.revoke(revoked)
        return [] if rule is None else [rule]
    finally:
        await store.close()
