"""One file, a thread that writes and a thread that reads; the rest is functions of a connection."""

import asyncio
import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar, cast

from bot.contracts.errors import StoreUnavailable
from bot.store.sqlite.connect import connect_to_read, connect_to_write
from bot.store.sqlite.trouble import explain, explained

T = TypeVar("T")
Unit = Callable[[sqlite3.Connection], T]
"""A unit of work: a plain function, so that nothing can slip between its statements."""

_GONE: Final = (
    "{path} was moved or removed while the bot ran, so nothing can be recorded: "
    "stop the bot, put the file back or let it begin anew, and start it again"
)
"""SQLite would go on writing to a file that nobody can find any more."""

_LARGEST_COMMIT: Final = 64


class Reader:
    """A read-only connection in a thread of its own."""

    def __init__(
        self, path: Path, thread: ThreadPoolExecutor, connection: sqlite3.Connection
    ) -> None:
        self._path = path
        self._thread = thread
        self._connection = connection
        self._closed = False

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Connect.

        Raises:
            StoreUnavailable: there is no database, or it cannot be read.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="store-reader")
        return cls(path, thread, await _connect(thread, connect_to_read, path))

    async def read(self, unit: Unit[T]) -> T:
        """Run *unit* on one snapshot and return what it returns."""
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed: nothing can be read any more")
        work = partial(_read, self._connection, unit)
        with explained(self._path):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Let go of the connection."""
        if not self._closed:
            self._closed = True
            await _disconnect(self._thread, self._connection)


@dataclass(slots=True, kw_only=True)
class _Job(Generic[T]):
    """A unit on its way through the writer, and whom to tell."""

    unit: Unit[T]
    future: "asyncio.Future[T]"
    then: Callable[[T], None] | None = None
    result: T | None = None
    error: BaseException | None = None

    def tell(self, path: Path) -> None:
        """Resolve the future, in the loop's thread."""
        error = self.error
        if error is None:
            result = cast("T", self.result)
            self.future.set_result(result)
            if self.then is not None:
                self.then(result)
        else:
            known = explain(error, path) if isinstance(error, sqlite3.Error) else error
            self.future.set_exception(known)


class Writer:
    """The only connection that writes, in a thread of its own.

    It takes what is queued, at most 64 units, and commits at once. It never
    waits for more: one message is as quick as the disk, and many share a
    commit. A unit that fails undoes itself alone.
    """

    def __init__(
        self, path: Path, thread: ThreadPoolExecutor, connection: sqlite3.Connection
    ) -> None:
        self._path = path
        self._file = _identity(path)
        self._thread = thread
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._inbox: deque[_Job[Any]] = deque()
        self._closed = False

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Connect, check the file and bring its schema up to date.

        Raises:
            StoreUnavailable: the file is damaged, foreign, newer or out of reach.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        return cls(path, thread, await _connect(thread, connect_to_write, path))

    async def write(
        self,
        unit: Unit[T],
        *,
        then: Callable[[T], None] | None = None,
        undo: Callable[[T], Unit[None]] | None = None,
    ) -> T:
        """Run *unit* in a transaction and return what it returns, once that is on the disk.

        *then* is called after the commit, even if the caller has gone. A caller
        that is cancelled meanwhile never learns the result; what *undo* makes of
        it is then run, so that nothing stays taken by nobody.

        Raises:
            StoreUnavailable: nothing was written.
        """
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed: nothing can be recorded any more")
        future: asyncio.Future[T] = self._loop.create_future()
        self._queue(_Job(unit=unit, future=future, then=then))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if undo is not None:
                future.add_done_callback(partial(self._give_back, undo))
            raise

    async def close(self) -> None:
        """Finish what is queued and let go of the connection."""
        if not self._closed:
            self._closed = True
            await _disconnect(self._thread, self._connection)

    def _queue(self, job: _Job[T]) -> None:
        self._inbox.append(job)
        self._thread.submit(self._drain)

    def _give_back(self, undo: Callable[[T], Unit[None]], future: "asyncio.Future[T]") -> None:
        if self._closed or future.exception() is not None:
            return  # there is nothing to give back: a lease ends with the boot it belongs to
        unheard: asyncio.Future[None] = self._loop.create_future()
        unheard.add_done_callback(asyncio.Future.exception)
        self._queue(_Job(unit=undo(future.result()), future=unheard))

    def _drain(self) -> None:
        jobs = [self._inbox.popleft() for _ in range(min(len(self._inbox), _LARGEST_COMMIT))]
        if not jobs:
            return  # an earlier round took them along
        if _identity(self._path) == self._file:
            _commit(self._connection, jobs)
        else:
            for job in jobs:
                job.error = StoreUnavailable(_GONE.format(path=self._path))
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
            self._loop.call_soon_threadsafe(self._tell, jobs)

    def _tell(self, jobs: Sequence[_Job[Any]]) -> None:
        for job in jobs:
            job.tell(self._path)


class _Savepoint:
    """Around one unit: its failure is undone and kept for its caller, whatever it is."""

    def __init__(self, connection: sqlite3.Connection, job: _Job[T]) -> None:
        self._connection = connection
        self._job = job

    def __enter__(self) -> None:
        self._job.error = None
        self._connection.execute("SAVEPOINT unit")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._job.error = error
        if error is not None:
            if not self._connection.in_transaction:
                return False  # a full disk may undo the whole transaction, neighbours and all
            self._connection.execute("ROLLBACK TO unit")
        self._connection.execute("RELEASE unit")
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another of the same name; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _commit(connection: sqlite3.Connection, jobs: Sequence[_Job[Any]]) -> None:
    """Run *jobs* in one transaction; where that fails as a whole, each in its own."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            with _Savepoint(connection, job):
                job.result = job.unit(connection)
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


def _read(connection: sqlite3.Connection, unit: Unit[T]) -> T:
    connection.execute("BEGIN")
    try:
        return unit(connection)
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


async def _connect(
    thread: ThreadPoolExecutor, connect: Callable[[Path], sqlite3.Connection], path: Path
) -> sqlite3.Connection:
    try:
        with explained(path):
            return await asyncio.get_running_loop().run_in_executor(thread, connect, path)
    except BaseException:
        thread.shutdown(wait=False)
        raise


async def _disconnect(thread: ThreadPoolExecutor, connection: sqlite3.Connection) -> None:
    await asyncio.get_running_loop().run_in_executor(thread, connection.close)
    thread.shutdown()
