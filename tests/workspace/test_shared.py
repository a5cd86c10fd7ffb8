"""The workspace of a member: read what is shared, and not even see what is the owner's own."""

from pathlib import Path

import pytest

from bot.contracts.errors import ToolDenied
from bot.contracts.turn import Rank
from bot.workspace.shared import SharedWorkspace, as_seen_by
from bot.workspace.tree import WorkspaceTree

_OWN = [
    "USER.md",
    "user.MD",
    "./USER.md",
    "notes/../USER.md",
    "MEMORY.md",
    "BOOTSTRAP.md",
    "memory/2026-03-01.md",
    ".env",
    "notes/.env.local",
    ".git/config",
    ".ssh/id_ed25519",
]


def a_workspace(root: Path) -> WorkspaceTree:
    for name in ("AGENTS.md", "notes/meeting.md", *(one for one in _OWN if ".." not in one)):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("canary")
    return WorkspaceTree(root)


@pytest.mark.parametrize("path", _OWN)
async def test_the_owner_s_own_files_are_not_read(tmp_path: Path, path: str) -> None:
    tree = a_workspace(tmp_path)

    with pytest.raises(ToolDenied):
        await SharedWorkspace(tree).read(path, limit=100)
    if ".." not in path:
        assert await tree.read(path, limit=100) == b"canary"
    with pytest.raises(ToolDenied):
        await SharedWorkspace(tree).read(str(tmp_path / path), limit=100)


async def test_they_are_not_listed_either(tmp_path: Path) -> None:
    shared = SharedWorkspace(a_workspace(tmp_path))

    assert {entry.path for entry in await shared.entries(deep=True)} == {
        "AGENTS.md",
        "notes",
        "notes/meeting.md",
    }
    with pytest.raises(ToolDenied):
        await shared.entries("memory")


async def test_what_is_shared_is_read(tmp_path: Path) -> None:
    shared = SharedWorkspace(a_workspace(tmp_path))

    assert await shared.read("notes/meeting.md", limit=100) == b"canary"


async def test_nothing_is_written_or_run(tmp_path: Path) -> None:
    shared = SharedWorkspace(a_workspace(tmp_path))

    with pytest.raises(ToolDenied):
        await shared.write("notes/meeting.md", b"changed")
    with pytest.raises(ToolDenied):
        shared.writing()
    with pytest.raises(ToolDenied):
        _ = shared.root
    assert (tmp_path / "notes/meeting.md").read_text() == "canary"


@pytest.mark.parametrize("rank", Rank)
def test_the_owner_and_admins_have_the_whole_of_it(tmp_path: Path, rank: Rank) -> None:
    tree = WorkspaceTree(tmp_path)

    assert (as_seen_by(rank, tree) is tree) == (rank >= Rank.ADMIN)
