"""How long conversations go on, by their kind, and what a wrong value is told."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.contracts.inbound import ConversationKind
from bot.settings import SettingsBroken
from tests.doubles.settings_files import SettingsFiles


def test_direct_chats_never_end_and_rooms_after_a_week(tmp_path: Path) -> None:
    sessions = SettingsFiles(tmp_path).read("tools: {}").sessions
    assert sessions.idle(ConversationKind.DIRECT) is None
    assert sessions.idle(ConversationKind.ROOM) == timedelta(days=7)
    assert sessions.idle(ConversationKind.GROUP) == timedelta(days=7)
    assert sessions.retention is None


def test_what_is_seen_depends_on_the_kind(tmp_path: Path) -> None:
    sessions = SettingsFiles(tmp_path).read("sessions: {history_turns: {rooms: 5}}").sessions
    kinds = (ConversationKind.DIRECT, ConversationKind.ROOM)
    assert [sessions.history(kind) for kind in kinds] == [100, 5]


@pytest.mark.parametrize(
    ("yaml", "setting"),
    [
        ("sessions: {idle_days: {rooms: -1}}", "sessions.idle_days.rooms"),
        ("sessions: {idle_days: 7}", "sessions.idle_days"),
        ("sessions: {history_turns: {direct: 0}}", "sessions.history_turns.direct"),
        ("sessions: {retention_days: soon}", "sessions.retention_days"),
        ("sessions: {retention: 90}", "sessions.retention"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(
    tmp_path: Path, yaml: str, setting: str
) -> None:
    with pytest.raises(SettingsBroken, match=setting):
        SettingsFiles(tmp_path).read(yaml)
