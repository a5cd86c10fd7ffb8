"""``stonechat wait``: wait for a turn, from anywhere and as often as one likes."""

import asyncio
import contextlib
from pathlib import Path
from typing import Final
from urllib.parse import quote

import aiohttp
import typer

from bot.cli import Exit
from bot.cli.client import control
from bot.cli.ledger import ledger
from bot.cli.printable import printable
from bot.cli.start import prepare
from bot.cli.trace import NoSuchTurn, only
from bot.clock import SystemClock
from bot.contracts.delivery import DeliveryState
from bot.contracts.trace import OPERATOR
from bot.contracts.turn import OutcomeKind, TurnId
from bot.contracts.waiting import Waited, WaitFor, WaitState
from bot.http.turns import waited_json
from bot.kernel.waiting import is_over, waited, with_host
from bot.settings.terminal import command_name

_ONE_REQUEST_SECONDS: Final = 60.0
"""How long one request waits; a longer wait is several."""

_AWAY_SECONDS: Final = 0.5
"""How long to pause while the bot is away: it may come back, and goes on where it was."""


def wait(name: str, seconds: float, until: WaitFor, *, as_json: bool, debug: bool) -> Exit:
    """Wait until a turn has ended, print how, and return the exit code for that.

    An expired wait changes nothing: the turn goes on, and may be waited for again.

    Raises:
        NoSuchTurn: *name* means no turn, or several.
    """
    settings = prepare(debug=debug, quiet=True)

    async def known() -> Waited:
        turn_id = await _meant(name)
        deadline = SystemClock().monotonic() + seconds
        return await until_over(settings.control_socket, turn_id, deadline, until)

    learned = asyncio.run(known())
    if as_json:
        typer.echo(waited_json().dump_json(learned, indent=2).decode())
    else:
        _print(learned)
    return exit_of(learned)


async def until_over(
    control_path: Path, turn_id: TurnId, deadline: float, until: WaitFor
) -> Waited:
    """Ask the bot, over as many of its lives as there are; where none runs, look by ourselves."""
    while True:
        left = max(0.0, deadline - SystemClock().monotonic())
        learned = await _asked(control_path, turn_id, min(left, _ONE_REQUEST_SECONDS), until)
        if learned is None:
            learned = await _looked_up(turn_id, until)
            if learned.wait is WaitState.PENDING and left > 0:
                await asyncio.sleep(min(left, _AWAY_SECONDS))
        if learned.wait in {WaitState.ENDED, WaitState.NOT_FOUND} or left <= 0:
            return learned


async def _asked(
    control_path: Path, turn_id: TurnId, seconds: float, until: WaitFor
) -> Waited | None:
    """Return what the bot says, or None if it does not run or went away meanwhile."""
    path = f"/turns/{quote(turn_id, safe='')}/wait"
    asked = {"seconds": f"{seconds:g}", "for": str(until)}
    with contextlib.suppress(aiohttp.ClientError, OSError):
        async with control(control_path) as http, http.get(path, params=asked) as response:
            if response.content_type == "application/json":
                return waited_json().validate_json(await response.read())
    return None


async def _looked_up(turn_id: TurnId, until: WaitFor) -> Waited:
    async with ledger() as opened:
        record = await opened.turn(turn_id)
        if record is None:
            return Waited(turn_id=turn_id, wait=WaitState.NOT_FOUND)
        host = record.absorbed_by and await opened.turn(record.absorbed_by)
    record = with_host(record, host) if host else record
    return waited(record, WaitState.ENDED if is_over(record, until) else WaitState.PENDING)


async def _meant(name: str) -> TurnId:
    async with ledger() as opened:
        found = await opened.find(name)
    return only(name, [one for one in found if OPERATOR.may_see(one.turn.arrival.inbound)]).turn.id


def exit_of(learned: Waited) -> Exit:
    """Return the exit code of what was learned (pure)."""
    if learned.wait in {WaitState.PENDING, WaitState.WAIT_EXPIRED}:
        return Exit.NOT_OVER
    match learned.outcome:
        case OutcomeKind.FAILED | None:
            return Exit.FAILED
        case OutcomeKind.INTERRUPTED:
            return Exit.INTERRUPTED
        case _:
            lost = {DeliveryState.REJECTED, DeliveryState.UNRESOLVED, DeliveryState.CANCELLED}
            return Exit.FAILED if any(d.state in lost for d in learned.deliveries) else Exit.DONE


def _print(learned: Waited) -> None:
    if learned.outcome is not None:
        told = learned.text or f"({learned.outcome}: {learned.reason})"
        is_answer = learned.outcome in {OutcomeKind.ANSWERED, OutcomeKind.ASKED}
        typer.echo(printable(told), err=not is_answer)
    if learned.wait is WaitState.NOT_FOUND:
        raise NoSuchTurn(f"turn {learned.turn_id} is gone")
    if learned.wait is not WaitState.ENDED:
        again = f"`{command_name()} wait {learned.turn_id}` waits again"
        what = f"the turn is {learned.state}" if learned.outcome is None else "it is on its way"
        typer.echo(f"The wait is over and nothing else: {what}, and goes on; {again}.", err=True)
    for delivery in learned.deliveries:
        if delivery.state is not DeliveryState.SENT:
            reason = f": {delivery.reason}" if delivery.reason else ""
            typer.echo(printable(f"! {delivery.id} is {delivery.state}{reason}"), err=True)
