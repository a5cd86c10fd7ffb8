from pathlib import Path

from bot.tools.excerpt import OUTPUT_LIMIT
from bot.tools.search_files import SearchFiles, search_files
from tests.doubles.tool_context import TickingClock, a_tool_context


async def test_lines_are_found_whatever_their_case(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "meeting.md").write_text("Buy BREAD\nnothing\n  buy bread  \n")
    (tmp_path / "b.txt").write_text("buy bread")

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="buy bread"))

    assert found == (
        "b.txt:1: buy bread\nnotes/meeting.md:1: Buy BREAD\nnotes/meeting.md:3:   buy bread"
    )


async def test_case_counts_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Buy BREAD\nbuy bread\n")

    found = await search_files.run(
        a_tool_context(tmp_path), SearchFiles(text="buy", match_case=True)
    )

    assert found == "a.md:2: buy bread"


async def test_only_files_of_that_name_are_searched(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("tea")
    (tmp_path / "a.txt").write_text("tea")

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="tea", files="*.md"))

    assert found == "a.md:1: tea"


async def test_a_regular_expression_is_just_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a" * 5000 + "\n(a+)+$ is slow\n")

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="(a+)+$"))

    assert found == "a.md:2: (a+)+$ is slow"


async def test_nothing_found_says_how_much_was_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("tea")

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="绿茶"))

    assert found == "no line contains '绿茶' (1 files)"


async def test_what_is_no_text_and_what_is_a_link_is_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("tea canary")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "b.png").write_bytes(b"tea\xff")

    found = await search_files.run(a_tool_context(root), SearchFiles(text="tea"))

    assert found == "no line contains 'tea' (1 files)"


async def test_the_middle_of_a_long_line_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x" * 10_000 + "tea" + "y" * 10_000)

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="tea"))

    assert "xteay" in found
    assert len(found) < 300


async def test_many_hits_are_stopped_and_said_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("tea\n" * 500)

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="tea"))

    assert len(found.splitlines()) == 101
    assert found.endswith("[stopped at 100 hits, there are more]")


async def test_long_hits_fit_into_one_answer(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(("tea " * 100 + "\n") * 500)

    found = await search_files.run(a_tool_context(tmp_path), SearchFiles(text="tea"))

    assert len(found) <= OUTPUT_LIMIT
    assert "there are more" in found


async def test_a_search_that_takes_too_long_gives_what_it_has(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text("tea")
    context = a_tool_context(tmp_path, clock=TickingClock(tick=9.0))

    found = await search_files.run(context, SearchFiles(text="tea"))

    assert found == "a.md:1: tea\nb.md:1: tea\n[stopped after 20 seconds, at c.md]"
