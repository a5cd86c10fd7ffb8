"""A few lines of `.env` are kept: whole or not at all, and nothing else in it changes."""

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings.environment import LARGEST, read_environment
from bot.settings.keep import NotKept, keep, with_values

NAMES = st.sampled_from(["CHOSEN_KEY", "CHOSEN_MODEL", "TELEGRAM_BOT_TOKEN"])
VALUES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1).filter(
    lambda value: value[0] not in "\"'"
)
LINES = st.lists(
    st.one_of(
        st.sampled_from(["# a comment", "", "OPENAI_API_KEY=sk-1", "export X_URL='a b'  # why"]),
        st.builds("{}={}".format, NAMES, VALUES),
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])),
    )
)


@given(lines=LINES, ended=st.booleans(), values=st.dictionaries(NAMES, st.none() | VALUES))
def test_every_other_line_stays_and_what_was_set_is_read_again(
    lines: list[str], ended: bool, values: dict[str, str | None]
) -> None:
    before = "\n".join(lines).encode() + (b"\n" if ended and lines else b"")

    after = with_values(before, values)

    def others(text: bytes) -> list[bytes]:
        starts = tuple(name.encode() for name in values)
        return [
            line
            for line in text.splitlines()
            if line.partition(b"=")[0].strip().removeprefix(b"export ").strip() not in starts
        ]

    assert others(after) == others(before)
    for name, value in values.items():
        set_to = [
            line.partition(b"=")[2]
            for line in after.splitlines()
            if line.startswith(name.encode() + b"=")
        ]
        assert set_to == ([] if value is None else [value.encode()])


@given(value=VALUES)
def test_whatever_is_kept_is_what_the_settings_read(value: str) -> None:
    text = with_values(b"# mine\nCHOSEN_KEY=old\n", {"CHOSEN_KEY": value})

    assert text == b"# mine\nCHOSEN_KEY=" + value.encode() + b"\n"


def read(home: Path, name: str) -> str | None:
    found = read_environment(home, {}).get(name)
    return None if found is None else found.value


@given(value=VALUES)
def test_it_is_read_as_it_was_kept(value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")

    keep(home, {"CHOSEN_KEY": value})

    assert read(home, "CHOSEN_KEY") == value


def test_it_is_its_owners_alone_whatever_it_was_before(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# mine\n")
    (tmp_path / ".env").chmod(0o644)

    keep(tmp_path, {"CHOSEN_KEY": "k"})

    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [".env"]


def test_to_take_a_name_out_of_nothing_makes_no_file(tmp_path: Path) -> None:
    keep(tmp_path, {"CHOSEN_KEY": None})

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["two words", "", "line\nbreak", "naïve", "'quoted'", '"q"'])
def test_a_value_that_could_be_another_line_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(NotKept, match="one word"):
        keep(tmp_path, {"CHOSEN_KEY": value})

    assert list(tmp_path.iterdir()) == []


def test_a_link_is_refused_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("precious\n")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".env").symlink_to(elsewhere)

    with pytest.raises(NotKept, match="is a link"):
        keep(home, {"CHOSEN_KEY": "k"})

    assert elsewhere.read_text() == "precious\n"
    assert (home / ".env").is_symlink()


def test_a_folder_or_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")

    with pytest.raises(NotKept, match="no plain file"):
        keep(tmp_path, {"CHOSEN_KEY": "k"})


def test_a_file_that_would_be_too_long_to_be_read_is_not_written(tmp_path: Path) -> None:
    written = b"#" * (LARGEST - 5) + b"\n"
    (tmp_path / ".env").write_bytes(written)

    with pytest.raises(NotKept, match="more than"):
        keep(tmp_path, {"CHOSEN_KEY": "key"})

    assert (tmp_path / ".env").read_bytes() == written


def test_where_nothing_can_be_written_nothing_changes(tmp_path: Path) -> None:
    with pytest.raises(NotKept, match="cannot be written"):
        keep(tmp_path / "gone", {"CHOSEN_KEY": "k"})


async def test_of_many_processes_at_once_each_keeps_its_line(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from bot.settings.keep import keep\n"
        "for n in range(20): keep(Path(sys.argv[1]), {sys.argv[2]: f'{n}'})"
    )

    def run(name: str) -> int:
        command = [sys.executable, "-c", program, str(tmp_path), name]
        return subprocess.run(command, check=False).returncode  # noqa: S603 - our own program

    names = ["A_KEY", "B_KEY", "C_KEY"]
    codes = await asyncio.gather(*(asyncio.to_thread(run, name) for name in names))

    assert codes == [0, 0, 0]
    assert [read(tmp_path, name) for name in names] == ["19", "19", "19"]


def test_what_a_killed_process_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "..env.abcdefgh").write_text("CHOSEN_KEY=half")

    keep(tmp_path, {"CHOSEN_KEY": "whole"})

    assert [file.name for file in tmp_path.iterdir()] == [".env"]
