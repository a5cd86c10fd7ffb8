"""A change is seen whatever way an editor makes it, and read once, when it is whole."""

import os
from pathlib import Path

import pytest

from bot.setup.watch import Settling, signature


class Watched:
    """A file, and who looks at it once a second."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._settling = Settling()
        file.write_text("limits: {model_calls: 7}\n")
        assert self.looks(3) == [False, True, False]  # the first reading is of what is there

    def looks(self, times: int = 1) -> list[bool]:
        return [self._settling.look(signature([self.file])) for _ in range(times)]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "config.yaml")


def test_a_file_that_stays_is_read_once(watched: Watched) -> None:
    assert watched.looks(5) == [False] * 5


def test_a_change_is_read_when_nothing_moves_any_more(watched: Watched) -> None:
    watched.file.write_text("")
    assert watched.looks() == [False]
    watched.file.write_text("limits: {model_ca")
    assert watched.looks() == [False]
    watched.file.write_text("limits: {model_calls: 8}\n")

    assert watched.looks(3) == [False, True, False]


def test_a_file_put_in_its_place_by_renaming_is_seen_though_it_looks_alike(
    watched: Watched,
) -> None:
    before = watched.file.stat()
    other = watched.file.with_name("new")
    other.write_text("limits: {model_calls: 8}\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(watched.file)

    assert watched.looks(3) == [False, True, False]


def test_lost_rights_and_a_lost_file_are_changes(watched: Watched) -> None:
    watched.file.chmod(0o000)
    assert watched.looks(3) == [False, True, False]
    watched.file.unlink()
    assert watched.looks(3) == [False, True, False]
