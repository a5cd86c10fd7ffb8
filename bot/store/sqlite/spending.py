"""What models used since some moment, from the answers that were recorded."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from bot.contracts.ledger import Spent
from bot.contracts.session import SessionKey, chapter_key
from bot.contracts.turn import TurnId, Usage
from bot.store.sqlite.rows import ticks

_LONGEST_TURN: Final = timedelta(days=2)
"""A turn may wait for a day; then it ends. So whatever was recorded since belongs to a session
that somebody spoke in at most so long before."""

_ANSWERS: Final = """
    SELECT at, turn_id,
           json_extract(body, '$.kind') AS kind,
           json_extract(body, '$.model') AS model,
           json_extract(body, '$.usage.input_tokens') AS input_tokens,
           json_extract(body, '$.usage.output_tokens') AS output_tokens,
           json_extract(body, '$.usage.cached_tokens') AS cached_tokens
    FROM entry WHERE session_key = ? ORDER BY seq DESC
"""


def spent(connection: sqlite3.Connection, since: datetime) -> Spent:
    """Add up what models answered since *since*."""
    turns: set[TurnId] = set()
    by_model: dict[str, Usage] = {}
    for row in _answers(connection, since):
        turns.add(TurnId(row["turn_id"]))
        used = Usage(
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            cached_tokens=row["cached_tokens"],
            model_calls=1,
        )
        by_model[row["model"]] = by_model.get(row["model"], Usage()) + used
    return Spent(turns=len(turns), by_model=by_model)


def _answers(connection: sqlite3.Connection, since: datetime) -> Iterator[sqlite3.Row]:
    """Read each session backwards, and no further than *since*."""
    sessions = connection.execute(
        "SELECT key, chapters FROM session WHERE last_interaction_at >= ?",
        (ticks(since - _LONGEST_TURN),),
    ).fetchall()
    chapters = [chapter_key(SessionKey(key), n) for key, count in sessions for n in range(count)]
    for key in chapters:
        for row in connection.execute(_ANSWERS, (key,)):
            if row["at"] < ticks(since):
                break
            if row["kind"] == "assistant":
                yield row
