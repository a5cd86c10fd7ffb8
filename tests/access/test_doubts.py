from pathlib import Path

import pytest

from bot.access.doubts import doubts
from bot.contracts.channel import IdShapes
from tests.doubles.settings_files import SettingsFiles

SHAPES = IdShapes(person="-?[0-9]+", room="-[0-9]+", space="[0-9]+", example="4711")


def said(folder: Path, rules: str, people: str = "") -> list[str]:
    settings = SettingsFiles(folder).read(f"channels:\n  square: {{{rules}}}\n{people}")
    return [f"{what}; {fix}" for what, fix in doubts(settings, {"square": SHAPES})]


@pytest.mark.parametrize(
    ("rules", "people", "expected"),
    [
        ("direct: {policy: open}", "", "ANYBODY on square may talk to the bot"),
        ("rooms: {policy: open}", "", "EVERY room of square"),
        ("", "", "nobody is listed in direct chats of square"),
        ("", "", "no room of square is listed"),
        ("direct: {allow: [ana]}", "", "'ana' does not look like an id"),
        ("direct: {allow: [ana]}", "", "write the id, such as 4711"),
        ("rooms: {allow: {general: {}}}", "", "rooms.allow: 'general' does not look like"),
        ("rooms: {allow: {T1/-5: {}}}", "", "'T1' does not look like an id"),
        ("rooms: {allow: {'-5': {people: [bo]}}}", "", "-5.people: 'bo' does not look like"),
        ("", "people: {ana: {ids: ['other:1']}}", "other:1 is of no channel that is configured"),
        ("", "people: {ana: {ids: ['square:x']}}", "people.ana.ids: 'x' does not look like"),
    ],
)
def test_what_is_mostly_a_mistake_is_said(
    tmp_path: Path, rules: str, people: str, expected: str
) -> None:
    assert any(expected in one for one in said(tmp_path, rules, people))


def test_what_is_as_it_should_be_is_not_mentioned(tmp_path: Path) -> None:
    rules = "direct: {allow: [4711, -5]}, rooms: {allow: {'-5': {people: [1]}, 7/-6: {}, 7/*: {}}}"

    assert said(tmp_path, rules, "people: {ana: {ids: ['square:1']}}") == []
