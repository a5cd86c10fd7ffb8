"""The SQLite backend keeps every contract."""

from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from bot.contracts.store import Store
from bot.store import open_store
from tests.doubles.watched_clock import WatchedClock
from tests.store.conversations_contract import ConversationsContract
from tests.store.ledger_contract import LedgerContract
from tests.store.machine import StoreMachine
from tests.store.outbox_contract import OutboxContract
from tests.store.overheard_contract import OverheardContract
from tests.store.queueing_contract import QueueingContract
from tests.store.records_contract import RecordsContract
from tests.store.sessions_contract import SessionsContract
from tests.store.transcripts_contract import TranscriptsContract
from tests.store.turns_contract import TurnsContract


@pytest.fixture
def clock() -> WatchedClock:
    return WatchedClock()


@pytest.fixture
async def store(tmp_path: Path, clock: WatchedClock) -> AsyncIterator[Store]:
    opened = await open_store(f"sqlite://{tmp_path}/stone.db", clock=clock)
    yield opened
    await opened.close()


class TestSqliteTurns(TurnsContract): ...


class TestSqliteQueueing(QueueingContract): ...


class TestSqliteOverheard(OverheardContract): ...


class TestSqliteTranscripts(TranscriptsContract): ...


class TestSqliteSessions(SessionsContract): ...


class TestSqliteOutbox(OutboxContract): ...


class TestSqliteRecords(RecordsContract): ...


class TestSqliteLedger(LedgerContract): ...


class TestSqliteConversations(ConversationsContract): ...


class SqliteMachine(StoreMachine):
    """The SQLite store against the model."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        super().__init__()

    async def opened(self) -> Store:
        url = f"sqlite://{self._folder.name}/stone.db"
        return await open_store(url, clock=self.clock)

    def teardown(self) -> None:
        super().teardown()
        self._folder.cleanup()


TestSqliteMachine = SqliteMachine.TestCase
TestSqliteMachine.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
