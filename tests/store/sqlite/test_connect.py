"""A file that cannot be trusted is not opened, and the operator is told why."""

import sqlite3
from pathlib import Path

import pytest

from bot.contracts.errors import StoreUnavailable
from bot.store.sqlite.connect import connect_to_read, connect_to_write
from bot.store.sqlite.db import Reader, Writer


def make(path: Path) -> None:
    connection = connect_to_write(path)
    for n in range(200):
        connection.execute("INSERT INTO record VALUES (?, ?, 1)", (f"{n:04}", b"x" * 500))
    connection.close()


@pytest.mark.parametrize("door", [Writer, Reader], ids=["to write", "to read"])
async def test_a_file_that_is_no_database_is_named(
    tmp_path: Path, door: type[Writer] | type[Reader]
) -> None:
    path = tmp_path / "stone.db"
    path.write_bytes(b"this is a letter to my grandmother, not a database" * 100)
    with pytest.raises(StoreUnavailable, match="is not a database: restore a backup") as told:
        await door.open(path)
    assert str(path) in str(told.value)


async def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    make(path)
    whole = path.read_bytes()
    half = len(whole) // 2
    path.write_bytes(whole[:half] + b"\xff" * 8192 + whole[half + 8192 :])
    with pytest.raises(StoreUnavailable, match="is damaged") as told:
        await Writer.open(path)
    assert str(path) in str(told.value)


async def test_a_file_cut_in_half_is_named(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    make(path)
    path.write_bytes(path.read_bytes()[: 4096 * 10])
    with pytest.raises(StoreUnavailable, match="is damaged"):
        await Writer.open(path)


def test_reading_needs_something_to_read(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    with pytest.raises(StoreUnavailable, match="nothing in"):
        connect_to_read(path)
    assert not path.exists()
    path.touch()
    with pytest.raises(StoreUnavailable, match="nothing in"):
        connect_to_read(path)


def test_a_path_may_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "50% of ?x#y é.db"
    make(path)
    connection = connect_to_read(path)
    assert connection.execute("SELECT COUNT(*) FROM record").fetchone()[0] == 200
    connection.close()


def test_a_disk_that_cannot_have_a_journal_beside_is_refused() -> None:
    with pytest.raises(StoreUnavailable, match="does not take journal_mode = WAL"):
        connect_to_write(Path(":memory:"))


def test_a_reader_beside_a_writer_sees_what_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "stone.db"
    writer = connect_to_write(path)
    reader = connect_to_read(path)
    writer.execute("INSERT INTO record VALUES ('a', x'', 1)")
    assert reader.execute("SELECT key FROM record").fetchone()[0] == "a"
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM record")
    reader.close()
    writer.close()
