from pathlib import Path

import pytest

from bot.contracts.errors import ToolError
from bot.tools.excerpt import OUTPUT_LIMIT
from bot.tools.read_file import ReadFile, read_file
from tests.doubles.tool_context import a_tool_context


async def _read(root: Path, **changes: int) -> str:
    return await read_file.run(a_tool_context(root), ReadFile(path="a.md", **changes))


async def test_a_short_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n\ttwo  \n\n绿茶\n")

    assert await _read(tmp_path) == "one\n\ttwo  \n\n绿茶"


async def test_the_session_knows_the_whole_file_afterwards(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\ntwo\n")
    context = a_tool_context(tmp_path)

    await read_file.run(context, ReadFile(path="./a.md", max_lines=1))

    assert context.seen.last(context.session_key, "a.md") == b"one\ntwo\n"


async def test_a_long_file_is_cut_at_a_line_and_says_how_to_read_on(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("".join(f"line {n}\n" for n in range(1, 1001)))

    first = await _read(tmp_path)
    assert first.startswith("line 1\n")
    assert first.endswith("line 400\n[lines 1 to 400 of 1,000; read on with first_line=401]")

    last = await _read(tmp_path, first_line=999)
    assert last == "line 999\nline 1000\n[lines 999 to 1,000 of 1,000]"


async def test_reading_on_as_told_leaves_no_line_out(tmp_path: Path) -> None:
    lines = [f"{n}: {'x' * (n % 500)}" for n in range(300)]
    (tmp_path / "a.md").write_text("\n".join(lines))

    read: list[str] = []
    while len(read) < len(lines):
        page = await _read(tmp_path, first_line=len(read) + 1)
        assert len(page) <= OUTPUT_LIMIT
        read += [line for line in page.split("\n") if not line.startswith("[lines ")]

    assert read == lines


async def test_one_endless_line_is_cut_in_its_middle(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a" * 50_000 + "b" * 50_000 + "\nlast")

    page = await _read(tmp_path)

    assert len(page) <= OUTPUT_LIMIT
    assert "characters and more left out" in page
    assert page.endswith("[lines 1 to 1 of 2; read on with first_line=2]")


async def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()

    assert await _read(tmp_path) == "('a.md' is empty)"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\xff", b"text\0with nothing", b"\xff\xfe"])
async def test_what_is_no_text_is_one_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.md").write_bytes(data)

    with pytest.raises(ToolError, match=r"'a\.md' is not a text file"):
        await _read(tmp_path)


async def test_a_page_behind_the_end_says_where_the_end_is(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\ntwo\n")

    with pytest.raises(ToolError, match="has only 2 lines"):
        await _read(tmp_path, first_line=3)


async def test_a_huge_file_is_refused_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * (2 * 1024 * 1024 + 1))

    with pytest.raises(ToolError, match="has 2,097,153 bytes"):
        await _read(tmp_path)


async def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"there is no 'a\.md' in the workspace"):
        await _read(tmp_path)
