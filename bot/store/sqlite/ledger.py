"""Read-only, for eyes: lists, traces, the lines of a conversation."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import partial
from operator import itemgetter
from typing import Final

from bot.contracts.budget import Allowance
from bot.contracts.delivery import Delivery, DeliveryState
from bot.contracts.inbound import ConversationKey
from bot.contracts.ledger import (
    Attempt,
    Chapter,
    DeliveryQuery,
    Line,
    Session,
    Spending,
    TurnQuery,
    TurnRecord,
)
from bot.contracts.moved import Move
from bot.contracts.session import ChapterKey, SessionKey
from bot.contracts.transcript import Recorded
from bot.contracts.turn import TurnId, TurnState
from bot.store import codec
from bot.store.sqlite.chapters import chapters
from bot.store.sqlite.db import Reader
from bot.store.sqlite.finding import found
from bot.store.sqlite.recent import entries, recorded_of
from bot.store.sqlite.records import moves
from bot.store.sqlite.rows import (
    CHAPTER_KEY,
    attempt_of,
    conversation_values,
    delivery_of,
    heard_line,
    moment_or_none,
    said_line,
    session_of,
    ticks,
    turn_of,
)
from bot.store.sqlite.sessions import one_session
from bot.store.sqlite.spending import allowances, spending

_TURNS: Final = (
    "SELECT one.*, COALESCE(host.ending, one.ending) AS known_ending,"
    " COALESCE(host.ended_at, one.ended_at) AS known_ended_at"
    " FROM turn AS one LEFT JOIN turn AS host ON host.id = one.absorbed_by"
)
"""An absorbed turn ends as and when its host does."""

_DELIVERIES: Final = "SELECT * FROM delivery AS one"

_SAID: Final = (
    "SELECT one.*, (SELECT json_extract(ending, '$.usage.tool_calls') FROM turn"
    " WHERE id = one.turn_id) AS tool_calls FROM delivery AS one WHERE one.seq IS NOT NULL"
)

_HEARD: Final = (
    "SELECT * FROM turn AS one WHERE one.event IN ('message', 'command') AND one.forgotten = 0"
)

_CHAPTER: Final = f"SELECT {CHAPTER_KEY} FROM turn WHERE id = :id"  # noqa: S608 - constants
_ENTRIES: Final = "SELECT * FROM entry WHERE turn_id = :id AND session_key"

_NEVER: Final = 2**63 - 1
"""Later than any moment that a row holds."""

_OPEN: Final = frozenset({TurnState.WAITING, TurnState.RUNNING})
_OPEN_CLAUSE: Final = "one.state IN ('waiting', 'running')"
"""In the words of the index `turn_open`, which serves no query that does not say them."""


_HERE: Final = (
    "one.channel = :channel AND one.account = :account"
    " AND one.conversation_id = :conversation_id AND one.thread_id IS :thread_id"
)


class SqliteLedger:
    """The `Ledger` of one database."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        """Return all that is known of one turn."""

        def unit(connection: sqlite3.Connection) -> TurnRecord | None:
            row = connection.execute(f"{_TURNS} WHERE one.id = ?", (turn_id,)).fetchone()
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
        where: list[str] = []
        values: dict[str, object] = {}
        if query.session_key is not None:
            where.append("one.session_key = :session_key")
            values["session_key"] = query.session_key
        if query.conversation is not None:
            where.append(_HERE)
            values |= conversation_values(query.conversation)
        if query.source is not None:
            where.append("one.source = :source")
            values["source"] = query.source
        if query.before is not None:
            where.append("one.seq < :before")
            values["before"] = query.before
        if query.states is not None and _OPEN.issuperset(query.states):
            where.append(_OPEN_CLAUSE)
        search = _Search(
            select=_TURNS,
            where=where,
            values=values,
            states=query.states,
            order="seq",
            limit=query.limit,
        )

        def unit(connection: sqlite3.Connection) -> Sequence[TurnRecord]:
            return [_turn_record(row) for row in search.newest(connection)]

        return await self._reader.read(unit)

    async def find(self, name: str, *, limit: int = 5) -> Sequence[TurnRecord]:
        """Return the turns that *name* may mean, newest first."""

        def unit(connection: sqlite3.Connection) -> Sequence[TurnRecord]:
            return [_turn_record(row) for row in found(connection, _TURNS, name, limit)]

        return await self._reader.read(unit)

    async def deliveries(self, query: DeliveryQuery) -> Sequence[Delivery]:
        """Return deliveries, newest first."""
        where: list[str] = []
        values: dict[str, object] = {}
        if query.turn_id is not None:
            where.append("one.turn_id = :turn_id")
            values["turn_id"] = query.turn_id
        search = _Search(
            select=_DELIVERIES,
            where=where,
            values=values,
            states=query.states,
            order="number",
            limit=query.limit,
        )

        def unit(connection: sqlite3.Connection) -> Sequence[Delivery]:
            return [delivery_of(row) for row in search.newest(connection)]

        return await self._reader.read(unit)

    async def sessions(
        self, *, limit: int = 100, unused_since: datetime | None = None
    ) -> Sequence[Session]:
        """Return sessions, latest interaction first; only those that nobody used since then."""
        before = _NEVER if unused_since is None else ticks(unused_since)

        def unit(connection: sqlite3.Connection) -> Sequence[Session]:
            rows = connection.execute(
                "SELECT * FROM session WHERE last_interaction_at < ?"
                " ORDER BY last_interaction_at DESC LIMIT ?",
                (before, limit),
            ).fetchall()
            return [session_of(row) for row in rows]

        return await self._reader.read(unit)

    async def session(self, session_key: SessionKey) -> Session | None:
        """Return one session, or None before its first turn."""
        return await self._reader.read(partial(one_session, session_key=session_key))

    async def chapter(self, key: ChapterKey) -> Sequence[Recorded]:
        """Return all that is recorded in a chapter, in order."""

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            return [recorded_of(row) for row in entries(connection, key, 0)]

        return await self._reader.read(unit)

    async def chapters(self, session_key: SessionKey, *, limit: int = 100) -> Sequence[Chapter]:
        """Return the chapters of a session in which something was said, what came last first."""
        return await self._reader.read(partial(chapters, session_key=session_key, limit=limit))

    async def after(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines after *seq*, in order."""
        return await self._lines(conversation, "one.seq > :seq", seq, limit)

    async def before(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines before *seq*, in order."""
        return await self._lines(conversation, "one.seq < :seq", seq, limit)

    async def _lines(
        self, conversation: ConversationKey, where: str, seq: int, limit: int
    ) -> Sequence[Line]:
        values = {**conversation_values(conversation), "seq": seq, "limit": limit}
        latest = f"{_HERE} AND {where} ORDER BY one.seq DESC LIMIT :limit"

        def unit(connection: sqlite3.Connection) -> Sequence[Line]:
            heard = connection.execute(f"{_HEARD} AND {latest}", values).fetchall()
            said = connection.execute(f"{_SAID} AND {latest}", values).fetchall()
            rows = [(int(row["seq"]), heard_line, row) for row in heard]
            rows += [(int(row["seq"]), said_line, row) for row in said]
            rows.sort(key=itemgetter(0))
            return [line(row) for _, line, row in rows[-limit:]]

        return await self._reader.read(unit)

    async def entries(self, turn_id: TurnId) -> Sequence[Recorded]:
        """Return what a session remembers of one turn, in order."""

        def unit(connection: sqlite3.Connection) -> Sequence[Recorded]:
            rows = connection.execute(
                f"{_ENTRIES} = ({_CHAPTER}) ORDER BY seq", {"id": turn_id}
            ).fetchall()
            return [recorded_of(row) for row in rows]

        return await self._reader.read(unit)

    async def spending(self, since: date) -> Sequence[Spending]:
        """Return what was used on *since* and on every day after it, the oldest first."""
        return await self._reader.read(partial(spending, since=since))

    async def allowances(self, since: date) -> Sequence[tuple[date, Allowance]]:
        """Return what the owner allowed beyond limits on *since* and after it, with its day."""
        return await self._reader.read(partial(allowances, since=since))

    async def moves(self) -> Sequence[Move]:
        """Return every move of a room that was reported, once each."""
        return await self._reader.read(moves)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """A list, newest first. Its cost follows its limit, not the length of history."""

    select: str
    where: Sequence[str]
    values: Mapping[str, object]
    states: Collection[StrEnum] | None
    order: str
    limit: int

    def newest(self, connection: sqlite3.Connection) -> Sequence[sqlite3.Row]:
        """Search each state by itself, along an index in the order of the list.

        The plus keeps SQLite from choosing the index of states where there is
        a narrower one (https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
        """
        by_state = "+one.state = :state" if self.where else "one.state = :state"
        rows = []
        for state in [None] if self.states is None else self.states:
            where = [*self.where, "TRUE" if state is None else by_state]
            rows += connection.execute(
                f"{self.select} WHERE {' AND '.join(where)}"
                f" ORDER BY one.{self.order} DESC LIMIT :limit",
                {**self.values, "state": state, "limit": self.limit},
            ).fetchall()
        rows.sort(key=lambda row: int(row[self.order]), reverse=True)
        return rows[: self.limit]


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
