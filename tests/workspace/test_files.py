import asyncio
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.workspace.files import (
    FILE_CHARS,
    LEAST_CHARS,
    READABLE_BYTES,
    TOTAL_CHARS,
    PromptFile,
    WorkspaceFiles,
    capped,
)


def a_workspace(root: Path, **files: str) -> WorkspaceFiles:
    for name in ("AGENTS", "SOUL", "IDENTITY", "USER", "TOOLS"):
        (root / f"{name}.md").write_text(f"the {name.lower()}\n", "utf-8")
    for name, text in files.items():
        (root / f"{name}.md").write_text(text, "utf-8")
    return WorkspaceFiles(root)


async def text_of(files: WorkspaceFiles, name: str) -> str:
    return {file.name: file.text for file in await files.read(private=True)}[name]


async def test_the_files_come_in_the_order_of_the_prompt(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, MEMORY="likes tea", BOOTSTRAP="say hello", AAA="not read")

    assert [file.name for file in await files.read(private=True)] == [
        "AGENTS.md",
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        "TOOLS.md",
        "BOOTSTRAP.md",
        "MEMORY.md",
    ]


async def test_what_is_about_the_owner_stays_out_wherever_others_read_along(
    tmp_path: Path,
) -> None:
    files = a_workspace(tmp_path, MEMORY="likes tea", BOOTSTRAP="say hello", USER="is called Kim")

    names = [file.name for file in await files.read(private=False)]

    assert names == ["AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md"]


async def test_what_a_person_changes_is_read_the_next_time(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, SOUL="calm")
    assert await text_of(files, "SOUL.md") == "calm"
    before = (tmp_path / "SOUL.md").stat()

    (tmp_path / "SOUL.md").write_text("wild", "utf-8")
    os.utime(tmp_path / "SOUL.md", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert await text_of(files, "SOUL.md") == "wild"


async def test_a_missing_file_is_named_in_one_line(tmp_path: Path) -> None:
    files = a_workspace(tmp_path)
    (tmp_path / "USER.md").unlink()

    assert await text_of(files, "USER.md") == "(USER.md is missing from the workspace)"


async def test_an_emptied_or_deleted_first_meeting_is_over(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, BOOTSTRAP=" \n")

    assert "BOOTSTRAP.md" not in [file.name for file in await files.read(private=True)]
    (tmp_path / "BOOTSTRAP.md").unlink()
    assert "BOOTSTRAP.md" not in [file.name for file in await files.read(private=True)]


async def test_a_link_out_of_the_workspace_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2", "utf-8")
    root = tmp_path / "workspace"
    root.mkdir()
    files = a_workspace(root)
    (root / "SOUL.md").unlink()
    (root / "SOUL.md").symlink_to(secret)

    assert await text_of(files, "SOUL.md") == (
        "(SOUL.md is a link, and only a file of its own is read)"
    )


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xff\xfe\x00", id="no UTF-8"),
        pytest.param(b"MZ\x00\x01", id="a zero byte"),
    ],
)
async def test_a_binary_file_is_named_in_one_line(tmp_path: Path, content: bytes) -> None:
    files = a_workspace(tmp_path)
    (tmp_path / "TOOLS.md").write_bytes(content)

    assert await text_of(files, "TOOLS.md") == "(TOOLS.md is not a text file)"


async def test_a_pipe_or_a_folder_does_not_hold_the_prompt_up(tmp_path: Path) -> None:
    files = a_workspace(tmp_path)
    (tmp_path / "TOOLS.md").unlink()
    (tmp_path / "USER.md").unlink()
    os.mkfifo(tmp_path / "TOOLS.md")
    (tmp_path / "USER.md").mkdir()

    assert await text_of(files, "TOOLS.md") == "(TOOLS.md is not a file)"
    assert (await text_of(files, "USER.md")).startswith("(USER.md ")


async def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, TOOLS="x" * (READABLE_BYTES + 1))

    assert "was not read" in await text_of(files, "TOOLS.md")


async def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert await text_of(a_workspace(tmp_path, SOUL="\ufeffcalm"), "SOUL.md") == "calm"


async def test_a_missing_workspace_is_no_exception(tmp_path: Path) -> None:
    read = await WorkspaceFiles(tmp_path / "nowhere").read(private=True)

    assert [file.text for file in read] == [
        f"({f.name} is missing from the workspace)" for f in read
    ]


def test_a_long_file_keeps_its_beginning_and_its_end() -> None:
    text = "a" * 20_000 + "z" * 20_000

    (cut,) = capped([PromptFile(name="SOUL.md", text=text)])

    assert len(cut.text) == FILE_CHARS
    assert cut.text.startswith("a" * 8_000)
    assert cut.text.endswith("z" * 2_900)
    assert "cut: 40000 characters in all, read SOUL.md for the rest" in cut.text


def test_long_house_rules_keep_the_rules_from_their_middle() -> None:
    prose = "The weather was mild that day.\n" * 400
    text = f"{prose}- Never send the draft.\n不要发送草稿。\n{prose}"

    (cut,) = capped([PromptFile(name="AGENTS.md", text=text)])

    assert len(cut.text) <= FILE_CHARS
    assert "- Never send the draft.\n不要发送草稿。" in cut.text


def test_a_file_without_enough_room_is_left_out() -> None:
    files = [PromptFile(name=f"{n}.md", text="x" * 11_990) for n in range(5)]

    kept = capped([*files, PromptFile(name="last.md", text="y" * 500)])

    assert [file.name for file in kept][-1] == "4.md"
    assert TOTAL_CHARS - sum(len(file.text) for file in kept) < LEAST_CHARS


@given(st.lists(st.text(max_size=40).map(lambda text: text * 700), max_size=8))
def test_no_files_exceed_the_caps(texts: list[str]) -> None:
    kept = capped(PromptFile(name="AGENTS.md", text=text) for text in texts)

    assert all(0 < len(file.text) <= FILE_CHARS for file in kept)
    assert sum(len(file.text) for file in kept) <= TOTAL_CHARS


def calls_about(root: Path) -> list[str]:
    """Every file system call below *root* from now on, as Python's own audit tells of it."""
    calls: list[str] = []

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event in {"open", "os.listdir", "os.scandir"} and str(root) in str(arguments[0]):
            calls.append(event)

    sys.addaudithook(hear)
    return calls


async def test_nothing_is_opened_while_nothing_was_touched(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, SOUL="calm")
    first = await files.read(private=True)
    calls = calls_about(tmp_path)

    assert await files.read(private=True) is first
    assert calls == []
    (tmp_path / "SOUL.md").write_text("wild", "utf-8")
    calls.clear()
    assert await text_of(files, "SOUL.md") == "wild"
    assert calls != []


async def test_what_is_private_is_kept_apart(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, MEMORY="likes tea")
    for _ in range(2):
        assert "MEMORY.md" in {file.name for file in await files.read(private=True)}
        assert "MEMORY.md" not in {file.name for file in await files.read(private=False)}


async def test_a_file_put_in_the_place_of_another_is_read(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, SOUL="calm")
    assert await text_of(files, "SOUL.md") == "calm"

    (tmp_path / "new").write_text("wild", "utf-8")
    (tmp_path / "new").replace(tmp_path / "SOUL.md")
    assert await text_of(files, "SOUL.md") == "wild"
    (tmp_path / "SOUL.md").unlink()
    assert "missing" in await text_of(files, "SOUL.md")


async def test_a_folder_put_in_the_place_of_another_is_read(tmp_path: Path) -> None:
    root, other = tmp_path / "workspace", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    files = a_workspace(root, SOUL="calm")
    assert await text_of(files, "SOUL.md") == "calm"

    a_workspace(other, SOUL="wild")
    root.rename(tmp_path / "old")
    other.rename(root)
    assert await text_of(files, "SOUL.md") == "wild"
    (root / "SOUL.md").write_text("calm again", "utf-8")
    assert await text_of(files, "SOUL.md") == "calm again"


async def test_a_change_through_a_second_name_is_seen(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    files = a_workspace(root, SOUL="calm")
    os.link(root / "SOUL.md", tmp_path / "second")
    assert await text_of(files, "SOUL.md") == "calm"

    (tmp_path / "second").write_text("wild", "utf-8")
    assert await text_of(files, "SOUL.md") == "wild"


async def test_what_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    files = a_workspace(tmp_path, SOUL="calm")
    reading = asyncio.create_task(files.read(private=True))
    await asyncio.sleep(0)
    (tmp_path / "SOUL.md").write_text("wild", "utf-8")
    await reading

    assert await text_of(files, "SOUL.md") == "wild"
