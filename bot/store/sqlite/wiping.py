"""Deleting a whole session: its memory, its words, and what was chosen in it."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.contracts.inbound import ConversationKey
from bot.contracts.session import SessionKey, chapter_key
from bot.contracts.turn import TurnId
from bot.store.sqlite import attempts, conversations, endings, ready
from bot.store.sqlite.rows import conversation_values, ticks

_OPEN: Final = (
    "SELECT id FROM turn WHERE session_key = ? AND state IN ('waiting', 'running') ORDER BY seq"
)
_PLACES: Final = (
    "SELECT DISTINCT channel, account, conversation_id, thread_id FROM turn WHERE session_key = ?"
)
_BLANK: Final = """
    UPDATE turn SET forgotten = 1, untold = 0, kept = 0,
      arrival = json_set(arrival, '$.inbound.text', '', '$.inbound.attachments', json('[]'),
                         '$.told', NULL),
      ending = json_set(ending, '$.text', '', '$.reason', 'deleted')
    WHERE session_key = ?
"""
_HERE: Final = (
    "channel = :channel AND account = :account AND conversation_id = :conversation_id"
    " AND COALESCE(thread_id, '') = COALESCE(:thread_id, '')"
)
_LEFT: Final = (
    "SELECT MIN(seq) AS first, MAX(seq) AS last FROM turn WHERE channel = :channel"
    " AND account = :account AND conversation_id = :conversation_id AND thread_id IS :thread_id"
    " AND forgotten = 0 AND event IN ('message', 'command')"
)
_REMOVED: Final = "DELETE FROM conversation WHERE"
_MOVED: Final = "UPDATE conversation SET first_seq = :first, last_seq = :last WHERE"


def wipe_session(
    connection: sqlite3.Connection, key: SessionKey, unused_since: datetime | None, now: int
) -> Sequence[TurnId] | None:
    """Delete a session; return what this ended, or None if there is none, or it was used since.

    Its turns' rows stay without their words: a source that was claimed stays claimed.
    """
    session = connection.execute("SELECT * FROM session WHERE key = ?", (key,)).fetchone()
    if session is None:
        return None
    ended = [TurnId(row["id"]) for row in connection.execute(_OPEN, (key,)).fetchall()]
    if unused_since is not None and (
        ended or session["last_interaction_at"] >= ticks(unused_since)
    ):
        return None
    for turn_id in ended:
        endings.end(connection, turn_id, conversations.FORGOTTEN, now)
        attempts.end(connection, turn_id, conversations.FORGOTTEN.reason, now)
    ready.left(connection, key)
    for number in range(session["chapters"]):
        connection.execute("DELETE FROM entry WHERE session_key = ?", (chapter_key(key, number),))
    connection.execute("DELETE FROM delivery WHERE session_key = ?", (key,))
    connection.execute(_BLANK, (key,))
    connection.execute("DELETE FROM session WHERE key = ?", (key,))
    for row in connection.execute(_PLACES, (key,)).fetchall():
        _list_anew(connection, ConversationKey(**dict(row)))
    return ended


def _list_anew(connection: sqlite3.Connection, conversation: ConversationKey) -> None:
    """Let a list show what is left of a conversation, which may be nothing."""
    values = conversation_values(conversation)
    left = connection.execute(_LEFT, values).fetchone()
    if left["first"] is None:
        connection.execute(f"{_REMOVED} {_HERE}", values)
    else:
        moved = {**values, "first": left["first"], "last": left["last"]}
        connection.execute(f"{_MOVED} {_HERE}", moved)
