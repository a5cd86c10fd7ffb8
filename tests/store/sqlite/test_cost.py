"""What a verb costs does not grow with the length of history."""

import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path

from bot.contracts.admission import Handled
from bot.contracts.chapters import NewChapter
from bot.contracts.delivery import DeliveryState
from bot.contracts.ledger import DeliveryQuery, TurnQuery
from bot.contracts.session import SessionKey
from bot.contracts.transcript import Ending
from bot.contracts.turn import (
    Lane,
    Outcome,
    OutcomeKind,
    QueueMode,
    SessionChange,
    SessionChoices,
    ThinkingLevel,
    TurnId,
    TurnState,
)
from bot.store.sqlite import SqliteStore
from tests.doubles.arrivals import a_delivery, an_arrival, an_inbound
from tests.doubles.clock import FakeClock
from tests.store.outbox_contract import RECEIPT

ALICE = an_inbound("x").conversation_key
ANSWERED = Outcome(kind=OutcomeKind.ANSWERED)
OPEN = {TurnState.WAITING, TurnState.RUNNING}
PAST = 4000


class Meter:
    """Counts the virtual machine instructions of SQLite, in tens."""

    def __init__(self) -> None:
        self.verb = ""
        self.cost: Counter[str] = Counter()

    def tick(self) -> int:
        self.cost[self.verb] += 1
        return 0

    def attach(self, connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(self.tick, 10)


async def day(store: SqliteStore, meter: Meter, name: str) -> None:
    """Use every verb of one turn's life."""
    meter.verb = "open"
    await store.turns.open(an_arrival(name), an_arrival(f"{name} and", mode=QueueMode.STEER))
    meter.verb = "duplicate"
    await store.turns.open(an_arrival(name))
    meter.verb = "take"
    turn = await store.turns.take("worker", tuple(Lane))
    assert turn is not None
    meter.verb = "absorb"
    await store.turns.absorb(turn, {QueueMode.STEER})
    meter.verb = "renew"
    await store.turns.renew(turn)
    meter.verb = "finish"
    await store.turns.finish(turn, Ending(outcome=ANSWERED), [a_delivery(turn, "yes")])
    meter.verb = "lease"
    delivery = await store.outbox.lease("page", "default")
    assert delivery is not None
    meter.verb = "settle"
    await store.outbox.settle(delivery, RECEIPT)
    await look(store, meter, turn.id, turn.session_key)
    meter.verb = "command"
    chosen = SessionChange(chosen=SessionChoices(thinking=ThinkingLevel.HIGH))
    command = an_arrival(f"/think high {name}", admission=Handled(reason="command:think"))
    await store.turns.open(replace(command, change=chosen))
    meter.verb = "new"
    anew = SessionChange(turns_to=NewChapter(reason="asked"))
    command = an_arrival(f"/new {name}", admission=Handled(reason="command:new"))
    await store.turns.open(replace(command, change=anew))


async def look(store: SqliteStore, meter: Meter, turn_id: TurnId, session_key: SessionKey) -> None:
    """Use the lists."""
    meter.verb = "trace"
    await store.ledger.turn(turn_id)
    meter.verb = "lines"
    await store.ledger.after(ALICE, 0, limit=2)
    meter.verb = "open turns"
    await store.ledger.turns(TurnQuery(conversation=ALICE, states=OPEN))
    meter.verb = "lists"
    await store.ledger.turns(TurnQuery(limit=2))
    await store.ledger.turns(TurnQuery(session_key=session_key, limit=2))
    await store.ledger.turns(TurnQuery(states={TurnState.FINISHED}, limit=2))
    await store.ledger.deliveries(DeliveryQuery(states={DeliveryState.SENT}, limit=2))
    await store.ledger.deliveries(DeliveryQuery(turn_id=turn_id, states={DeliveryState.SENT}))
    await store.ledger.sessions(limit=2)
    meter.verb = "sessions"
    await store.ledger.session(session_key)
    await store.ledger.sessions(limit=2, unused_since=RECEIPT.at)
    await store.ledger.chapters(session_key, limit=2)
    meter.verb = "conversations"
    await store.conversations.latest(ALICE, limit=2)
    await store.conversations.get(ALICE)


def copy_many_times(connection: sqlite3.Connection) -> None:
    """Make the past long: the first day's rows, over and over."""
    connection.execute("CREATE TEMP TABLE n (value)")
    connection.executemany("INSERT INTO n VALUES (?)", ((n,) for n in range(1, PAST + 1)))
    for table, key in (("turn", "seq"), ("delivery", "number")):
        names = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        changed = {
            key: f"{key} + n.value * 10",
            "id": "id || '-' || n.value",
            "source": "source || '-' || n.value",
            "seq": "seq + n.value * 10",
        }
        columns = ", ".join(changed.get(name, name) for name in names)
        copies = f"INSERT INTO {table} SELECT {columns} FROM {table}, n"  # noqa: S608 - names of ours
        connection.execute(copies)
    connection.execute("UPDATE meta SET value = value + ? WHERE key = 'seq'", (PAST * 10 + 10,))


async def measure(store: SqliteStore, meter: Meter, name: str) -> None:
    await store._writer.write(meter.attach)
    await store._reader.read(meter.attach)
    await day(store, meter, name)
    await store._writer.write(lambda connection: connection.set_progress_handler(None, 0))


async def test_no_verb_costs_more_when_much_has_been_said(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "stone.db", clock=FakeClock())
    young, old = Meter(), Meter()
    await measure(store, young, "first")
    await store._writer.write(copy_many_times)
    await measure(store, old, "second")
    await store.close()
    dearer = {verb: (young.cost[verb], cost) for verb, cost in old.cost.items()}
    assert dearer
    assert [verb for verb, (before, after) in dearer.items() if after > before * 2 + 50] == []
