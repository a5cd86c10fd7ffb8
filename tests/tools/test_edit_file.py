import asyncio
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.contracts.errors import FileMissing, ToolDenied, ToolError
from bot.contracts.tool import Probe
from bot.contracts.turn import Rank
from bot.tools.edit_file import EditFile, _may_be_result, _occurs_once, _replaced, edit_file
from bot.tools.read_file import ReadFile, read_file
from tests.doubles.tool_context import a_tool_context

TEXT = "one\ntwo\nthree\ntwo and a half\n"


async def _edit(root: Path, old: str, new: str) -> str:
    return await edit_file.run(a_tool_context(root), EditFile(path="a.md", old=old, new=new))


async def test_one_passage_is_replaced_and_the_change_shown(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)

    said = await _edit(tmp_path, "three", "3")

    assert (tmp_path / "a.md").read_text() == TEXT.replace("three", "3")
    assert said == ("a.md is changed:\n@@ -1,4 +1,4 @@\n one\n two\n-three\n+3\n two and a half")


async def test_a_passage_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)

    with pytest.raises(ToolError, match="does not contain that passage; read the file"):
        await _edit(tmp_path, "four", "4")
    with pytest.raises(ToolError, match="it does without the white space around"):
        await _edit(tmp_path, "  three", "3")
    assert (tmp_path / "a.md").read_text() == TEXT


async def test_a_passage_that_is_there_twice_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)

    with pytest.raises(ToolError, match="more than once"):
        await _edit(tmp_path, "two", "2")


async def test_overlapping_places_are_two_places(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("ababa")

    with pytest.raises(ToolError, match="more than once"):
        await _edit(tmp_path, "aba", "x")


async def test_no_change_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)

    with pytest.raises(ToolError, match="nothing to change"):
        await _edit(tmp_path, "three", "three")


async def test_a_file_with_windows_line_ends_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\r\ntwo\r\nthree\r\n")

    await _edit(tmp_path, "one\ntwo", "1\n2")

    assert (tmp_path / "a.md").read_bytes() == b"1\r\n2\r\nthree\r\n"


async def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    context = a_tool_context(tmp_path)
    await read_file.run(context, ReadFile(path="a.md"))
    (tmp_path / "a.md").write_text(TEXT + "a person was here\n")

    with pytest.raises(ToolError) as refusal:
        await edit_file.run(context, EditFile(path="a.md", old="three", new="3"))

    assert "changed since you read it" in str(refusal.value)
    assert "+a person was here" in str(refusal.value)
    assert "three" in (tmp_path / "a.md").read_text()


async def test_one_edit_after_another_needs_no_reading_in_between(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    context = a_tool_context(tmp_path)
    await read_file.run(context, ReadFile(path="a.md"))

    await edit_file.run(context, EditFile(path="a.md", old="three", new="3"))
    await edit_file.run(context, EditFile(path="a.md", old="3", new="III"))

    assert "III" in (tmp_path / "a.md").read_text()


async def test_two_edits_at_once_both_stand(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    context = a_tool_context(tmp_path)

    await asyncio.gather(
        edit_file.run(context, EditFile(path="a.md", old="one", new="1")),
        edit_file.run(context, EditFile(path="a.md", old="three", new="3")),
    )

    assert (tmp_path / "a.md").read_text() == "1\ntwo\n3\ntwo and a half\n"


async def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileMissing):
        await _edit(tmp_path, "one", "1")


async def test_who_the_assistant_is_a_member_does_not_change(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("kind")

    with pytest.raises(ToolDenied):
        await edit_file.run(
            a_tool_context(tmp_path, rank=Rank.MEMBER),
            EditFile(path="SOUL.md", old="kind", new="cruel"),
        )


@pytest.mark.parametrize(
    ("standing", "old", "new", "expected"),
    [
        pytest.param("a b c", "b", "x", Probe.NOT_DONE, id="the old passage stands"),
        pytest.param("a x c", "b", "x", Probe.DONE, id="the new passage stands"),
        pytest.param("a c", "b ", "", Probe.DONE, id="the passage is gone, as wished"),
        pytest.param("a b c", "b ", "", Probe.UNCLEAR, id="one stands where one was removed"),
        pytest.param("a bb c", "b", "bb", Probe.DONE, id="the new one contains the old, twice"),
        pytest.param("a xb c", "b", "xb", Probe.UNCLEAR, id="the new one contains the old, once"),
        pytest.param("a q c", "b", "x", Probe.UNCLEAR, id="neither stands"),
        pytest.param("b x c", "b", "x", Probe.NOT_DONE, id="the new passage stood before, too"),
        pytest.param("b b c", "b", "x", Probe.UNCLEAR, id="the edit would not have been accepted"),
    ],
)
async def test_a_probe_tells_from_the_file_what_happened(
    tmp_path: Path, standing: str, old: str, new: str, expected: Probe
) -> None:
    (tmp_path / "a.md").write_text(standing)
    assert edit_file.probe is not None

    found = await edit_file.probe(a_tool_context(tmp_path), EditFile(path="a.md", old=old, new=new))

    assert found is expected


async def test_a_probe_of_a_missing_file_knows_nothing(tmp_path: Path) -> None:
    assert edit_file.probe is not None

    found = await edit_file.probe(a_tool_context(tmp_path), EditFile(path="a.md", old="a", new="b"))

    assert found is Probe.UNCLEAR


LETTERS = st.text("ab", max_size=6)


@given(before=LETTERS, old=st.text("ab", min_size=1, max_size=3), new=LETTERS)
def test_a_probe_is_never_wrong_about_an_edit_that_was_accepted(
    before: str, old: str, new: str
) -> None:
    assume(_occurs_once(before, old))
    assume(old != new)
    after = _replaced(before, EditFile(path="a.md", old=old, new=new))

    may_be_before = _occurs_once(after, old)
    may_be_after = _may_be_result(after, old, new)

    assert may_be_after, "done, and the probe could say that it is not"
    assert _occurs_once(before, old), "not done, and the probe could say that it is"
    assert may_be_before or may_be_after
