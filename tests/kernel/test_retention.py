"""Nothing is deleted that was not announced a day before, or that was used meanwhile."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.contracts.session import SessionKey
from bot.contracts.store import Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind
from bot.kernel.retention import Retention
from tests.doubles.arrivals import an_arrival
from tests.doubles.stores import a_store
from tests.doubles.watched_clock import WatchedClock

KEEP = timedelta(days=90)
DAY = 24 * 3600
ALICE = SessionKey("agent:main:alice")


@pytest.fixture
def clock() -> WatchedClock:
    return WatchedClock()


@pytest.fixture
async def store(tmp_path: Path, clock: WatchedClock) -> AsyncIterator[Store]:
    async with a_store(tmp_path, clock) as opened:
        yield opened


async def spoken(store: Store, text: str) -> None:
    await store.turns.open(an_arrival(text))
    turn = await store.turns.take("worker", {Lane.PEOPLE})
    assert turn is not None
    await store.turns.finish(turn, Ending(outcome=Outcome(kind=OutcomeKind.SILENT)), [])


async def test_what_is_old_is_announced_and_deleted_on_a_later_day(
    store: Store, clock: WatchedClock
) -> None:
    retention = Retention(store=store, clock=clock, keep=KEEP)
    await spoken(store, "hello")
    clock.advance(91 * DAY)
    assert "agent:main:alice" in await retention.announce(KEEP)
    assert await retention.sweep(KEEP) == []
    clock.advance(DAY + 1)
    assert await retention.sweep(KEEP) == [ALICE]
    assert await store.sessions.get(ALICE) is None


async def test_it_is_said_once_and_with_the_day(store: Store, clock: WatchedClock) -> None:
    retention = Retention(store=store, clock=clock, keep=KEEP)
    await spoken(store, "hello")
    clock.advance(91 * DAY)
    due = clock.now() + timedelta(days=1)
    assert f"to be deleted after {due:%Y-%m-%d %H:%M} UTC" in await retention.announce(KEEP)
    assert await retention.announce(KEEP) == ""


async def test_whoever_speaks_there_meanwhile_keeps_it(store: Store, clock: WatchedClock) -> None:
    retention = Retention(store=store, clock=clock, keep=KEEP)
    await spoken(store, "hello")
    clock.advance(91 * DAY)
    await retention.announce(KEEP)
    clock.advance(DAY + 1)
    await spoken(store, "I am still here")
    assert await retention.sweep(KEEP) == []


async def test_nothing_is_deleted_that_was_never_announced(
    store: Store, clock: WatchedClock
) -> None:
    retention = Retention(store=store, clock=clock, keep=KEEP)
    await spoken(store, "hello")
    clock.advance(1000 * DAY)
    assert await retention.sweep(KEEP) == []
    assert await store.sessions.get(ALICE) is not None


async def test_without_a_setting_it_ends_at_once(store: Store, clock: WatchedClock) -> None:
    await Retention(store=store, clock=clock, keep=None).work()
