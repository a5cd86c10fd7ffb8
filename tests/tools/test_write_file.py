from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.errors import ToolDenied, ToolError
from bot.contracts.session import SessionKey
from bot.contracts.turn import Rank
from bot.tools.read_file import ReadFile, read_file
from bot.tools.write_file import WriteFile, write_file
from tests.doubles.tool_context import a_tool_context

ROOM = SessionKey("agent:main:slack:bot:room:7")


async def test_a_new_file_is_written_with_its_folders(tmp_path: Path) -> None:
    said = await write_file.run(
        a_tool_context(tmp_path), WriteFile(path="notes/tea.md", content="绿茶\n")
    )

    assert (tmp_path / "notes/tea.md").read_text() == "绿茶\n"
    assert said == "notes/tea.md is written, a new file of 7 bytes"


async def test_a_file_nobody_read_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("precious\n")

    with pytest.raises(ToolError) as refusal:
        await write_file.run(a_tool_context(tmp_path), WriteFile(path="a.md", content="mine\n"))

    assert "exists and you have not read it" in str(refusal.value)
    assert "-precious\n+mine" in str(refusal.value)
    assert (tmp_path / "a.md").read_text() == "precious\n"


async def test_a_file_that_was_read_is_replaced_and_the_change_shown(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\ntwo\n")
    context = a_tool_context(tmp_path)
    await read_file.run(context, ReadFile(path="a.md"))

    said = await write_file.run(context, WriteFile(path="./a.md", content="one\n2\n"))

    assert (tmp_path / "a.md").read_text() == "one\n2\n"
    assert said == "a.md is written:\n@@ -1,2 +1,2 @@\n one\n-two\n+2"


async def test_what_one_session_read_does_not_let_another_overwrite(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    context = a_tool_context(tmp_path)
    await read_file.run(context, ReadFile(path="a.md"))

    with pytest.raises(ToolError, match="have not read it"):
        await write_file.run(
            replace(context, session_key=ROOM), WriteFile(path="a.md", content="two\n")
        )


async def test_a_file_that_changed_since_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    context = a_tool_context(tmp_path)
    await read_file.run(context, ReadFile(path="a.md"))
    (tmp_path / "a.md").write_text("changed by a person\n")

    with pytest.raises(ToolError) as refusal:
        await write_file.run(context, WriteFile(path="a.md", content="two\n"))

    assert "changed since you read it" in str(refusal.value)
    assert "-one\n+changed by a person" in str(refusal.value)
    assert (tmp_path / "a.md").read_text() == "changed by a person\n"


async def test_what_one_wrote_oneself_may_be_written_again(tmp_path: Path) -> None:
    context = a_tool_context(tmp_path)
    for content in ("one", "two", "three"):
        await write_file.run(context, WriteFile(path="a.md", content=content))

    assert (tmp_path / "a.md").read_text() == "three"


async def test_the_same_again_is_fine_even_by_one_who_never_read_it(tmp_path: Path) -> None:
    """So it is after a crash: the write happened, and nobody remembers."""
    args = WriteFile(path="a.md", content="one")
    await write_file.run(a_tool_context(tmp_path), args)

    assert "already" in await write_file.run(a_tool_context(tmp_path), args)


async def test_an_empty_file_has_nothing_to_lose(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()

    await write_file.run(a_tool_context(tmp_path), WriteFile(path="a.md", content="one"))

    assert (tmp_path / "a.md").read_text() == "one"


async def test_what_is_no_text_is_not_replaced_by_text(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\xff")

    with pytest.raises(ToolError, match="is not a text file"):
        await write_file.run(a_tool_context(tmp_path), WriteFile(path="a.png", content="x"))


async def test_a_file_too_large_to_be_read_again_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="a file may have 2,097,152"):
        await write_file.run(
            a_tool_context(tmp_path), WriteFile(path="a.md", content="x" * 2_097_153)
        )


@pytest.mark.parametrize("path", ["SOUL.md", "soul.md", "./AGENTS.md", "skills/x/SKILL.md"])
@pytest.mark.parametrize(
    ("rank", "session"),
    [
        pytest.param(Rank.ADMIN, "agent:main:main", id="an admin"),
        pytest.param(Rank.OWNER, "agent:main:slack:bot:room:7", id="the owner in a room"),
        pytest.param(Rank.OWNER, "agent:main:job:daily", id="a job"),
        pytest.param(Rank.OWNER, "agent:main:main:child:3", id="work on the owner's behalf"),
        pytest.param(Rank.OWNER, "agent:main:slack:bot:room:direct", id="a room called direct"),
    ],
)
async def test_who_the_assistant_is_only_the_owner_changes_and_in_a_direct_chat(
    tmp_path: Path, path: str, rank: Rank, session: str
) -> None:
    context = a_tool_context(tmp_path, rank=rank, session_key=SessionKey(session))

    with pytest.raises(ToolDenied, match="only its owner"):
        await write_file.run(context, WriteFile(path=path, content="I obey everybody"))

    assert not await context.workspace.entries()


@pytest.mark.parametrize(
    "session", ["agent:main:main", "agent:main:webchat:local:direct:owner:thread:2"]
)
async def test_the_owner_in_a_direct_chat_may(tmp_path: Path, session: str) -> None:
    context = a_tool_context(tmp_path, session_key=SessionKey(session))

    await write_file.run(context, WriteFile(path="SOUL.md", content="kind"))

    assert (tmp_path / "SOUL.md").read_text() == "kind"


async def test_no_rank_writes_what_other_programs_would_run(tmp_path: Path) -> None:
    with pytest.raises(ToolDenied):
        await write_file.run(
            a_tool_context(tmp_path), WriteFile(path=".git/hooks/post-commit", content="x")
        )
