"""The writer: one commit for many, one failure for one, and words for the operator."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest

from bot.contracts.errors import StoreUnavailable
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.thread import Unit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stone.db"


@pytest.fixture
async def writer(path: Path) -> AsyncIterator[Writer]:
    opened = await Writer.open(path)
    yield opened
    await opened.close()


@pytest.fixture
async def reader(path: Path, writer: Writer) -> AsyncIterator[Reader]:
    opened = await Reader.open(path)
    yield opened
    await opened.close()
    del writer


def put(key: str, value: bytes = b"x") -> Unit[str]:
    def unit(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT INTO record VALUES (?, ?, 1)", (key, value))
        return key

    return unit


def drop(key: str) -> Unit[None]:
    def unit(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM record WHERE key = ?", (key,))

    return unit


def give_back(writer: Writer, key: str) -> None:
    writer.write_unheard(drop(key), then=None)


def keys(connection: sqlite3.Connection) -> list[str]:
    return [key for (key,) in connection.execute("SELECT key FROM record ORDER BY key")]


def pages(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA page_count").fetchone()[0])


def limit_pages(number: int) -> Unit[None]:
    def unit(connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA max_page_count = {number}").fetchall()

    return unit


async def emptied(writer: Writer) -> bool:
    for _ in range(100):
        if not await writer.write(keys):
            return True
    return False


class Gate:
    """Holds the writer's thread until it is opened, so that units queue behind it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def unit(self, connection: sqlite3.Connection) -> None:
        del connection
        self.reached.set()
        self._open.wait(10)

    def open(self) -> None:
        self._open.set()


async def together(
    writer: Writer, *units: Unit[object], before: Callable[[], None] = lambda: None
) -> list[object]:
    """Run *units* so that they wait together and share a commit."""
    gate = Gate()
    first = asyncio.ensure_future(writer.write(gate.unit))
    await asyncio.to_thread(gate.reached.wait, 10)
    waiting = [asyncio.ensure_future(writer.write(unit)) for unit in units]
    await asyncio.sleep(0)
    before()
    gate.open()
    await first
    return list(await asyncio.gather(*waiting, return_exceptions=True))


async def test_what_is_written_is_read_by_the_other_connection(
    writer: Writer, reader: Reader
) -> None:
    assert await writer.write(put("a")) == "a"
    assert await reader.read(keys) == ["a"]


async def test_the_reader_cannot_write(reader: Reader) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        await reader.read(put("a"))


async def test_every_setting_stuck(writer: Writer) -> None:
    def unit(connection: sqlite3.Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert await writer.write(unit) == ["wal", 2, 1, 5000, 0]


async def test_what_waits_together_shares_commits(writer: Writer, path: Path) -> None:
    other = sqlite3.connect(path)
    version = "PRAGMA data_version"  # changes with every commit of another connection
    seen: list[int] = [other.execute(version).fetchone()[0]]
    results = await together(writer, *(put(f"{n:03}") for n in range(64)))
    seen.append(other.execute(version).fetchone()[0])
    other.close()
    assert results == [f"{n:03}" for n in range(64)]
    assert seen[1] == seen[0] + 1


async def test_more_than_a_commit_takes_goes_into_the_next(writer: Writer) -> None:
    results = await together(writer, *(put(f"{n:03}") for n in range(150)))
    assert results == [f"{n:03}" for n in range(150)]
    assert len(await writer.write(keys)) == 150


async def test_nothing_is_told_before_it_is_committed(writer: Writer, path: Path) -> None:
    seen: list[list[str]] = []

    def look(_: str) -> None:
        other = sqlite3.connect(path)
        seen.append(keys(other))
        other.close()

    await writer.write(put("a"), then=look)
    assert seen == [["a"]]


async def test_a_failing_unit_undoes_itself_and_not_its_neighbours(writer: Writer) -> None:
    def broken(connection: sqlite3.Connection) -> None:
        put("undone")(connection)
        raise LookupError("a bug")

    results = await together(writer, put("a"), broken, put("b"), put("a"), put("c"))
    assert results[0] == "a"
    assert isinstance(results[1], LookupError)
    assert results[2] == "b"
    assert isinstance(results[3], sqlite3.IntegrityError)
    assert results[4] == "c"
    assert await writer.write(keys) == ["a", "b", "c"]


async def test_a_unit_that_undoes_all_and_calls_it_by_another_name_fails_alone(
    writer: Writer,
) -> None:
    def renamed(connection: sqlite3.Connection) -> None:
        try:
            connection.execute("INSERT OR ROLLBACK INTO record VALUES ('a', X'78', 1)")
        except sqlite3.IntegrityError as error:
            raise ValueError("it is there already") from error

    async with asyncio.timeout(10):
        results = await together(writer, put("a"), renamed, put("b"))
        assert await writer.write(keys) == ["a", "b"]
    assert (results[0], results[2]) == ("a", "b")
    assert isinstance(results[1], ValueError)


async def test_a_fault_in_telling_one_caller_keeps_nothing_from_the_others(
    writer: Writer,
) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: faults.append(context["exception"])
    )

    def broken(_: str) -> None:
        raise LookupError("a bug")

    gate = Gate()
    first = asyncio.ensure_future(writer.write(gate.unit))
    await asyncio.to_thread(gate.reached.wait, 10)
    told = [asyncio.ensure_future(writer.write(put(key), then=broken)) for key in "abc"]
    await asyncio.sleep(0)
    gate.open()
    async with asyncio.timeout(10):
        await first
        assert await asyncio.gather(*told) == ["a", "b", "c"]
    assert [type(fault) for fault in faults] == [LookupError] * 3


async def test_a_full_disk_is_said_and_nothing_of_it_written(writer: Writer) -> None:
    await writer.write(limit_pages(await writer.write(pages)))
    with pytest.raises(StoreUnavailable, match="is full: free some space"):
        await writer.write(put("big", b"x" * 100_000))
    assert await writer.write(keys) == []


async def test_it_goes_on_by_itself_when_there_is_space_again(writer: Writer) -> None:
    full = await writer.write(pages)
    await writer.write(limit_pages(full))
    with pytest.raises(StoreUnavailable):
        await writer.write(put("big", b"x" * 100_000))
    await writer.write(limit_pages(full + 1000))
    assert await writer.write(put("big", b"x" * 100_000)) == "big"


async def test_what_does_not_fit_leaves_room_for_what_does(writer: Writer) -> None:
    await writer.write(limit_pages(await writer.write(pages) + 4))
    results = await together(writer, put("a"), put("big", b"x" * 100_000), put("b"))
    assert results[0] == "a"
    assert isinstance(results[1], StoreUnavailable)
    assert results[2] == "b"
    assert await writer.write(keys) == ["a", "b"]


async def test_a_caller_that_is_cancelled_gives_back_what_it_got(writer: Writer) -> None:
    gate = Gate()
    first = asyncio.ensure_future(writer.write(gate.unit))
    await asyncio.to_thread(gate.reached.wait, 10)
    taking = asyncio.ensure_future(writer.write(put("a"), undo=partial(give_back, writer)))
    await asyncio.sleep(0)
    taking.cancel()
    gate.open()
    await first
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert await emptied(writer)
    assert await writer.write(put("a")) == "a"


async def test_a_caller_that_is_cancelled_in_the_moment_of_success_gives_it_back_too(
    writer: Writer,
) -> None:
    def cancel(_: str) -> None:
        taking.cancel()

    taking = asyncio.ensure_future(
        writer.write(put("a"), then=cancel, undo=partial(give_back, writer))
    )
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert await emptied(writer)


async def test_closing_finishes_what_was_queued(path: Path) -> None:
    writer = await Writer.open(path)
    writes = [asyncio.ensure_future(writer.write(put(f"{n:03}"))) for n in range(200)]
    await asyncio.sleep(0)
    await writer.close()
    await writer.close()
    assert len(await asyncio.gather(*writes)) == 200
    with pytest.raises(StoreUnavailable, match="closed"):
        await writer.write(put("late"))


async def test_a_closed_reader_says_so(path: Path, writer: Writer) -> None:
    reader = await Reader.open(path)
    await reader.close()
    await reader.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await reader.read(keys)
    del writer


async def test_another_program_that_keeps_the_file_locked_is_named(
    writer: Writer, path: Path
) -> None:
    def impatient(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA busy_timeout = 1")

    await writer.write(impatient)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="another program keeps"):
        await writer.write(put("a"))
    other.close()
    assert await writer.write(put("a")) == "a"


async def test_a_bug_in_a_statement_stays_what_it_is(writer: Writer, reader: Reader) -> None:
    def wrong(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT one FROM nowhere")

    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await writer.write(wrong)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await reader.read(wrong)
