"""``stonechat turns`` and ``outbox``: what is there, read-only."""

import asyncio
from collections.abc import Sequence
from typing import Final

from bot.cli.ledger import ledger
from bot.cli.table import local, show
from bot.contracts.delivery import Delivery, DeliveryState
from bot.contracts.inbound import ConversationKey
from bot.contracts.ledger import DeliveryQuery, TurnQuery, TurnRecord
from bot.contracts.session import SessionKey
from bot.contracts.turn import TurnState

_OPEN: Final = frozenset({TurnState.WAITING, TurnState.RUNNING})
_NOT_ARRIVED: Final = frozenset(DeliveryState) - {DeliveryState.SENT}


def list_turns(session: str | None, *, open_only: bool, limit: int) -> None:
    """Print the turns, newest first."""
    query = TurnQuery(
        session_key=None if session is None else SessionKey(session),
        states=_OPEN if open_only else None,
        limit=limit,
    )

    async def read() -> Sequence[TurnRecord]:
        async with ledger() as opened:
            return await opened.turns(query)

    show(
        ("turn", "received", "state", "outcome", "session", "text"),
        (_turn_row(record) for record in asyncio.run(read())),
        nothing="No turn yet." if session is None and not open_only else "No such turn.",
    )


def _turn_row(record: TurnRecord) -> tuple[str, ...]:
    turn = record.turn
    outcome = record.outcome
    ended = "" if outcome is None else f"{outcome.kind}: {outcome.reason}".removesuffix(": ")
    return (
        turn.id,
        local(turn.arrival.received_at),
        turn.state,
        ended,
        turn.session_key,
        turn.arrival.inbound.text[:60],
    )


def list_outbox(*, everything: bool, limit: int) -> None:
    """Print the deliveries, newest first; without *everything*, those that have not arrived."""
    query = DeliveryQuery(states=None if everything else _NOT_ARRIVED, limit=limit)

    async def read() -> Sequence[Delivery]:
        async with ledger() as opened:
            return await opened.deliveries(query)

    show(
        ("delivery", "state", "attempts", "to", "why", "text"),
        (
            (
                delivery.id,
                delivery.state,
                str(delivery.attempt),
                place(delivery.target.conversation_key),
                delivery.reason,
                delivery.payload.fallback[:60],
            )
            for delivery in asyncio.run(read())
        ),
        nothing="Nothing here." if everything else "Everything has arrived.",
    )


def place(key: ConversationKey) -> str:
    """Write an address on one line (pure)."""
    parts = (key.channel, key.account, key.conversation_id, key.thread_id)
    return ":".join(part for part in parts if part is not None)
