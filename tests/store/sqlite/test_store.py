"""What is SQLite's own: caps that can be set, and a row that cannot be read."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from bot.contracts.errors import RecordUnreadable, StoreHeld, StoreUnavailable
from bot.contracts.signals import Offer, WorkWaiting
from bot.contracts.store import Full, Opened
from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind, TurnState, Usage
from bot.store.sqlite import SqliteStore
from bot.store.sqlite.overflow import Caps
from bot.store.sqlite.turns import SqliteTurns
from tests.doubles.arrivals import a_delivery, an_arrival
from tests.doubles.clock import FakeClock

LANES = tuple(Lane)


async def test_a_full_store_takes_no_more_from_anybody(tmp_path: Path) -> None:
    store = await SqliteStore.open(
        tmp_path / "stone.db", clock=FakeClock(), caps=Caps(session=2, store=3)
    )
    results = await store.turns.open(
        *(an_arrival(f"{n}", conversation=f"c{n // 2}") for n in range(5))
    )
    assert [type(result) for result in results] == [Opened, Opened, Opened, Full, Full]
    assert results[3] == Full(waiting=3)
    await store.turns.take("worker", LANES)
    assert isinstance((await store.turns.open(an_arrival("more")))[0], Opened)
    await store.close()


async def test_a_store_that_could_not_be_opened_is_held_by_nobody(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    path.write_bytes(b"not a database at all" * 100)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="move it aside"):
            await SqliteStore.open(path, clock=FakeClock())
    path.rename(tmp_path / "aside")
    store = await SqliteStore.open(path, clock=FakeClock())
    with pytest.raises(StoreHeld):
        await SqliteStore.open(path, clock=FakeClock())
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.turns.open(an_arrival("late"))


async def test_whoever_stops_listening_is_forgotten(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "stone.db", clock=FakeClock())
    await store.turns.open(an_arrival("hello"))
    signals = store.turns.signals(Offer(worker="worker", lanes=LANES, places=lambda: 1))
    assert await anext(signals) == WorkWaiting()
    await signals.aclose()
    assert isinstance(store.turns, SqliteTurns)
    assert store.turns._listeners.with_places() is None
    await store.close()


async def test_a_turn_that_cannot_be_read_does_not_hold_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    store = await SqliteStore.open(path, clock=FakeClock())
    broken, whole = await store.turns.open(an_arrival("one"), an_arrival("two", conversation="bob"))
    assert isinstance(broken, Opened)
    assert isinstance(whole, Opened)
    hand = sqlite3.connect(path)
    hand.execute("UPDATE turn SET arrival = '{}' WHERE id = ?", (broken.turn.id,))
    hand.commit()
    taken = await store.turns.take("worker", LANES)
    assert taken is not None
    assert taken.id == whole.turn.id
    row = hand.execute("SELECT outcome, ending FROM turn WHERE id = ?", (broken.turn.id,))
    kind, ending = row.fetchone()
    hand.close()
    assert kind == "failed"
    assert "cannot be read" in ending
    with pytest.raises(RecordUnreadable):
        await store.ledger.turn(broken.turn.id)
    await store.close()


async def test_a_delivery_that_cannot_be_read_does_not_hold_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    store = await SqliteStore.open(path, clock=FakeClock())
    await store.turns.open(an_arrival("one"))
    turn = await store.turns.take("worker", LANES)
    assert turn is not None
    parts = [a_delivery(turn, text, part=n) for n, text in enumerate(("broken", "whole"))]
    await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED)), parts)
    hand = sqlite3.connect(path)
    hand.execute("UPDATE delivery SET payload = '{}' WHERE id = ?", (parts[0].id,))
    hand.commit()
    leased = await store.outbox.lease("page", "default")
    assert leased is not None
    assert leased.id == parts[1].id
    row = hand.execute("SELECT state, reason FROM delivery WHERE id = ?", (parts[0].id,))
    state, reason = row.fetchone()
    hand.close()
    assert state == "rejected"
    assert "cannot be read" in reason
    await store.close()


@pytest.mark.parametrize("replaced", [False, True], ids=["gone", "another in its place"])
async def test_a_file_nobody_can_find_any_more_takes_nothing(
    tmp_path: Path, *, replaced: bool
) -> None:
    path = tmp_path / "stone.db"
    store = await SqliteStore.open(path, clock=FakeClock())
    await store.turns.open(an_arrival("kept"))
    path.rename(tmp_path / "aside")
    if replaced:
        path.write_bytes(b"")

    with pytest.raises(StoreUnavailable, match="moved or removed"):
        await store.turns.open(an_arrival("not taken"))

    path.unlink(missing_ok=True)
    (tmp_path / "aside").rename(path)
    assert isinstance((await store.turns.open(an_arrival("taken")))[0], Opened)
    await store.close()


async def test_a_turn_that_cannot_be_put_back_is_put_back_once_the_file_is_there_again(
    tmp_path: Path,
) -> None:
    path, aside = tmp_path / "stone.db", tmp_path / "aside"
    store = await SqliteStore.open(path, clock=FakeClock())
    assert await store.turns.take("worker", LANES) is None
    signals = store.turns.signals(Offer(worker="worker", lanes=LANES, places=lambda: 1))
    hearing = asyncio.ensure_future(anext(signals))
    await asyncio.sleep(0)
    (result,) = await store.turns.open(an_arrival("hello"))
    assert isinstance(result, Opened)
    assert result.turn.state is TurnState.RUNNING

    path.rename(aside)
    hearing.cancel()
    await asyncio.gather(hearing, return_exceptions=True)
    await signals.aclose()
    with pytest.raises(StoreUnavailable):
        await store.turns.open(an_arrival("behind it"))
    aside.rename(path)

    listening = store.turns.signals(Offer(worker="next", lanes=LANES, places=lambda: 1))
    async with asyncio.timeout(10):
        assert await anext(listening) == WorkWaiting()
        again = await store.turns.take("next", LANES)
    assert again is not None
    assert (again.id, again.attempt, again.crashes) == (result.turn.id, 2, 0)
    assert await store.turns.take("next", LANES) is None
    await listening.aclose()
    await store.close()


async def test_to_append_nothing_harms_nobody(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "stone.db", clock=FakeClock())
    await store.turns.open(an_arrival("hello"))
    turn = await store.turns.take("worker", LANES)
    assert turn is not None
    appended, opened = await asyncio.gather(
        store.transcripts.append(turn), store.turns.open(an_arrival("beside it"))
    )
    assert appended == []
    assert isinstance(opened[0], Opened)
    assert len(await store.transcripts.recent(turn.session_key)) == 1
    await store.close()


async def test_a_sum_that_cannot_be_read_keeps_no_turn_from_ending(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    store = await SqliteStore.open(path, clock=FakeClock())
    await store.turns.open(an_arrival("hello"))
    turn = await store.turns.take("worker", LANES)
    assert turn is not None
    hand = sqlite3.connect(path)
    hand.execute("UPDATE session SET usage = '[]'")
    hand.commit()
    hand.close()
    used = Usage(input_tokens=7)
    await store.turns.finish(
        turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED, usage=used)), []
    )
    session = await store.sessions.get(turn.session_key)
    assert session is not None
    assert session.usage == used
    await store.close()
