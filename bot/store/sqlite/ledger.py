"""Read-only, for eyes: lists, traces, the lines of a conversation."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Final

from bot.contracts.delivery import Delivery, DeliveryState
from bot.contracts.inbound import ConversationKey
from bot.contracts.store import (
    Attempt,
    DeliveryQuery,
    Direction,
    Line,
    Session,
    TurnQuery,
    TurnRecord,
)
from bot.contracts.turn import TurnId, TurnState
from bot.store import codec
from bot.store.sqlite.db import Reader
from bot.store.sqlite.rows import (
    attempt_of,
    delivery_of,
    moment_or_none,
    session_of,
    turn_of,
)

_WITH_HOST: Final = (
    "SELECT turn.*, COALESCE(host.ending, turn.ending) AS known_ending,"
    " COALESCE(host.ended_at, turn.ended_at) AS known_ended_at"
    " FROM turn LEFT JOIN turn AS host ON host.id = turn.absorbed_by"
)
"""An absorbed turn ends as and when its host does."""


class SqliteLedger:
    """The `Ledger` of one database."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        """Return all that is known of one turn."""

        def unit(connection: sqlite3.Connection) -> TurnRecord | None:
            row = connection.execute(f"{_WITH_HOST} WHERE turn.id = ?", (turn_id,)).fetchone()
            if row is None:
                return None
            attempts = connection.execute(
                "SELECT * FROM attempt WHERE turn_id = ? ORDER BY number", (turn_id,)
            ).fetchall()
            deliveries = connection.execute(
                "SELECT * FROM delivery WHERE turn_id = ? ORDER BY number", (turn_id,)
            ).fetchall()
            return _turn_record(
                row, [attempt_of(one) for one in attempts], [delivery_of(one) for one in deliveries]
            )

        return await self._reader.read(unit)

    async def turns(self, query: TurnQuery) -> Sequence[TurnRecord]:
        """Return turns, newest first, without attempts and deliveries."""
        where = ["TRUE"]
        values: list[object] = []
        if query.session_key is not None:
            where.append("turn.session_key = ?")
            values.append(query.session_key)
        if query.conversation is not None:
            where.append("turn.channel = ? AND turn.account = ?")
            where.append("turn.conversation_id = ? AND turn.thread_id IS ?")
            values += _columns(query.conversation)
        if query.states is not None:
            where.append("turn.state IN (SELECT value FROM json_each(?))")
            values.append(_list(query.states))
        statement = f"{_WITH_HOST} WHERE {' AND '.join(where)} ORDER BY turn.seq DESC LIMIT ?"

        def unit(connection: sqlite3.Connection) -> Sequence[TurnRecord]:
            rows = connection.execute(statement, (*values, query.limit)).fetchall()
            return [_turn_record(row) for row in rows]

        return await self._reader.read(unit)

    async def deliveries(self, query: DeliveryQuery) -> Sequence[Delivery]:
        """Return deliveries, newest first."""
        where = ["TRUE"]
        values: list[object] = []
        if query.states is not None:
            where.append("state IN (SELECT value FROM json_each(?))")
            values.append(_list(query.states))
        if query.turn_id is not None:
            where.append("turn_id = ?")
            values.append(query.turn_id)
        statement = (
            f"SELECT * FROM delivery WHERE {' AND '.join(where)} ORDER BY number DESC LIMIT ?"  # noqa: S608 - clauses of ours
        )

        def unit(connection: sqlite3.Connection) -> Sequence[Delivery]:
            rows = connection.execute(statement, (*values, query.limit)).fetchall()
            return [delivery_of(row) for row in rows]

        return await self._reader.read(unit)

    async def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Return sessions, latest interaction first."""

        def unit(connection: sqlite3.Connection) -> Sequence[Session]:
            rows = connection.execute(
                "SELECT * FROM session ORDER BY last_interaction_at DESC LIMIT ?", (limit,)
            ).fetchall()
            return [session_of(row) for row in rows]

        return await self._reader.read(unit)

    async def after(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines after *seq*, in order."""
        where = (*_columns(conversation), seq, limit)

        def unit(connection: sqlite3.Connection) -> Sequence[Line]:
            heard = connection.execute(
                "SELECT * FROM turn WHERE channel = ? AND account = ? AND conversation_id = ?"
                " AND thread_id IS ? AND seq > ? AND event IN ('message', 'command')"
                " ORDER BY seq DESC LIMIT ?",
                where,
            ).fetchall()
            said = connection.execute(
                "SELECT * FROM delivery WHERE channel = ? AND account = ?"
                " AND conversation_id = ? AND thread_id IS ? AND seq > ?"
                " ORDER BY seq DESC LIMIT ?",
                where,
            ).fetchall()
            lines = [_heard(row) for row in heard] + [_said(row) for row in said]
            return sorted(lines, key=lambda line: line.seq)[-limit:]

        return await self._reader.read(unit)

    async def counts(self) -> Mapping[str, int]:
        """Return how many turns and deliveries are in each state: ``turns.waiting`` and so on."""

        def unit(connection: sqlite3.Connection) -> Mapping[str, int]:
            counts = {f"turns.{state}": 0 for state in TurnState}
            counts |= {f"deliveries.{state}": 0 for state in DeliveryState}
            counts |= connection.execute(
                "SELECT 'turns.' || state, COUNT(*) FROM turn GROUP BY state UNION ALL"
                " SELECT 'deliveries.' || state, COUNT(*) FROM delivery GROUP BY state"
            ).fetchall()
            return counts

        return await self._reader.read(unit)

    async def close(self) -> None:
        """Let go of the connection."""
        await self._reader.close()


def _columns(conversation: ConversationKey) -> tuple[str, str, str, str | None]:
    return (
        conversation.channel,
        conversation.account,
        conversation.conversation_id,
        conversation.thread_id,
    )


def _list(states: Collection[StrEnum]) -> str:
    return json.dumps(list(states))


def _turn_record(
    row: sqlite3.Row, attempts: Sequence[Attempt] = (), deliveries: Sequence[Delivery] = ()
) -> TurnRecord:
    ending = row["known_ending"]
    host = row["absorbed_by"]
    return TurnRecord(
        turn=turn_of(row),
        outcome=None if ending is None else codec.OUTCOME.decode(ending),
        absorbed_by=None if host is None else TurnId(host),
        ended_at=moment_or_none(row["known_ended_at"]),
        attempts=tuple(attempts),
        deliveries=tuple(deliveries),
    )


def _heard(row: sqlite3.Row) -> Line:
    turn = turn_of(row)
    return Line(
        seq=turn.seq,
        direction=Direction.HEARD,
        turn_id=turn.id,
        at=turn.arrival.received_at,
        text=turn.arrival.inbound.text,
        source=turn.arrival.inbound.source,
    )


def _said(row: sqlite3.Row) -> Line:
    payload = codec.PAYLOAD.decode(row["payload"])
    return Line(
        seq=row["seq"],
        direction=Direction.SAID,
        turn_id=TurnId(row["turn_id"]),
        at=codec.RECEIPT.decode(row["receipt"]).at,
        text=payload.fallback,
        delivery_id=row["id"],
        payload=payload,
    )
