"""The state directory: the same from wherever one stands, and its owner's alone."""

import os
import stat
from pathlib import Path

import pytest

from bot.contracts.errors import ConfigError
from bot.settings.home import home_folder, open_home, shipped, write_private


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"HOME": "/people/ana"}, "/people/ana/.stonechat"),
        ({"HOME": "/people/ana", "STONECHAT_HOME": ""}, "/people/ana/.stonechat"),
        ({"HOME": "/people/ana", "STONECHAT_HOME": "~/bot"}, "/people/ana/bot"),
        ({"STONECHAT_HOME": "/var/lib/stonechat/"}, "/var/lib/stonechat"),
        ({"STONECHAT_HOME": "/var/lib/x/../stonechat"}, "/var/lib/stonechat"),
    ],
)
def test_where_it_is(environ: dict[str, str], home: str) -> None:
    assert home_folder(environ) == Path(home)


@pytest.mark.parametrize(
    "environ",
    [{}, {"HOME": "relative"}, {"STONECHAT_HOME": "state", "HOME": "/h"}, {"STONECHAT_HOME": "~"}],
)
def test_a_place_that_depends_on_where_one_stands_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="STONECHAT_HOME"):
        home_folder(environ)


def test_a_new_one_is_private_whatever_the_mask_and_has_a_file_to_edit(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        open_home(tmp_path / "deep" / "home")
    finally:
        os.umask(before)

    home = tmp_path / "deep" / "home"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "config.yaml").stat().st_mode) == 0o600
    assert (home / "config.yaml").read_bytes() == (shipped("config") / "config.yaml").read_bytes()


@pytest.mark.parametrize("content", [[], ["config.yaml"], ["stonechat.db", "other"]])
def test_one_that_is_open_to_others_is_closed(tmp_path: Path, content: list[str]) -> None:
    for name in content:
        (tmp_path / name).write_text("http: {port: 1}")
    tmp_path.chmod(0o755)

    open_home(tmp_path)

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_a_folder_of_other_things_that_others_may_enter_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("")
    tmp_path.chmod(0o755)

    with pytest.raises(ConfigError, match="holds other things"):
        open_home(tmp_path)

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert [entry.name for entry in tmp_path.iterdir()] == ["theirs"]


def test_a_file_in_its_place_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")

    with pytest.raises(ConfigError, match="which is no folder"):
        open_home(tmp_path / "home")
    with pytest.raises(ConfigError, match="cannot be written"):
        open_home(tmp_path / "home" / "below")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_one_that_somebody_else_owns_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, -1)
    try:
        with pytest.raises(ConfigError, match="belongs to user 12345"):
            open_home(tmp_path)
    finally:
        os.chown(tmp_path, 0, -1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_link_that_somebody_else_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "mine")
    open_home(tmp_path / "home")
    os.chown(tmp_path / "home", 12345, -1, follow_symlinks=False)

    with pytest.raises(ConfigError, match="a link that user 12345 made"):
        open_home(tmp_path / "home")


def test_a_link_where_the_config_should_be_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").symlink_to(tmp_path / "nowhere")

    open_home(tmp_path)

    assert not (tmp_path / "nowhere").exists()


def test_a_private_file_is_whole_or_not_there(tmp_path: Path) -> None:
    write_private(tmp_path / "file", b"one")
    write_private(tmp_path / "file", b"two")

    assert (tmp_path / "file").read_bytes() == b"two"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
