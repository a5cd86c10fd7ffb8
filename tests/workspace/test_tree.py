import asyncio
import os
import stat
from pathlib import Path

import pytest

from bot.contracts.errors import FileMissing, ToolDenied, ToolError
from bot.workspace.tree import WorkspaceTree

LIMIT = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "notes").mkdir()
    (root / "notes" / "meeting.md").write_text("three things")
    (tmp_path / "secret.txt").write_text("canary")
    return root


@pytest.fixture
def tree(root: Path) -> WorkspaceTree:
    return WorkspaceTree(root)


@pytest.mark.parametrize(
    "spelling",
    ["notes/meeting.md", "./notes/meeting.md", "notes//meeting.md", "notes/./meeting.md"],
)
async def test_a_file_is_found_in_every_spelling(tree: WorkspaceTree, spelling: str) -> None:
    assert tree.inside(spelling) == "notes/meeting.md"
    assert await tree.read(spelling, limit=LIMIT) == b"three things"


async def test_a_whole_path_into_the_workspace_is_fine(tree: WorkspaceTree, root: Path) -> None:
    assert tree.inside(str(root / "notes" / "meeting.md")) == "notes/meeting.md"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/tmp/x",  # noqa: S108 - a path to be refused
        "~/secret.txt",
        "file:///proc/self/environ",
        "../secret.txt",
        "notes/../../secret.txt",
        "notes/../notes/meeting.md",
        "..",
    ],
)
async def test_a_path_out_of_the_workspace_is_denied(tree: WorkspaceTree, path: str) -> None:
    with pytest.raises(ToolDenied):
        await tree.read(path, limit=LIMIT)
    with pytest.raises(ToolDenied):
        await tree.write(path, b"x")
    with pytest.raises(ToolDenied):
        await tree.entries(path)


async def test_a_folder_that_only_begins_like_the_workspace_is_outside(
    tree: WorkspaceTree, root: Path
) -> None:
    beside = root.with_name("workspace-of-somebody")
    beside.mkdir()

    with pytest.raises(ToolDenied):
        await tree.write(str(beside / "x"), b"x")


@pytest.mark.parametrize("path", ["a\0b", "notes/a\nb", "\ud800", "n" * 300, "", "."])
async def test_no_file_has_such_a_name(tree: WorkspaceTree, path: str) -> None:
    with pytest.raises(ToolError):
        await tree.read(path, limit=LIMIT)
    with pytest.raises(ToolError):
        await tree.write(path, b"x")


async def test_a_link_is_not_followed_whatever_it_leads_to(tree: WorkspaceTree, root: Path) -> None:
    (root / "out.txt").symlink_to(root.parent / "secret.txt")
    (root / "in.txt").symlink_to(root / "notes" / "meeting.md")
    (root / "up").symlink_to(root.parent)

    for path in ("out.txt", "in.txt", "up/secret.txt"):
        with pytest.raises(ToolError, match="links are not followed"):
            await tree.read(path, limit=LIMIT)
        with pytest.raises(ToolError, match="links are not followed"):
            await tree.write(path, b"overwritten")
    with pytest.raises(ToolError, match="links are not followed"):
        await tree.entries("up")
    assert (root.parent / "secret.txt").read_text() == "canary"


@pytest.mark.parametrize("swapped", ["notes", "notes/meeting.md"])
async def test_what_becomes_a_link_in_between_leads_nowhere(
    tree: WorkspaceTree, root: Path, swapped: str
) -> None:
    """Whoever swaps a name for a link while we walk gets a refusal, never the file outside."""
    outside = root.parent / "notes"
    outside.mkdir()
    (outside / "meeting.md").write_text("canary")
    done = asyncio.Event()

    def swap() -> None:
        while not done.is_set():
            (root / swapped).rename(root / "aside")
            (root / swapped).symlink_to(root.parent / swapped)
            (root / swapped).unlink()
            (root / "aside").rename(root / swapped)

    swapping = asyncio.create_task(asyncio.to_thread(swap))
    found = set()
    for _ in range(500):
        try:
            found.add(await tree.read("notes/meeting.md", limit=LIMIT))
        except ToolError:
            found.add(b"refused")
    done.set()
    await swapping

    assert b"canary" not in found


async def test_a_second_name_of_a_file_is_not_read(tree: WorkspaceTree, root: Path) -> None:
    os.link(root.parent / "secret.txt", root / "innocent.txt")

    with pytest.raises(ToolError, match="hard link"):
        await tree.read("innocent.txt", limit=LIMIT)


async def test_writing_over_a_second_name_leaves_the_first_alone(
    tree: WorkspaceTree, root: Path
) -> None:
    os.link(root.parent / "secret.txt", root / "innocent.txt")

    await tree.write("innocent.txt", b"new")

    assert (root.parent / "secret.txt").read_text() == "canary"
    assert (root / "innocent.txt").read_bytes() == b"new"


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK], ids=["pipe", "socket"])
async def test_what_is_no_file_is_neither_waited_for_nor_written(
    tree: WorkspaceTree, root: Path, kind: int
) -> None:
    os.mknod(root / "odd", kind | 0o600)

    with pytest.raises(ToolError, match="a pipe, a socket or a device"):
        await tree.read("odd", limit=LIMIT)
    with pytest.raises(ToolError, match="a pipe, a socket or a device"):
        await tree.write("odd", b"x")
    assert [entry.path for entry in await tree.entries()] == ["notes"]


async def test_a_file_is_written_whole_with_its_folders(tree: WorkspaceTree, root: Path) -> None:
    await tree.write("a/b/c.txt", "绿茶".encode())

    assert (root / "a/b/c.txt").read_text() == "绿茶"
    assert [child.name for child in (root / "a/b").iterdir()] == ["c.txt"]


async def test_what_is_new_is_for_its_owner_alone(tree: WorkspaceTree, root: Path) -> None:
    await tree.write("a/b.txt", b"x")

    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "a/b.txt").stat().st_mode) == 0o600


async def test_what_is_replaced_keeps_its_permissions(tree: WorkspaceTree, root: Path) -> None:
    script = root / "run.sh"
    script.write_text("old")
    script.chmod(0o755)

    await tree.write("run.sh", b"new")

    assert stat.S_IMODE(script.stat().st_mode) == 0o755


async def test_a_left_over_of_a_crash_is_in_nobodys_way(tree: WorkspaceTree, root: Path) -> None:
    (root / ".stonechat-write.part").symlink_to(root.parent / "secret.txt")

    await tree.write("a.txt", b"x")

    assert (root / "a.txt").read_bytes() == b"x"
    assert (root.parent / "secret.txt").read_text() == "canary"


async def test_a_reader_sees_the_old_file_or_the_new_one_never_half(
    tree: WorkspaceTree,
) -> None:
    versions = [bytes([letter]) * 200_000 for letter in b"ab"]
    await tree.write("big.txt", versions[0])

    async def write() -> None:
        for turn in range(20):
            await tree.write("big.txt", versions[turn % 2])

    writing = asyncio.create_task(write())
    while not writing.done():
        assert await tree.read("big.txt", limit=300_000) in versions
    await writing


async def test_a_cancelled_write_does_not_land_behind_the_next_one(
    tree: WorkspaceTree, root: Path
) -> None:
    for turn in range(30):
        first = asyncio.create_task(tree.write("a.txt", b"first" * 10_000))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await tree.write("a.txt", b"second %d" % turn)
        assert (root / "a.txt").read_bytes() == b"second %d" % turn


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/post-commit",
        ".git/config",
        ".GIT/config",
        "sub/.git/hooks/post-commit",
        ".git",
        ".env",
        ".env.local",
        "sub/.ENV",
        ".envrc",
    ],
)
async def test_what_other_programs_would_run_is_not_written(tree: WorkspaceTree, path: str) -> None:
    with pytest.raises(ToolDenied, match="may not be written"):
        await tree.write(path, b"x")

    assert {entry.path for entry in await tree.entries()} == {"notes"}


@pytest.mark.parametrize("path", ["environment.md", "git/hooks.md", ".gitignore", "SOUL.md"])
async def test_what_only_looks_like_it_is_written(tree: WorkspaceTree, path: str) -> None:
    await tree.write(path, b"x")

    assert await tree.read(path, limit=LIMIT) == b"x"


async def test_a_file_that_is_too_large_is_refused_with_its_size(tree: WorkspaceTree) -> None:
    await tree.write("big.txt", b"x" * 1001)

    with pytest.raises(ToolError, match="has 1,001 bytes, and at most 1,000"):
        await tree.read("big.txt", limit=LIMIT)
    assert len(await tree.read("big.txt", limit=1001)) == 1001


async def test_a_folder_is_no_file_and_a_file_no_folder(tree: WorkspaceTree) -> None:
    with pytest.raises(ToolError, match="'notes' is a folder"):
        await tree.read("notes", limit=LIMIT)
    with pytest.raises(ToolError, match="'notes' is a folder"):
        await tree.write("notes", b"x")
    with pytest.raises(ToolError, match="is no folder"):
        await tree.read("notes/meeting.md/x", limit=LIMIT)
    with pytest.raises(ToolError, match="is no folder"):
        await tree.entries("notes/meeting.md")


async def test_a_missing_file_is_called_missing(tree: WorkspaceTree) -> None:
    with pytest.raises(FileMissing, match=r"there is no 'notes/metting\.md' in the workspace"):
        await tree.read("notes/metting.md", limit=LIMIT)
    with pytest.raises(FileMissing):
        await tree.read("nowhere/a.md", limit=LIMIT)


async def test_a_workspace_that_went_away_is_one_sentence(tmp_path: Path) -> None:
    tree = WorkspaceTree(tmp_path / "gone")

    with pytest.raises(ToolError, match="in the workspace"):
        await tree.entries()


async def test_a_listing_is_sorted_and_says_what_is_a_folder(
    tree: WorkspaceTree, root: Path
) -> None:
    (root / "b.txt").write_text("12345")
    (root / "a.txt").write_text("")

    listed = [(entry.path, entry.is_folder, entry.size) for entry in await tree.entries()]

    assert listed == [("a.txt", False, 0), ("b.txt", False, 5), ("notes", True, 0)]
    assert await tree.entries(str(root)) == await tree.entries("")


async def test_a_deep_listing_leaves_out_links_and_the_inside_of_git(
    tree: WorkspaceTree, root: Path
) -> None:
    (root / ".git" / "objects").mkdir(parents=True)
    (root / "up").symlink_to(root)

    listed = [entry.path for entry in await tree.entries(deep=True)]

    assert listed == [".git", "notes", "notes/meeting.md"]


async def test_writers_take_turns(tree: WorkspaceTree) -> None:
    inside: list[str] = []

    async def change(who: str) -> None:
        async with tree.writing():
            inside.append(f"{who} in")
            await tree.write("a.txt", who.encode())
            inside.append(f"{who} out")

    await asyncio.gather(change("one"), change("two"))

    assert inside == ["one in", "one out", "two in", "two out"]
