"""What the queue costs does not grow with the number of sessions, nor with another's flood."""

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind
from bot.store.sqlite import CAPS, SqliteStore, bursts, due, joining, ready, stops, untold
from bot.store.sqlite.overflow import Caps
from tests.doubles.arrivals import an_arrival
from tests.doubles.clock import FakeClock
from tests.store.sqlite.test_cost import Meter, measure

SESSIONS = 10_000
FLOOD = 5_000
ANSWERED = Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED))

CONVERSATION = ("channel", "account", "conversation_id", "thread_id")
STATEMENTS = {
    "who is next": due._DUE.format(due=bursts.DUE),
    "who joins": joining._JOINING.format(due=bursts.DUE),
    "what is of one breath": bursts._STILL_WAITING,
    "who becomes ready": ready._JOIN_THE_LINE.format(runs=ready._RUNS),
    "who still waits": ready._WAIT,
    "what a stop asks": stops._ASK.format(may_end=stops._MAY_END),
    "what a stop ends": stops._WAITING.format(may_end=stops._MAY_END),
    "what was overheard": untold._OVERHEARD.format(here=untold._HERE),
    "what was corrected": untold._CORRECTIONS,
    "what is too old": untold._KEPT,
}


@pytest.mark.parametrize("name", STATEMENTS)
async def test_every_statement_of_the_queue_finds_its_rows_by_an_index(
    tmp_path: Path, name: str
) -> None:
    store = await SqliteStore.open(tmp_path / "stone.db", clock=FakeClock())

    def plan(connection: sqlite3.Connection) -> list[str]:
        names = (*"key now lane rank sender modes host any before".split(), *CONVERSATION)  # noqa: SIM905 - names
        values = dict.fromkeys(names)
        rows = connection.execute(f"EXPLAIN QUERY PLAN {STATEMENTS[name]}", values).fetchall()
        return [row["detail"] for row in rows]

    steps = await store._writer.write(plan)
    await store.close()
    looks = [step for step in steps if step.startswith("SCAN") and step != "SCAN CONSTANT ROW"]
    assert [step for step in looks if "INDEX" not in step] == []
    assert not [step for step in steps if "TEMP B-TREE" in step]


async def test_ten_thousand_sessions_make_nothing_dearer(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "stone.db", clock=FakeClock())
    young, old = Meter(), Meter()
    await measure(store, young, "first")

    await store._writer.write(partial(repeat, names=("key",), of="session", times=SESSIONS))
    await measure(store, old, "second")
    await store.close()
    verbs = ("open", "take", "absorb", "renew", "finish")
    dearer = {verb: (young.cost[verb], old.cost[verb]) for verb in verbs}
    assert [verb for verb, (few, many) in dearer.items() if many > few * 1.2 + 5] == []


async def test_a_flood_of_five_thousand_delays_nobody_and_costs_the_others_nothing(
    tmp_path: Path,
) -> None:
    caps = Caps(session=FLOOD, store=2 * FLOOD)
    store = await SqliteStore.open(tmp_path / "stone.db", clock=FakeClock(), caps=caps)
    quiet, flooded = Meter(), Meter()
    await one_turn(store, quiet, "before")
    await store.turns.open(an_arrival("flood", conversation="flood"))
    await store._writer.write(partial(repeat, names=("id", "source"), of="turn", times=FLOOD))
    flooding = await store.turns.take("worker", tuple(Lane))
    assert flooding is not None
    await one_turn(store, flooded, "after")
    await store.close()
    for verb in ("take", "finish"):
        assert flooded.cost[verb] <= quiet.cost[verb] * 1.2 + 5
    assert CAPS.session < FLOOD


def repeat(connection: sqlite3.Connection, *, names: tuple[str, ...], of: str, times: int) -> None:
    """Copy the last row of a table so many times, each with other *names*."""
    connection.execute("CREATE TEMP TABLE n (value)")
    connection.executemany("INSERT INTO n VALUES (?)", ((n,) for n in range(1, times + 1)))
    changed = {name: f"{name} || '-' || n.value" for name in names} | {"seq": "seq + n.value"}
    columns = [column[1] for column in connection.execute(f"PRAGMA table_info({of})")]
    selected = ", ".join(changed.get(name, name) for name in columns)
    last = f"(SELECT * FROM {of} ORDER BY {columns[0]} DESC LIMIT 1)"  # noqa: S608 - names of ours
    connection.execute(f"INSERT INTO {of} SELECT {selected} FROM {last}, n")  # noqa: S608 - names of ours
    connection.execute("UPDATE meta SET value = value + ? WHERE key = 'seq'", (times,))


async def one_turn(store: SqliteStore, meter: Meter, name: str) -> None:
    await store._writer.write(meter.attach)
    meter.verb = "open"
    await store.turns.open(an_arrival(name))
    meter.verb = "take"
    turn = await store.turns.take("worker", tuple(Lane))
    assert turn is not None
    assert turn.arrival.inbound.text == name
    meter.verb = "finish"
    await store.turns.finish(turn, ANSWERED, [])
    await store._writer.write(lambda connection: connection.set_progress_handler(None, 0))
