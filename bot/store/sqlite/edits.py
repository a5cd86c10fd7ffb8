"""What an edit or a deletion does to the message that it names, in the commit of its own claim."""

import sqlite3
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.admission import Dispatch
from bot.contracts.inbound import ConversationKey, EventClass, Source
from bot.contracts.session import SessionKey
from bot.contracts.turn import Arrival, Outcome, OutcomeKind, Rank, Turn, TurnId, TurnState
from bot.store import codec
from bot.store.sqlite import conversations, endings, overflow, ready
from bot.store.sqlite.rows import conversation_values, turn_of

CLAIMED: Final = (
    "SELECT * FROM turn WHERE channel = :channel AND account = :account"
    " AND conversation_id = :conversation_id AND source = :source"
)
_HOST: Final = """
    SELECT host.id FROM turn AS one JOIN turn AS host ON host.id = COALESCE(one.absorbed_by, one.id)
    WHERE one.id = ? AND host.state = 'running'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of an edit or a deletion: the reason that its row is given."""

    reason: str
    tells: bool = False
    """The next turn of the conversation is told of it."""
    corrects: TurnId | None = None
    """Or this one, which runs."""
    session_key: SessionKey | None = None
    """Where that one runs."""


def apply(connection: sqlite3.Connection, arrival: Arrival, now: int) -> Change:
    """Do to the message that *arrival* names what was done to it on its platform.

    Only by who wrote it; a deletion also by an admin. What the message has led to already is
    left as it is.
    """
    inbound = arrival.inbound
    kind = "deletion" if inbound.event is EventClass.DELETION else "edit"
    row = claimed(connection, inbound.conversation_key, inbound.edited_source)
    if row is None or row["forgotten"]:
        return Change(reason=f"{kind}:unknown")
    turn = turn_of(row)
    if not _may(arrival, turn):
        return Change(reason=f"{kind}:not-theirs")
    if inbound.event is EventClass.DELETION:
        return _delete(connection, row, turn, now)
    return _edit(connection, row, turn, arrival)


def replace_text(connection: sqlite3.Connection, turn: Turn, text: str) -> None:
    """Give *turn*, which nobody was told of yet, other words."""
    inbound = replace(turn.arrival.inbound, text=text)
    arrival = replace(turn.arrival, inbound=inbound, told=None)
    connection.execute(
        "UPDATE turn SET arrival = ? WHERE id = ?", (codec.ARRIVAL.encode(arrival), turn.id)
    )


def cancel(connection: sqlite3.Connection, turn: Turn, now: int) -> None:
    """End *turn*, which waits, because its message is gone; what had joined it waits again."""
    endings.end(connection, turn.id, conversations.FORGOTTEN, now)
    overflow.rehome(connection, turn.id)
    ready.left(connection, turn.session_key)


def claimed(
    connection: sqlite3.Connection, conversation: ConversationKey, source: Source | None
) -> sqlite3.Row | None:
    """Return the row of a source that was claimed before."""
    row: sqlite3.Row | None = connection.execute(
        CLAIMED, {**conversation_values(conversation), "source": source}
    ).fetchone()
    return row


def silent(reason: str) -> Outcome:
    """Return how a row ends that needs no answer."""
    return Outcome(kind=OutcomeKind.SILENT, reason=reason)


def _may(arrival: Arrival, turn: Turn) -> bool:
    theirs = arrival.inbound.sender.id == turn.arrival.inbound.sender.id
    return theirs or (arrival.inbound.event is EventClass.DELETION and arrival.rank >= Rank.ADMIN)


def _edit(connection: sqlite3.Connection, row: sqlite3.Row, turn: Turn, arrival: Arrival) -> Change:
    text = arrival.inbound.text
    if text == turn.arrival.inbound.text:
        return Change(reason="edit:same")
    if turn.state is TurnState.WAITING or row["untold"]:
        replace_text(connection, turn, text)
        return Change(reason="edit:replaced")
    host = connection.execute(_HOST, (turn.id,)).fetchone()
    if host is not None:
        return Change(
            reason="edit:correction",
            tells=True,
            corrects=TurnId(host["id"]),
            session_key=turn.session_key,
        )
    return Change(reason="edit:recorded", tells=isinstance(turn.arrival.admission, Dispatch))


def _delete(connection: sqlite3.Connection, row: sqlite3.Row, turn: Turn, now: int) -> Change:
    if turn.state is TurnState.WAITING:
        cancel(connection, turn, now)
        return Change(reason="deletion:cancelled")
    if row["untold"]:
        conversations.wipe_one(connection, turn.seq)
        return Change(reason="deletion:forgotten")
    return Change(reason="deletion:recorded")
