"""``stonechat trace``: one message from where it came from to where its answer is."""

import asyncio
from collections.abc import Iterator

import typer

from bot.cli.ledger import ledger
from bot.cli.lists import place
from bot.cli.table import local, one_line
from bot.contracts.errors import BotError
from bot.contracts.ledger import TurnRecord
from bot.contracts.turn import TurnId
from bot.settings.terminal import command_name


class NoSuchTurn(BotError):
    """The person at the terminal: the id is not one of a turn."""


def trace(turn_id: str) -> None:
    """Print all that is known of a turn.

    Raises:
        NoSuchTurn: there is none with this id.
    """

    async def read() -> TurnRecord | None:
        async with ledger() as opened:
            return await opened.turn(TurnId(turn_id))

    record = asyncio.run(read())
    if record is None:
        raise NoSuchTurn(f"there is no turn {turn_id!r}; `{command_name()} turns` lists them")
    for name, words in _story(record):
        typer.echo(f"{name:<10} {one_line(words)}")


def _story(record: TurnRecord) -> Iterator[tuple[str, str]]:
    turn, arrival = record.turn, record.turn.arrival
    inbound, admission = arrival.inbound, arrival.admission
    yield "turn", f"{turn.id} (line {turn.seq})"
    yield "heard", f"{local(arrival.received_at)} in {place(inbound.conversation_key)}"
    yield "from", f"{inbound.sender.id} as {arrival.rank.name.lower()}, {inbound.event}"
    yield "text", inbound.text
    yield "admission", f"{type(admission).__name__.lower()}: {admission.reason}"
    yield "route", f"{arrival.route.session_key} by {arrival.route.matched_by}"
    yield "queue", f"{arrival.mode}, lane {arrival.lane}"
    yield "state", turn.state + (f" into {record.absorbed_by}" if record.absorbed_by else "")
    for attempt in record.attempts:
        ended = f" to {local(attempt.ended_at)}" if attempt.ended_at else ""
        reason = f": {attempt.reason}" if attempt.reason else ""
        yield "attempt", f"{attempt.number} from {local(attempt.started_at)}{ended}{reason}"
    if record.outcome is not None:
        usage = record.outcome.usage
        yield "outcome", f"{record.outcome.kind} {record.outcome.reason}".rstrip()
        calls = f"{usage.model_calls} model calls, {usage.tool_calls} tool calls"
        yield "usage", f"{calls}, {usage.input_tokens} tokens in, {usage.output_tokens} out"
    for delivery in record.deliveries:
        reason = f": {delivery.reason}" if delivery.reason else ""
        yield "delivery", f"{delivery.id} {delivery.state}, {delivery.attempt} attempts{reason}"
