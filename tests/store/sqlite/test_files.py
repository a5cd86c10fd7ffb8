"""The state directory: private, and somebody's alone."""

import stat
from pathlib import Path

import pytest

from bot.contracts.errors import StoreHeld, StoreUnavailable
from bot.store.sqlite.files import hold


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    database = tmp_path / "state" / "stone.db"
    hold(database).release()
    assert mode(database.parent) == 0o700
    assert mode(database) == 0o600
    assert mode(tmp_path / "state" / "stone.db.lock") == 0o600


def test_a_second_one_is_told_which_directory_is_taken(tmp_path: Path) -> None:
    held = hold(tmp_path / "stone.db")
    with pytest.raises(StoreHeld, match=f"another process has {tmp_path} open"):
        hold(tmp_path / "stone.db")
    held.release()
    hold(tmp_path / "stone.db").release()


@pytest.mark.parametrize("name", ["stone.db", "stone.db.lock"])
def test_nothing_is_opened_through_a_link(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "precious"
    (tmp_path / name).symlink_to(elsewhere)
    with pytest.raises(StoreUnavailable, match="is a symlink"):
        hold(tmp_path / "stone.db")
    assert not elsewhere.exists()


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreUnavailable, match="state directory") as told:
        hold(tmp_path / "file" / "state" / "stone.db")
    assert str(tmp_path / "file" / "state") in str(told.value)


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "stone.db").mkdir()
    with pytest.raises(StoreUnavailable, match=r"stone\.db: is a directory"):
        hold(tmp_path / "stone.db")
    (tmp_path / "stone.db").rmdir()
    hold(tmp_path / "stone.db").release()
