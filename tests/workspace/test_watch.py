import os
import sys
from pathlib import Path

import pytest

from bot.workspace.watch import FolderWatch, are_mounts_local

ROOT = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw"
DEVICE = os.makedev(254, 0)
FOLDER = Path("/srv/kim/workspace")


@pytest.fixture
def watch(tmp_path: Path) -> FolderWatch:
    (tmp_path / "folder").mkdir()
    watch = FolderWatch.on(tmp_path / "folder")
    if watch is None:
        pytest.skip(f"nothing can be watched in {tmp_path} on {sys.platform}")
    return watch


def test_nothing_touched_is_nothing_told(watch: FolderWatch, tmp_path: Path) -> None:
    assert not watch.touched()
    (tmp_path / "beside").write_text("x")
    assert not watch.touched()


def test_every_kind_of_change_is_told_once(watch: FolderWatch, tmp_path: Path) -> None:
    file = tmp_path / "folder" / "file"
    changes = (
        lambda: file.write_text("a"),
        lambda: file.write_text("b"),
        lambda: file.chmod(0o600),
        lambda: file.rename(file.with_name("other")),
        lambda: file.with_name("other").unlink(),
        lambda: file.symlink_to("nowhere"),
        file.unlink,
        file.mkdir,
        file.rmdir,
    )
    for change in changes:
        change()
        assert watch.touched()
        assert not watch.touched()


def test_what_is_only_read_was_not_touched(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "folder" / "file").write_text("a")
    assert watch.touched()
    (tmp_path / "folder" / "file").read_text()
    list((tmp_path / "folder").iterdir())
    assert not watch.touched()


def test_a_folder_that_is_moved_away_is_told(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "folder").rename(tmp_path / "elsewhere")
    assert watch.touched()


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    assert FolderWatch.on(tmp_path / "nowhere") is None
    (tmp_path / "file").write_text("x")
    assert FolderWatch.on(tmp_path / "file") is None


def test_a_disk_of_this_machine_is_local() -> None:
    assert are_mounts_local(ROOT, FOLDER, DEVICE)


@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "virtiofs", "9p", "cifs"])
def test_what_others_may_change_is_not_local(kind: str) -> None:
    shared = f"99 27 0:77 / /srv rw - {kind} somewhere rw"
    assert not are_mounts_local(f"{ROOT}\n{shared}", FOLDER, os.makedev(0, 77))


def test_a_file_mounted_into_the_folder_makes_it_unsure() -> None:
    inside = r"99 27 254:0 /etc/soul /srv/kim/workspace/a\040soul.md rw - ext4 /dev/vda rw"
    assert not are_mounts_local(f"{ROOT}\n{inside}", FOLDER, DEVICE)
    assert are_mounts_local(f"{ROOT}\n{inside}", FOLDER.with_name("other"), DEVICE)


def test_a_device_nobody_has_mounted_is_not_local() -> None:
    assert not are_mounts_local(ROOT, FOLDER, os.makedev(0, 50))
