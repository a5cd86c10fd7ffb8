"""What was acknowledged is there after any crash, and what was begun can be gone on with."""

import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.contracts.delivery import DeliveryState
from bot.contracts.errors import LeaseLost, StoreHeld
from bot.contracts.ledger import DeliveryQuery, TurnQuery
from bot.contracts.messages import AssistantMessage
from bot.contracts.store import Store
from bot.contracts.transcript import Ending, Received
from bot.contracts.turn import Lane, Outcome, OutcomeKind, QueueMode, TurnId, TurnState
from bot.store import open_ledger, open_store
from tests.doubles.arrivals import a_delivery, an_arrival
from tests.doubles.clock import START, FakeClock
from tests.store.outbox_contract import RECEIPT

ROOT = Path(__file__).parents[3]
LANES = tuple(Lane)


@contextmanager
def victim(database: Path, life: int) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.store.sqlite.victim", str(database), f"life{life}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)  # noqa: S603 - our own module
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def killed_after(database: Path, life: int, lines: int) -> list[list[str]]:
    """Let a victim say *lines* lines, kill it, and return all that it said."""
    with victim(database, life) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    return [line.split() for line in said if line.endswith("\n")]


async def reopened(database: Path) -> Store:
    return await open_store(f"sqlite://{database}", clock=FakeClock())


async def check(store: Store, said: list[list[str]], life: int) -> None:
    """Compare what the victim acknowledged with what is there."""
    facts = defaultdict(list)
    for verb, *words in said:
        facts[verb].append(words)
    everything = await store.ledger.turns(TurnQuery(limit=100_000))
    turns = {record.turn.id: record for record in everything}
    deliveries = {
        one.id: one for one in await store.ledger.deliveries(DeliveryQuery(limit=100_000))
    }
    assert {name for (name,) in facts["opened"]} <= set(turns)
    for name, attempt in facts["taken"]:
        assert turns[TurnId(name)].turn.attempt >= int(attempt)
    for (name,) in facts["finished"]:
        assert turns[TurnId(name)].outcome is not None
        assert {f"{name}:0", f"{name}:1"} <= set(deliveries)
    for name, seq in facts["sent"]:
        assert deliveries[name].seq == int(seq)
    cursor = await store.records.get(f"cursor:life{life}")
    assert int(cursor.value if cursor else -1) >= max(int(n) for (n,) in facts["cursor"])
    for record in everything:
        parts = [one for one in deliveries.values() if one.turn_id == record.turn.id]
        assert len(parts) == (2 if record.turn.state is TurnState.FINISHED else 0)


async def test_nothing_that_was_acknowledged_is_lost_however_often_it_is_killed(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    database = tmp_path / "stone.db"
    for life in range(5):
        said = killed_after(database, life, chance.randrange(20, 600))
        store = await reopened(database)
        await check(store, said, life)
        await store.close()


async def test_what_a_killed_process_left_is_gone_on_with(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    killed_after(database, 0, 300)
    store = await reopened(database)
    left = {
        record.turn.id for record in await store.ledger.turns(TurnQuery(states={TurnState.RUNNING}))
    }
    sending = await store.ledger.deliveries(DeliveryQuery(states={DeliveryState.SENDING}))
    assert sending == []
    taken = [turn for _ in left if (turn := await store.turns.take("next", LANES))]
    assert {turn.id for turn in taken} == left
    for turn in taken:
        assert (turn.attempt, turn.crashes) == (2, 1)
        record = await store.ledger.turn(turn.id)
        assert record is not None
        assert record.attempts[0].reason == "its process ended"
        assert record.attempts[0].ended_at is not None
        entries = [
            one.entry
            for one in await store.transcripts.read(turn.session_key)
            if one.turn_id == turn.id
        ]
        assert [type(entry) for entry in entries] in (
            [Received],
            [Received, AssistantMessage],
        )
    await store.close()


async def test_a_living_process_keeps_others_out_and_lets_them_look(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    with victim(database, 0) as process:
        assert process.stdout is not None
        while "finished" not in process.stdout.readline():
            pass
        with pytest.raises(StoreHeld, match=str(tmp_path)):
            await reopened(database)
        ledger = await open_ledger(f"sqlite://{database}")
        assert (await ledger.counts())["turns.finished"] > 0
        await ledger.close()
    await (await reopened(database)).close()


async def test_the_lists_can_be_read_when_nobody_runs(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    store = await reopened(database)
    await store.turns.open(an_arrival("hello"))
    await store.close()
    ledger = await open_ledger(f"sqlite://{database}")
    assert (await ledger.counts())["turns.waiting"] == 1
    await ledger.close()


async def test_a_send_that_was_cut_off_has_an_unknown_end(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    store = await reopened(database)
    await store.turns.open(an_arrival("hello"))
    turn = await store.turns.take("one", LANES)
    assert turn is not None
    answered = Outcome(kind=OutcomeKind.ANSWERED)
    await store.turns.finish(
        turn, Ending(outcome=answered), [a_delivery(turn, "hi"), a_delivery(turn, "x", part=1)]
    )
    cut_off = await store.outbox.lease("page", "default")
    assert cut_off is not None
    await store.close()

    store = await reopened(database)
    unknown = await store.outbox.lease("page", "default")
    assert unknown is not None
    assert (unknown.id, unknown.state) == (cut_off.id, DeliveryState.UNKNOWN)
    assert unknown.started_at == cut_off.started_at
    with pytest.raises(LeaseLost):
        await store.outbox.settle(cut_off, RECEIPT)
    await store.outbox.settle(await store.outbox.repeat(unknown), RECEIPT)
    await store.close()


async def test_an_unknown_end_stays_unknown_when_its_inquirer_dies(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    store = await reopened(database)
    await store.turns.open(an_arrival("hello"))
    turn = await store.turns.take("one", LANES)
    assert turn is not None
    await store.turns.finish(
        turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [a_delivery(turn, "hi")]
    )
    sent = await store.outbox.lease("page", "default")
    assert sent is not None
    await store.outbox.doubt(sent, after=START, reason="no answer")
    asked = await store.outbox.lease("page", "default")
    await store.close()

    store = await reopened(database)
    again = await store.outbox.lease("page", "default")
    assert asked is not None
    assert again is not None
    assert (again.id, again.state, again.attempt) == (sent.id, DeliveryState.UNKNOWN, 3)
    await store.close()


async def test_a_process_that_was_thought_dead_can_write_no_more(tmp_path: Path) -> None:
    """Its lock file was removed by hand, so that a second process could open the store."""
    database = tmp_path / "stone.db"
    zombie = await reopened(database)
    await zombie.turns.open(an_arrival("hello"))
    lost = await zombie.turns.take("one", LANES)
    assert lost is not None
    (tmp_path / "stone.db.lock").unlink()

    store = await reopened(database)
    taken = await store.turns.take("two", LANES)
    assert taken is not None
    assert (taken.id, taken.attempt, taken.crashes) == (lost.id, 2, 1)
    with pytest.raises(LeaseLost):
        await zombie.transcripts.append(lost)
    with pytest.raises(LeaseLost):
        await zombie.turns.finish(lost, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), [])
    await store.close()
    await zombie.close()


async def test_what_was_absorbed_stays_absorbed_after_a_crash(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    store = await reopened(database)
    await store.turns.open(an_arrival("one"))
    turn = await store.turns.take("one", LANES)
    assert turn is not None
    await store.turns.open(an_arrival("two"), an_arrival("three", mode=QueueMode.FOLLOWUP))
    await store.turns.absorb(turn, {QueueMode.STEER})
    await store.close()

    store = await reopened(database)
    again = await store.turns.take("two", LANES)
    assert again is not None
    assert (again.id, again.attempt) == (turn.id, 2)
    entries = [one.entry for one in await store.transcripts.read(turn.session_key)]
    assert [one.inbound.text for one in entries if isinstance(one, Received)] == ["one", "two"]
    assert await store.turns.take("two", LANES) is None
    await store.close()


async def test_a_released_turn_is_no_crash_in_the_next_process(tmp_path: Path) -> None:
    database = tmp_path / "stone.db"
    store = await reopened(database)
    await store.turns.open(an_arrival("one"))
    turn = await store.turns.take("one", LANES)
    assert turn is not None
    await store.turns.release(turn)
    await store.close()

    store = await reopened(database)
    again = await store.turns.take("two", LANES)
    assert again is not None
    assert (again.attempt, again.crashes) == (2, 0)
    await store.close()


async def test_the_epoch_stays_from_boot_to_boot(tmp_path: Path) -> None:
    store = await reopened(tmp_path / "stone.db")
    first = store.epoch
    await store.close()
    store = await reopened(tmp_path / "stone.db")
    assert store.epoch == first
    await store.close()
