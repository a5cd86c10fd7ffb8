"""What the next turn of a conversation is told: what was overheard, and what was edited."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Final

from bot.contracts.inbound import EventClass
from bot.contracts.transcript import Corrected, Entry, Observed, Quoted, Summarized
from bot.contracts.turn import Turn
from bot.store.sqlite import conversations
from bot.store.sqlite.rows import conversation_values, turn_of

MOST: Final = 50
"""How many messages are told at once; of more, the latest."""
MOST_CHARACTERS: Final = 12_000
"""How long they may be together; about 3,000 tokens."""
LONGEST: Final = 1_000
"""Characters of one of them."""
ONE_LINE: Final = 160
"""Characters of one that is told in one line."""
_MOST_SUMMARIZED: Final = 20

_CUT: Final = "…"

_HERE: Final = (
    "channel = :channel AND account = :account"
    " AND conversation_id = :conversation_id AND thread_id IS :thread_id"
)
_OVERHEARD: Final = """
    UPDATE turn INDEXED BY turn_untold SET untold = 0
    WHERE {here} AND untold = 1 AND seq < :before RETURNING *
"""
_KEPT: Final = "SELECT * FROM turn INDEXED BY turn_kept WHERE kept = 1 ORDER BY seq"
_EDITED: Final = """
    SELECT substr(json_extract(arrival, '$.inbound.text'), 1, :longest) FROM turn
    WHERE channel = :channel AND account = :account AND conversation_id = :conversation_id
      AND source = :source
"""
_CORRECTIONS: Final = """
    UPDATE turn INDEXED BY turn_corrects SET untold = 0
    WHERE corrects = :host AND untold = 1 AND rank >= :rank RETURNING *
"""


def before(connection: sqlite3.Connection, turn: Turn) -> Sequence[Entry]:
    """Return what is to be told before the words of *turn*; once.

    What came after *turn* is told with the message after it.
    """
    here = conversation_values(turn.arrival.inbound.conversation_key)
    rows = connection.execute(
        _OVERHEARD.format(here=_HERE), {**here, "before": turn.seq}
    ).fetchall()
    return _told(connection, rows)


def corrections(connection: sqlite3.Connection, host: Turn) -> Sequence[Entry]:
    """Return what was edited, while *host* runs, of what it is about; once."""
    rows = connection.execute(_CORRECTIONS, {"host": host.id, "rank": host.arrival.rank}).fetchall()
    return _told(connection, rows)


def summarized(connection: sqlite3.Connection, turn: Turn) -> Sequence[Entry]:
    """Return what joined *turn* while it waited and the queue was full."""
    rows = connection.execute(
        "SELECT * FROM turn WHERE absorbed_by = ? ORDER BY seq", (turn.id,)
    ).fetchall()
    if not rows:
        return ()
    told = [_quoted(turn_of(row), ONE_LINE) for row in rows[-_MOST_SUMMARIZED:]]
    return (Summarized(messages=tuple(told), left_out=len(rows) - len(told)),)


def _told(connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Sequence[Entry]:
    if not rows:
        return ()
    turns = [turn_of(row) for row in sorted(rows, key=itemgetter("seq"))]
    edits = [turn for turn in turns if turn.arrival.inbound.event is EventClass.EDIT]
    overheard = [turn for turn in turns if turn.arrival.inbound.event is not EventClass.EDIT]
    entries: list[Entry] = []
    if overheard:
        entries.append(_observed(overheard))
    entries += (_corrected(connection, turn) for turn in edits[-MOST:])
    return entries


def _observed(turns: Sequence[Turn]) -> Observed:
    """Take the latest, as many as there is room for."""
    told: list[Quoted] = []
    room = MOST_CHARACTERS
    for turn in reversed(turns[-MOST:]):
        quoted = _quoted(turn, LONGEST)
        room -= len(quoted.text) + len(quoted.sender.display_name) + sum(map(len, quoted.files))
        if room < 0:
            break
        told.append(quoted)
    return Observed(messages=tuple(reversed(told)), left_out=len(turns) - len(told))


def _corrected(connection: sqlite3.Connection, turn: Turn) -> Corrected:
    inbound = turn.arrival.inbound
    here = conversation_values(inbound.conversation_key)
    values = {**here, "source": inbound.edited_source, "longest": ONE_LINE}
    (was,) = connection.execute(_EDITED, values).fetchone() or ("",)
    return Corrected(was=was, now=_quoted(turn, LONGEST))


def _quoted(turn: Turn, longest: int) -> Quoted:
    inbound = turn.arrival.inbound
    text = inbound.text if longest > ONE_LINE else " ".join(inbound.text.split())
    return Quoted(
        sender=inbound.sender,
        at=inbound.sent_at,
        text=text if len(text) <= longest else text[: longest - 1] + _CUT,
        files=tuple(attachment.name for attachment in inbound.attachments),
    )


def forget(connection: sqlite3.Connection, before: datetime) -> int:
    """Take the words out of what was overheard *before*; return of how many.

    They are looked at in the order in which they came, up to the first that is young enough.
    """
    old: list[int] = []
    for row in connection.execute(_KEPT):
        if turn_of(row).arrival.received_at >= before:
            break
        old.append(row["seq"])
    for seq in old:
        conversations.wipe_one(connection, seq)
    return len(old)
