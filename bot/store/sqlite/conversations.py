"""Conversations as a list shows them, searched, named and forgotten."""

import json
import sqlite3
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from bot.contracts.inbound import ConversationKey, EventClass
from bot.contracts.ledger import Found, Listed
from bot.contracts.session import SessionKey
from bot.contracts.turn import Outcome, OutcomeKind, Turn, TurnId
from bot.store import codec
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.rows import CHAPTER_KEY, conversation_values, heard_line, said_line

FORGOTTEN: Final = Outcome(kind=OutcomeKind.INTERRUPTED, reason="deleted")
"""How a turn ends whose conversation is deleted while it waits or runs."""

_LINES: Final = frozenset({EventClass.MESSAGE, EventClass.COMMAND})

_HERE: Final = (
    "channel = :channel AND account = :account AND conversation_id = :conversation_id"
    " AND COALESCE(thread_id, '') = COALESCE(:thread_id, '')"
)
"""In the words of the index `conversation_key`."""

_THIS: Final = (
    "channel = :channel AND account = :account"
    " AND conversation_id = :conversation_id AND thread_id IS :thread_id"
)
_PLACE: Final = "channel = :channel AND account = :account AND conversation_id = :conversation_id"

_LISTED: Final = """
    SELECT one.*, substr(COALESCE(NULLIF(trim(json_extract(first.arrival, '$.inbound.text')), ''),
      json_extract(first.arrival, '$.inbound.attachments[0].name'), ''), 1, 200) AS opening,
      last.arrival AS last_arrival
    FROM (SELECT * FROM conversation WHERE {where} ORDER BY last_seq DESC LIMIT :limit) AS one
    JOIN turn AS first ON first.seq = one.first_seq
    JOIN turn AS last ON last.seq = one.last_seq
    ORDER BY one.last_seq DESC
"""

_HEARD: Final = """
    SELECT *, json_extract(arrival, '$.inbound.text') || COALESCE((
      SELECT group_concat(char(10) || json_extract(value, '$.name'), '')
      FROM json_each(arrival, '$.inbound.attachments')), '') AS words
    FROM turn
"""
"""The names of files are found like the words they came with."""

_SAID: Final = (
    "SELECT *, 0 AS tool_calls, json_extract(payload, '$.fallback') AS words FROM delivery"
)
_MATCHES: Final = (
    "NOT EXISTS (SELECT 1 FROM json_each(:wanted) AS word"
    " WHERE instr(folded(words), word.value) = 0)"
    " ORDER BY seq DESC LIMIT :limit"
)

_RENAME: Final = "UPDATE conversation SET title = :title"
_MINE: Final = "SELECT id FROM turn"
_KEYS: Final = "SELECT session_key FROM turn"
_CHAPTERS: Final = f"SELECT {CHAPTER_KEY} FROM turn"  # noqa: S608 - constants
_ENTRIES: Final = "DELETE FROM entry"
_DELIVERIES: Final = "DELETE FROM delivery"
_LISTING: Final = "DELETE FROM conversation"
_WIPE: Final = (
    "UPDATE turn SET untold = 0, kept = 0,"
    " arrival = json_set(arrival, '$.inbound.text', '', '$.inbound.attachments', json('[]'),"
    " '$.told', NULL)"
)
_TURNS: Final = """
    UPDATE turn SET forgotten = 1, untold = 0, kept = 0,
      arrival = json_set(arrival, '$.inbound.text', '', '$.inbound.attachments', json('[]')),
      ending = json_set(ending, '$.text', '', '$.reason', 'deleted')
"""


class SqliteConversations:
    """The `Conversations` of one database."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def latest(self, place: ConversationKey, *, limit: int = 200) -> Sequence[Listed]:
        """Return the first conversation and its threads, what was last used first."""
        values = {**conversation_values(place), "limit": limit}

        def unit(connection: sqlite3.Connection) -> Sequence[Listed]:
            rows = connection.execute(_LISTED.format(where=_PLACE), values).fetchall()
            return [_listed(row) for row in rows]

        return await self._reader.read(unit)

    async def get(self, conversation: ConversationKey) -> Listed | None:
        """Return one, or None if nothing stands in it."""
        values = {**conversation_values(conversation), "limit": 1}

        def unit(connection: sqlite3.Connection) -> Listed | None:
            row = connection.execute(_LISTED.format(where=_HERE), values).fetchone()
            return None if row is None else _listed(row)

        return await self._reader.read(unit)

    async def search(
        self, place: ConversationKey, words: Sequence[str], *, limit: int = 50
    ) -> Sequence[Found]:
        """Return lines that hold every one of *words*, newest first.

        Every line is looked at. That takes a tenth of a second for ten thousand
        of them, finds words in the middle of words and in languages without
        spaces, and costs nothing until somebody searches; an index of words
        would make each message dearer.
        """
        folded = json.dumps([word.casefold() for word in words], ensure_ascii=False)
        values = {**conversation_values(place), "wanted": folded, "limit": limit}

        def unit(connection: sqlite3.Connection) -> Sequence[Found]:
            heard = connection.execute(
                f"{_HEARD} WHERE {_PLACE} AND event IN ('message', 'command') AND forgotten = 0"
                f" AND {_MATCHES}",
                values,
            ).fetchall()
            said = connection.execute(
                f"{_SAID} WHERE {_PLACE} AND seq IS NOT NULL AND {_MATCHES}", values
            ).fetchall()
            found = [Found(conversation=_key(row), line=heard_line(row)) for row in heard]
            found += [Found(conversation=_key(row), line=said_line(row)) for row in said]
            found.sort(key=attrgetter("line.seq"), reverse=True)
            return found[:limit]

        return await self._reader.read(unit)

    async def rename(self, conversation: ConversationKey, title: str | None) -> bool:
        """Name it, or take its name away; say whether there is such a conversation."""
        values = {**conversation_values(conversation), "title": title or None}

        def unit(connection: sqlite3.Connection) -> bool:
            renamed = connection.execute(f"{_RENAME} WHERE {_HERE} RETURNING 1", values)
            return bool(renamed.fetchall())

        return await self._writer.write(unit)


def note(connection: sqlite3.Connection, turn: Turn) -> None:
    """Note that *turn* was heard in its conversation, which may be new."""
    inbound = turn.arrival.inbound
    if inbound.event in _LINES:
        connection.execute(
            "INSERT INTO conversation"
            " (first_seq, last_seq, channel, account, conversation_id, thread_id)"
            " VALUES (:seq, :seq, :channel, :account, :conversation_id, :thread_id)"
            " ON CONFLICT (channel, account, conversation_id, COALESCE(thread_id, ''))"
            " DO UPDATE SET last_seq = excluded.last_seq",
            {**conversation_values(inbound.conversation_key), "seq": turn.seq},
        )


def open_turns(connection: sqlite3.Connection, conversation: ConversationKey) -> Sequence[TurnId]:
    """Return the turns of *conversation* that wait or run, oldest first."""
    rows = connection.execute(
        f"{_MINE} WHERE {_THIS} AND state IN ('waiting', 'running') ORDER BY seq",
        conversation_values(conversation),
    ).fetchall()
    return [TurnId(row["id"]) for row in rows]


def open_sessions(
    connection: sqlite3.Connection, conversation: ConversationKey
) -> Sequence[SessionKey]:
    """Return the sessions in which something of *conversation* waits or runs."""
    rows = connection.execute(
        f"{_KEYS} WHERE {_THIS} AND state IN ('waiting', 'running') GROUP BY session_key",
        conversation_values(conversation),
    ).fetchall()
    return [SessionKey(row["session_key"]) for row in rows]


def wipe(connection: sqlite3.Connection, conversation: ConversationKey) -> None:
    """Delete every word of *conversation*, whose turns are over; their rows stay as claims."""
    values = conversation_values(conversation)
    connection.execute(
        f"{_ENTRIES} WHERE turn_id IN ({_MINE} WHERE {_THIS})"
        f" AND session_key IN ({_CHAPTERS} WHERE {_THIS})",
        values,
    )
    connection.execute(f"{_DELIVERIES} WHERE {_THIS}", values)
    connection.execute(f"{_TURNS} WHERE {_THIS}", values)
    connection.execute(f"{_LISTING} WHERE {_HERE}", values)


def wipe_one(connection: sqlite3.Connection, seq: int) -> None:
    """Delete the words of one turn that nobody was told of; its row stays as a claim."""
    connection.execute(f"{_WIPE} WHERE seq = ?", (seq,))


def _listed(row: sqlite3.Row) -> Listed:
    return Listed(
        key=_key(row),
        title=row["title"],
        opening=row["opening"],
        first_seq=row["first_seq"],
        last_at=codec.ARRIVAL.decode(row["last_arrival"]).received_at,
    )


def _key(row: sqlite3.Row) -> ConversationKey:
    return ConversationKey(
        channel=row["channel"],
        account=row["account"],
        conversation_id=row["conversation_id"],
        thread_id=row["thread_id"],
    )
