"""Calls that wait for a person's decision, and what was allowed for good."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from bot.contracts.approval import NOES, Approval, ApprovalState, Question, Rule
from bot.contracts.decision import Decides, Decision
from bot.contracts.delivery import Delivery
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Arrival, Turn, TurnId
from bot.store import codec
from bot.store.sqlite import outbox
from bot.store.sqlite.bell import Bell
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.rows import moment, moment_or_none, ticks

_APPROVALS: Final = (
    "SELECT one.*, turn.arrival, (SELECT COUNT(*) FROM approval AS other"
    " WHERE other.plan = one.plan AND other.state IN ('refused', 'expired')) AS noes"
    " FROM approval AS one JOIN turn ON turn.id = one.turn_id"
)


class SqliteApprovals:
    """The `Approvals` of one database."""

    def __init__(self, writer: Writer, reader: Reader, outbox_bell: Bell) -> None:
        self._writer = writer
        self._reader = reader
        self._outbox_bell = outbox_bell

    async def get(self, code: str) -> Approval | None:
        """Return the question of that name, or None; upper and lower case are the same."""
        found = await self._reader.read(partial(_read, where="one.code = ?", value=code.lower()))
        return found[0] if found else None

    async def waiting(self, session_key: SessionKey) -> Sequence[Approval]:
        """Return what waits in a session, in order."""
        where = "one.session_key = ? AND one.state = 'asked'"
        return await self._reader.read(partial(_read, where=where, value=session_key))

    async def expired(self, now: datetime) -> Sequence[Approval]:
        """Return what waits though its time is over, what expired first first."""
        where = "one.state = 'asked' AND one.expires_at <= ?"
        return await self._reader.read(partial(_read, where=where, value=ticks(now)))

    async def expire(self, code: str, deliveries: Sequence[Delivery]) -> bool:
        """Refuse what nobody decided and queue what tells of it, in one commit."""

        def unit(connection: sqlite3.Connection) -> bool:
            if not _move(connection, code, ApprovalState.EXPIRED):
                return False
            outbox.queue(connection, deliveries)
            return True

        return await self._writer.write(unit, then=lambda _: self._outbox_bell.ring())

    async def allows(self, agent_id: AgentId, tool: str, identity: str) -> bool:
        """Whether somebody said ``always`` to exactly this."""

        def unit(connection: sqlite3.Connection) -> bool:
            row = connection.execute(
                "SELECT 1 FROM approval_rule WHERE agent_id = ? AND tool = ? AND identity = ?",
                (agent_id, tool, identity),
            ).fetchone()
            return row is not None

        return await self._reader.read(unit)

    async def rules(self) -> Sequence[Rule]:
        """Return what was allowed for good, oldest first."""
        return await self._reader.read(rules)

    async def revoke(self, number: int) -> Rule | None:
        """Take a rule back; return it, or None if there is no such rule."""

        def unit(connection: sqlite3.Connection) -> Rule | None:
            row = connection.execute(
                "DELETE FROM approval_rule WHERE number = ? RETURNING *", (number,)
            ).fetchone()
            return None if row is None else _rule(row)

        return await self._writer.write(unit)


def ask(connection: sqlite3.Connection, turn: Turn, questions: Sequence[Question]) -> None:
    """Write down what *turn* asks, as it ends."""
    for question in questions:
        connection.execute(
            "INSERT INTO approval (code, turn_id, session_key, plan, question, expires_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                question.code,
                turn.id,
                turn.session_key,
                question.plan,
                codec.QUESTION.encode(question),
                ticks(question.expires_at),
            ),
        )


def decide(connection: sqlite3.Connection, decides: Decides, decided: Arrival, now: int) -> bool:
    """Make a decision, unless the question waits no longer; say whether it was made."""
    refused = decides.decision is Decision.NO
    row = connection.execute(
        "UPDATE approval SET state = ?, decision = ?, decided_by = ?, decided_name = ?,"
        " decided_at = ?, decided_in = ?"
        " WHERE code = ? AND state = 'asked' AND expires_at > ? RETURNING plan, question",
        (
            ApprovalState.REFUSED if refused else ApprovalState.APPROVED,
            decides.decision,
            decides.by,
            decides.name,
            now,
            decided.turn_id,
            decides.code,
            now,
        ),
    ).fetchone()
    if row is None:
        return False
    if decides.decision is Decision.ALWAYS:
        _allow(
            connection, decides, decided.route.agent_id, codec.QUESTION.decode(row["question"]), now
        )
    if refused:
        _end_plan(connection, row["plan"])
    return True


def begin(connection: sqlite3.Connection, turn: Turn, code: str) -> None:
    """Use up the approval that *turn* carries out. A second time it finds it used up by itself."""
    connection.execute(
        "UPDATE approval SET state = 'carried_out'"
        " WHERE code = ? AND decided_in = ? AND state = 'approved'",
        (code, turn.id),
    )


def withdraw(connection: sqlite3.Connection, session_key: SessionKey) -> None:
    """Let nobody decide any more about what a session asked: it goes on elsewhere."""
    connection.execute(
        "UPDATE approval SET state = 'withdrawn' WHERE session_key = ? AND state = 'asked'",
        (session_key,),
    )


def rules(connection: sqlite3.Connection) -> Sequence[Rule]:
    """Return what was allowed for good, oldest first."""
    rows = connection.execute("SELECT * FROM approval_rule ORDER BY number").fetchall()
    return [_rule(row) for row in rows]


def _move(connection: sqlite3.Connection, code: str, state: ApprovalState) -> bool:
    moved = connection.execute(
        "UPDATE approval SET state = ? WHERE code = ? AND state = 'asked'", (state, code)
    )
    return moved.rowcount > 0


def _allow(
    connection: sqlite3.Connection,
    decides: Decides,
    agent_id: AgentId,
    question: Question,
    now: int,
) -> None:
    connection.execute(
        "INSERT INTO approval_rule (agent_id, tool, identity, made_by, made_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (agent_id, tool, identity) DO NOTHING",
        (
            agent_id,
            question.tool,
            question.identity,
            f"{decides.name} ({decides.by})" if decides.name else decides.by,
            now,
        ),
    )


def _end_plan(connection: sqlite3.Connection, plan: str) -> None:
    """Withdraw what a plan still asks, once there were enough noes to it."""
    (noes,) = connection.execute(
        "SELECT COUNT(*) FROM approval WHERE plan = ? AND state IN ('refused', 'expired')",
        (plan,),
    ).fetchone()
    if noes >= NOES:
        connection.execute(
            "UPDATE approval SET state = 'withdrawn' WHERE plan = ? AND state = 'asked'", (plan,)
        )


def _read(connection: sqlite3.Connection, *, where: str, value: object) -> Sequence[Approval]:
    rows = connection.execute(f"{_APPROVALS} WHERE {where} ORDER BY one.number", (value,))
    return [_approval(row) for row in rows.fetchall()]


def _approval(row: sqlite3.Row) -> Approval:
    decision = row["decision"]
    return Approval(
        question=codec.QUESTION.decode(row["question"]),
        state=ApprovalState(row["state"]),
        turn_id=TurnId(row["turn_id"]),
        arrival=codec.ARRIVAL.decode(row["arrival"]),
        decision=None if decision is None else Decision(decision),
        decided_by=row["decided_by"],
        decided_name=row["decided_name"],
        decided_at=moment_or_none(row["decided_at"]),
        decided_in=None if row["decided_in"] is None else TurnId(row["decided_in"]),
        noes=row["noes"],
    )


def _rule(row: sqlite3.Row) -> Rule:
    return Rule(
        number=row["number"],
        agent_id=AgentId(row["agent_id"]),
        tool=row["tool"],
        identity=row["identity"],
        made_by=row["made_by"],
        made_at=moment(row["made_at"]),
    )
