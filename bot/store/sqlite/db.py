"""One file, a thread that writes and a thread that reads; the rest is functions of a connection."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

from bot.contracts.errors import StoreUnavailable
from bot.store.sqlite.connect import connect_to_read, connect_to_write
from bot.store.sqlite.files import identity
from bot.store.sqlite.thread import ConnectionThread, Job, Kept, T, Unit

_GONE: Final = (
    "{path} was moved or removed while the bot ran, so nothing can be recorded: "
    "stop the bot, put the file back or let it begin anew, and start it again"
)
"""SQLite would go on writing to a file that nobody can find any more."""


class Reader:
    """A read-only connection in a thread of its own."""

    def __init__(self, path: Path, thread: ConnectionThread) -> None:
        self._path = path
        self._thread = thread
        self._loop = asyncio.get_running_loop()
        self._closed = False

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Connect.

        Raises:
            StoreUnavailable: there is no database, or it cannot be read.
        """
        thread = ConnectionThread("store-reader", path, connect_to_read, _read)
        await thread.start()
        return cls(path, thread)

    async def read(self, unit: Unit[T]) -> T:
        """Run *unit* on one snapshot and return what it returns."""
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed: nothing can be read any more")
        future: asyncio.Future[T] = self._loop.create_future()
        self._thread.give(Job(unit=unit, future=future))
        return await future

    async def close(self) -> None:
        """Let go of the connection."""
        if not self._closed:
            self._closed = True
            await self._thread.end()


class Writer:
    """The only connection that writes, in a thread of its own.

    It takes what is queued, at most 64 units, and commits at once. It never
    waits for more: one message is as quick as the disk, and many share a
    commit. A unit that fails undoes itself alone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        self._file: tuple[int, int] | None = None
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._thread = ConnectionThread("store-writer", path, self._connect, self._write)

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Connect, check the file and bring its schema up to date.

        Raises:
            StoreUnavailable: the file is damaged, foreign, newer or out of reach.
        """
        writer = cls(path)
        await writer._thread.start()
        return writer

    async def write(
        self,
        unit: Unit[T],
        *,
        then: Callable[[T], None] | None = None,
        otherwise: Callable[[], None] | None = None,
        undo: Callable[[T], None] | None = None,
    ) -> T:
        """Run *unit* in a transaction and return what it returns, once that is on the disk.

        *then* is called after the commit, in the order of the commits, even if the
        caller has gone; *otherwise* if nothing was written. A caller that is cancelled
        meanwhile never learns the result; *undo* is then called with it, so that nothing
        stays taken by nobody.

        Raises:
            StoreUnavailable: nothing was written.
        """
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed: nothing can be recorded any more")
        future: asyncio.Future[T] = self._loop.create_future()
        job = Job(unit=unit, future=future, then=then, otherwise=otherwise, undo=undo)
        self._thread.give(job)
        try:
            return await future
        except asyncio.CancelledError:
            # Cancelled in the moment of success, it has been told already; before that, the
            # future was cancelled, and whoever tells of the result finds nobody.
            if undo is not None and not future.cancelled() and future.exception() is None:
                undo(future.result())
            raise

    def write_unheard(
        self,
        unit: Unit[None],
        *,
        then: Callable[[None], None] | None,
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """Run *unit* in a transaction that nobody waits for.

        Not at all if we are closed: what is held by nobody is given back with the next boot.
        """
        if not self._closed:
            unheard: asyncio.Future[None] = self._loop.create_future()
            unheard.add_done_callback(asyncio.Future.exception)
            self._thread.give(Job(unit=unit, future=unheard, then=then, otherwise=otherwise))

    async def close(self) -> None:
        """Finish what is queued and let go of the connection."""
        if not self._closed:
            self._closed = True
            await self._thread.end()

    def _connect(self, path: Path) -> sqlite3.Connection:
        connection = connect_to_write(path)
        self._file = identity(self._name)
        return connection

    def _write(self, connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> None:
        if identity(self._name) == self._file:
            _commit(connection, jobs)
        else:
            for job in jobs:
                job.error = StoreUnavailable(_GONE.format(path=self._path))


def _commit(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> None:
    """Run *jobs* in one transaction; where that fails as a whole, each in its own."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        if len(jobs) == 1:
            _alone(connection, jobs[0])
        else:
            for job in jobs:
                _among_others(connection, job)
        if connection.in_transaction or jobs[0].error is None:
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        if len(jobs) == 1:
            jobs[0].error = error
            return
        for job in jobs:
            _commit(connection, [job])


def _alone(connection: sqlite3.Connection, job: Job[Any]) -> None:
    """Run the only unit of a transaction: its failure undoes all of it, and is its caller's."""
    with Kept(job):
        job.result = job.unit(connection)
    if job.error is not None and connection.in_transaction:
        connection.execute("ROLLBACK")


def _among_others(connection: sqlite3.Connection, job: Job[Any]) -> None:
    """Run one unit of several: its failure is undone, and is its caller's, whatever it is.

    Raises:
        sqlite3.Error: all was undone with it, as a full disk may do.
    """
    connection.execute("SAVEPOINT unit")
    with Kept(job):
        job.result = job.unit(connection)
    if job.error is not None:
        if not connection.in_transaction:
            raise sqlite3.OperationalError("its neighbours were undone, too") from job.error
        connection.execute("ROLLBACK TO unit")
    connection.execute("RELEASE unit")


def _read(connection: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> None:
    """Run each of *jobs* on a snapshot of its own."""
    for job in jobs:
        with Kept(job):
            connection.execute("BEGIN")
            try:
                job.result = job.unit(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
