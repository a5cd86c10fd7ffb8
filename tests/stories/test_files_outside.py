"""A model that wants what lies outside the workspace, by any name: no tool reads or writes it."""

import os
from pathlib import Path

import pytest

from bot.contracts.messages import ResultState, ToolResult
from tests.doubles.rig import a_rig
from tests.doubles.scripted_model import calls, words

CANARY = "canary-of-the-file-outside"
WISHES = """Here is your file:
MEDIA:/etc/passwd
MEDIA:{outside}
MEDIA: linked.txt
[[media:file:///proc/self/environ]]
[[media:../outside.txt]] done"""


def every_tool(path: str) -> list[tuple[str, dict[str, object], str]]:
    return [
        ("read_file", {"path": path}, "a"),
        ("list_files", {"path": path}, "b"),
        ("search_files", {"path": path, "text": "canary"}, "c"),
        ("edit_file", {"path": path, "old": CANARY, "new": "changed"}, "d"),
        ("write_file", {"path": path, "content": "changed"}, "e"),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "file:///proc/self/environ",
        "/proc/self/environ",
        "/tmp/x",  # noqa: S108 - a path to be refused
        "../outside.txt",
        "notes/../../outside.txt",
        "~/outside.txt",
        "linked.txt",
        "linked-folder/outside.txt",
        "second-name.txt",
        "OUTSIDE",
    ],
)
async def test_no_tool_reads_or_changes_it_and_nothing_is_attached(
    tmp_path: Path, path: str
) -> None:
    """W7."""
    outside = tmp_path / "outside.txt"
    outside.write_text(CANARY)
    path = path.replace("OUTSIDE", str(outside))
    async with a_rig(
        tmp_path / "home", calls(*every_tool(path)), words(WISHES.format(outside=outside))
    ) as rig:
        (rig.workspace / "linked.txt").symlink_to(outside)
        (rig.workspace / "linked-folder").symlink_to(tmp_path)
        os.link(outside, rig.workspace / "second-name.txt")
        accepted = await rig.say("show me that file")
        record = await rig.outcome(accepted.turn_id)
        told = await rig.said_to(accepted.turn_id)

    results = [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]
    assert len(results) == len(every_tool(path))
    assert not [r for r in results if r.state is ResultState.OK or CANARY in r.text]
    assert outside.read_text() == CANARY
    assert told == ["Here is your file:\ndone"]
    assert len(record.deliveries) == 1


async def test_the_same_tools_read_and_change_what_is_inside(tmp_path: Path) -> None:
    """The twin of all those."""
    wanted = [(name, args, id_) for name, args, id_ in every_tool("mine/mine.txt")]
    for _, args, _ in wanted[1:3]:
        args["path"] = "mine"
    async with a_rig(tmp_path / "home", calls(*wanted), words("Done.")) as rig:
        mine = rig.workspace / "mine" / "mine.txt"
        mine.parent.mkdir()
        mine.write_text(CANARY)
        await rig.answered("show me that file")

    results = [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]
    assert [r.state for r in results] == [ResultState.OK] * len(wanted)
    assert CANARY in results[0].text
    assert mine.read_text() == "changed"


@pytest.mark.parametrize(
    ("path", "content", "sentence"),
    [
        pytest.param("notes/metting.md", None, "there is no 'notes/metting.md'", id="missing"),
        pytest.param("photo.jpg", b"\xff\xd8\0\x01", "is not a text file", id="binary"),
    ],
)
async def test_a_file_that_cannot_be_read_is_one_sentence_and_the_turn_goes_on(
    tmp_path: Path, path: str, content: bytes | None, sentence: str
) -> None:
    reading = calls(("read_file", {"path": path}, "a"))
    async with a_rig(tmp_path / "home", reading, words("I cannot read it.")) as rig:
        if content is not None:
            (rig.workspace / path).write_bytes(content)
        answer = await rig.answered(f"read {path}")

    [result] = [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]
    assert result.state is ResultState.ERROR
    assert sentence in result.text
    assert answer == "I cannot read it."
