"""The SQLite backend keeps every contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.contracts.store import Store
from bot.store import open_store
from tests.doubles.clock import CountingIds
from tests.doubles.watched_clock import WatchedClock
from tests.store.ledger_contract import LedgerContract
from tests.store.outbox_contract import OutboxContract
from tests.store.records_contract import RecordsContract
from tests.store.sessions_contract import SessionsContract
from tests.store.transcripts_contract import TranscriptsContract
from tests.store.turns_contract import TurnsContract


@pytest.fixture
def clock() -> WatchedClock:
    return WatchedClock()


@pytest.fixture
async def store(tmp_path: Path, clock: WatchedClock) -> AsyncIterator[Store]:
    opened = await open_store(f"sqlite://{tmp_path}/stone.db", clock=clock, ids=CountingIds())
    yield opened
    await opened.close()


class TestSqliteTurns(TurnsContract): ...


class TestSqliteTranscripts(TranscriptsContract): ...


class TestSqliteSessions(SessionsContract): ...


class TestSqliteOutbox(OutboxContract): ...


class TestSqliteRecords(RecordsContract): ...


class TestSqliteLedger(LedgerContract): ...
