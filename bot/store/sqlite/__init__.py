"""The default store: one SQLite file, opened by one process."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.contracts.approval import Approvals
from bot.contracts.clock import Clock
from bot.contracts.errors import ConfigError
from bot.contracts.ledger import Conversations, Ledger
from bot.contracts.store import Outbox, Records, Sessions, Store, Transcripts, Turns
from bot.store.sqlite import leases
from bot.store.sqlite.approvals import SqliteApprovals
from bot.store.sqlite.bell import Bell
from bot.store.sqlite.conversations import SqliteConversations
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.files import Hold, hold
from bot.store.sqlite.known import KnownQueue
from bot.store.sqlite.leases import Boot
from bot.store.sqlite.ledger import SqliteLedger
from bot.store.sqlite.outbox import SqliteOutbox
from bot.store.sqlite.overflow import Caps
from bot.store.sqlite.recent import RecentTranscripts
from bot.store.sqlite.records import SqliteRecords
from bot.store.sqlite.sessions import SqliteSessions
from bot.store.sqlite.transcripts import SqliteTranscripts
from bot.store.sqlite.turns import Memory, SqliteTurns

CAPS: Final = Caps(session=20, store=2000)
"""How many turns may wait in a session and in all."""


class SqliteStore:
    """The `Store` in one database file."""

    def __init__(
        self, writer: Writer, reader: Reader, held: Hold, clock: Clock, boot: Boot, caps: Caps
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._held = held
        self._boot = boot
        memory = Memory(
            queue=KnownQueue(), transcripts=RecentTranscripts(), outbox_bell=Bell(clock)
        )
        self.turns: Turns = SqliteTurns(writer, reader, clock, boot, caps, memory)
        self.transcripts: Transcripts = SqliteTranscripts(
            writer, reader, clock, boot, memory.transcripts
        )
        self.sessions: Sessions = SqliteSessions(writer, reader)
        self.outbox: Outbox = SqliteOutbox(writer, reader, clock, boot, memory.outbox_bell)
        self.records: Records = SqliteRecords(writer, reader)
        self.ledger: Ledger = SqliteLedger(reader)
        self.conversations: Conversations = SqliteConversations(writer, reader)
        self.approvals: Approvals = SqliteApprovals(writer, reader, memory.outbox_bell)

    @classmethod
    async def open(cls, path: Path, *, clock: Clock, caps: Caps = CAPS) -> "SqliteStore":
        """Open the database at *path*, making it if there is none."""
        held = hold(path)
        try:
            writer = await Writer.open(path)
            try:
                boot = await writer.write(leases.begin)
                reader = await Reader.open(path)
            except BaseException:
                await writer.close()
                raise
        except BaseException:
            held.release()
            raise
        return cls(writer, reader, held, clock, boot, caps)

    @property
    def epoch(self) -> int:
        """Rises when history was rolled back (a restored backup), never otherwise."""
        return self._boot.epoch

    async def close(self) -> None:
        """Finish what was begun and let go of the file."""
        await self._reader.close()
        await self._writer.close()
        self._held.release()


async def open_store(url: str, *, clock: Clock, most_waiting: int) -> Store:
    """Open the store at ``sqlite:///absolute/path``."""
    caps = replace(CAPS, store=most_waiting)
    return await SqliteStore.open(_path(url), clock=clock, caps=caps)


async def open_ledger(url: str) -> SqliteLedger:
    """Open the lists at ``sqlite:///absolute/path``, also while a bot has it open."""
    return SqliteLedger(await Reader.open(_path(url)))


def _path(url: str) -> Path:
    path = Path(url.removeprefix("sqlite://"))
    if not path.is_absolute() or not path.name:
        raise ConfigError("store", f"{url!r}", "sqlite:///absolute/path/to/a/file")
    return path
