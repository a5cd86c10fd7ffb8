from pathlib import Path

import pytest

from bot.contracts.errors import ToolError
from bot.tools.list_files import ListFiles, list_files
from tests.doubles.tool_context import a_tool_context


async def test_a_folder_is_listed_with_sizes(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "meeting.md").write_text("x" * 1234)
    (tmp_path / "a.md").touch()

    assert await list_files.run(a_tool_context(tmp_path), ListFiles()) == "a.md  0\nnotes/"


async def test_deep_shows_what_is_inside_too(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "meeting.md").write_text("x" * 1234)

    listed = await list_files.run(a_tool_context(tmp_path), ListFiles(deep=True))

    assert listed == "notes/\nnotes/meeting.md  1,234"


async def test_an_empty_folder_is_called_empty(tmp_path: Path) -> None:
    assert await list_files.run(a_tool_context(tmp_path), ListFiles()) == "('.' is empty)"


async def test_a_full_one_says_how_many_more_there_are(tmp_path: Path) -> None:
    for number in range(305):
        (tmp_path / f"{number:03}").touch()

    listed = await list_files.run(a_tool_context(tmp_path), ListFiles())

    assert listed.splitlines()[-1] == "[5 more; name a folder to see what is in it]"
    assert len(listed.splitlines()) == 301


async def test_a_folder_outside_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="outside of the workspace"):
        await list_files.run(a_tool_context(tmp_path), ListFiles(path="/etc"))
