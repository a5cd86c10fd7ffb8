"""A thread with a connection of its own: what is given to it is done in order, and told once."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Generic, TypeVar

from bot.store.sqlite.trouble import explain

T = TypeVar("T")
Unit = Callable[[sqlite3.Connection], T]
"""A unit of work: a plain function, so that nothing can slip between its statements."""

_LARGEST_COMMIT: Final = 64


@dataclass(slots=True, kw_only=True)
class Job(Generic[T]):
    """A unit on its way through a thread, and whom to tell."""

    unit: Unit[T]
    future: "asyncio.Future[T]"
    then: Callable[[T], None] | None = None
    otherwise: Callable[[], None] | None = None
    undo: Callable[[T], None] | None = None
    result: T | None = None
    error: BaseException | None = None


class Kept:
    """Around the work of jobs: what it raises is kept for their callers, whatever it is."""

    def __init__(self, *jobs: Job[Any]) -> None:
        self._jobs = jobs

    def __enter__(self) -> None:
        for job in self._jobs:
            job.error = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            for job in self._jobs:
                job.error = error
        return True


class ConnectionThread:
    """A thread with a connection: it takes what waits, does it, and tells the loop once."""

    def __init__(
        self,
        name: str,
        path: Path,
        connect: Callable[[Path], sqlite3.Connection],
        do: Callable[[sqlite3.Connection, Sequence[Job[Any]]], None],
    ) -> None:
        self._path = path
        self._do = do
        self._loop = asyncio.get_running_loop()
        self._inbox: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._connected: Job[sqlite3.Connection] = Job(
            unit=lambda connection: connection, future=self._loop.create_future()
        )
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, args=(connect,), name=name, daemon=True)

    async def start(self) -> None:
        """Connect.

        Raises:
            StoreUnavailable: there is no such database, or it is out of reach.
        """
        self._thread.start()
        await asyncio.shield(self._connected.future)

    def give(self, job: Job[Any]) -> None:
        """Queue *job*."""
        self._inbox.put(job)

    async def end(self) -> None:
        """Do what is queued, and let go of the connection."""
        self._inbox.put(None)
        await asyncio.shield(self._ended)

    def _run(self, connect: Callable[[Path], sqlite3.Connection]) -> None:
        with Kept(self._connected):
            self._connected.result = connect(self._path)
        self._call(self._tell, [self._connected])
        connection = self._connected.result
        if connection is None:
            return
        with contextlib.closing(connection):
            while jobs := self._next():
                with Kept(*jobs):  # whatever happens, nobody waits for a thread that has died
                    self._do(connection, jobs)
                self._call(self._tell, jobs)
        self._call(_resolve, self._ended)

    def _next(self) -> Sequence[Job[Any]]:
        """Wait for a job, and take along what is queued behind it; nothing at the end."""
        first = self._inbox.get()
        if first is None:
            return ()
        jobs = [first]
        while len(jobs) < _LARGEST_COMMIT and not self._inbox.empty():
            job = self._inbox.get()
            if job is None:
                self._inbox.put(None)  # nothing is queued behind it
                break
            jobs.append(job)
        return jobs

    def _call(self, function: Callable[..., None], *values: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
            self._loop.call_soon_threadsafe(function, *values)

    def _known(self, error: BaseException) -> BaseException:
        return explain(error, self._path) if isinstance(error, sqlite3.Error) else error

    def _tell(self, jobs: Sequence[Job[Any]]) -> None:
        """Tell who waits, in the loop's thread: each apart, so that a fault of one is its own."""
        first, *others = jobs
        for job in others:
            self._loop.call_soon(self._tell_one, job)
        self._tell_one(first)

    def _tell_one(self, job: Job[Any]) -> None:
        if job.error is not None:
            if not job.future.done():
                job.future.set_exception(self._known(job.error))
            if job.otherwise is not None:
                job.otherwise()
            return
        heard = not job.future.done()
        if heard:
            job.future.set_result(job.result)
        if job.then is not None:
            job.then(job.result)
        if not heard and job.undo is not None:
            job.undo(job.result)


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
