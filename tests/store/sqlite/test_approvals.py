"""The moves of a question, as the database itself holds them."""

import sqlite3
from itertools import product
from pathlib import Path

import pytest

from bot.contracts.approval import MOVES, ApprovalState
from bot.store.sqlite.migrate import migrate

_DECIDED = {ApprovalState.APPROVED, ApprovalState.CARRIED_OUT, ApprovalState.REFUSED}


@pytest.mark.parametrize(("before", "after"), [*product(ApprovalState, ApprovalState)])
def test_a_question_goes_only_where_the_table_of_moves_lets_it(
    before: ApprovalState, after: ApprovalState
) -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    migrate(database, Path("/state/stone.db"))
    decision = {ApprovalState.REFUSED: "no"}.get(before, "once" if before in _DECIDED else None)
    made = ("t2", 1) if decision else (None, None)
    database.execute(
        "INSERT INTO approval (code, state, turn_id, session_key, plan, question, expires_at,"
        " decision, decided_in, decided_at) VALUES ('kf47m', ?, 't', 's', 't', '{}', 9, ?, ?, ?)",
        (before, decision, *made),
    )
    decided = {ApprovalState.REFUSED: "no"}.get(after, "once" if after in _DECIDED else decision)
    moved = (after, decided, "t2" if decided else None, 1 if decided else None)

    def move() -> None:
        database.execute(
            "UPDATE approval SET state = ?, decision = ?, decided_in = ?, decided_at = ?", moved
        )

    if after in MOVES[before]:
        move()
    else:
        with pytest.raises(sqlite3.IntegrityError):
            move()
