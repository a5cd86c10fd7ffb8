"""What models used, by day, person, agent, session and model: added up as it is recorded."""

import sqlite3
from collections.abc import Sequence
from datetime import date
from typing import Final

from bot.contracts.budget import Allowance, Scope, Unit
from bot.contracts.ledger import Spending
from bot.contracts.messages import AssistantMessage
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.transcript import Entry, Unanswered
from bot.contracts.turn import Lane, Rank, Turn, Usage
from bot.store.sqlite.rows import moment

_CHARGE: Final = """
    INSERT INTO spending (day, person, rank, agent_id, session_key, model, lane, turns, last_turn,
      model_calls, input_tokens, output_tokens, cached_tokens, kept_tokens, micro_usd,
      unpriced_tokens)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (day, person, rank, agent_id, session_key, model, lane) DO UPDATE SET
      turns = turns + (excluded.turns AND last_turn <> excluded.last_turn),
      last_turn = iif(excluded.turns, excluded.last_turn, last_turn),
      model_calls = model_calls + excluded.model_calls,
      input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens,
      cached_tokens = cached_tokens + excluded.cached_tokens,
      kept_tokens = kept_tokens + excluded.kept_tokens,
      micro_usd = micro_usd + excluded.micro_usd,
      unpriced_tokens = unpriced_tokens + excluded.unpriced_tokens
"""


def charge(connection: sqlite3.Connection, turn: Turn, entry: Entry, now: int) -> None:
    """Add what *entry* cost to the day it is recorded on; most kinds cost nothing."""
    if not isinstance(entry, AssistantMessage | Unanswered):
        return
    answered = isinstance(entry, AssistantMessage)
    arrival, usage = turn.arrival, entry.usage
    connection.execute(
        _CHARGE,
        (
            day_of(now).isoformat(),
            f"{arrival.inbound.channel}:{arrival.inbound.sender.id}",
            arrival.rank,
            arrival.route.agent_id,
            turn.session_key,
            entry.model,
            arrival.lane,
            answered,
            turn.id if answered else "",
            answered,
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_tokens,
            usage.kept_tokens,
            usage.micro_usd,
            usage.unpriced_tokens,
        ),
    )


def spending(connection: sqlite3.Connection, since: date) -> Sequence[Spending]:
    """Return what was used on *since* and after it, the oldest day first."""
    rows = connection.execute(
        "SELECT * FROM spending WHERE day >= ? ORDER BY day", (since.isoformat(),)
    ).fetchall()
    return [_spending(row) for row in rows]


def day_of(now: int) -> date:
    """Return the day of a moment by the operator's clock."""
    return moment(now).astimezone().date()


def _spending(row: sqlite3.Row) -> Spending:
    return Spending(
        day=date.fromisoformat(row["day"]),
        person=row["person"],
        rank=Rank(row["rank"]),
        agent_id=AgentId(row["agent_id"]),
        session_key=SessionKey(row["session_key"]),
        model=row["model"],
        lane=Lane(row["lane"]),
        turns=row["turns"],
        usage=Usage(
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            cached_tokens=row["cached_tokens"],
            kept_tokens=row["kept_tokens"],
            model_calls=row["model_calls"],
            micro_usd=row["micro_usd"],
            unpriced_tokens=row["unpriced_tokens"],
        ),
    )


def allow(connection: sqlite3.Connection, turn: Turn, now: int) -> None:
    """Write down what *turn*, a command of the owner's, allows beyond limits."""
    day = day_of(now).isoformat()
    connection.executemany(
        "INSERT INTO allowance (turn_id, number, day, scope, unit, name, amount)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (turn.id, number, day, one.scope, one.unit, one.name, one.amount)
            for number, one in enumerate(turn.arrival.allowances)
        ],
    )


def allowances(connection: sqlite3.Connection, since: date) -> Sequence[tuple[date, Allowance]]:
    """Return what was allowed on *since* and after it, each with its day."""
    rows = connection.execute(
        "SELECT * FROM allowance INDEXED BY allowance_day WHERE day >= ? ORDER BY day",
        (since.isoformat(),),
    ).fetchall()
    return [
        (
            date.fromisoformat(row["day"]),
            Allowance(
                scope=Scope(row["scope"]),
                unit=Unit(row["unit"]),
                name=row["name"],
                amount=row["amount"],
            ),
        )
        for row in rows
    ]
