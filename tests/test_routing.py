"""What the operator is told of their routes, with the line it stands on."""

from pathlib import Path

import pytest

from bot.contracts.moved import Move
from bot.kernel.moved import MovedRooms
from bot.routing import broken, doubts, with_doubts
from tests.doubles.settings_files import SettingsFiles

NO_ID = "which is no id of square: those look like 4711"
SQUARE = """
channels:
  webchat: {}
  square: {type: tests.doubles.square.channel}
agents: {team: {}}
"""


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


def told(files: SettingsFiles, yaml: str, moved: MovedRooms | None = None) -> list[str]:
    settings = files.read(SQUARE + yaml)
    said = doubts(settings, moved or MovedRooms())
    return [one.replace(f"{files.home}/", "") for one in said]


def test_routes_that_are_right_are_not_spoken_of(files: SettingsFiles) -> None:
    assert (
        told(
            files,
            """
bindings:
  - {match: {channel: square, conversation: {kind: room, id: -1}}, agent: team}
  - {match: {channel: square, space: 5, roles: [1]}, agent: team}
  - {match: {channel: webchat, conversation: {kind: direct}}, agent: team}
targets: {standup: {channel: square, conversation: -1}}
sessions: {links: {ana: [square:1]}}
""",
        )
        == []
    )


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        (
            "bindings: [{match: {channel: webchat, space: T1}, agent: team}]",
            "config.yaml:6: bindings[0] can never match: there is no space on the page",
        ),
        (
            "bindings: [{match: {channel: webchat, account: work}, agent: team}]",
            "config.yaml:6: bindings[0] can never match: the page has one account, 'default'",
        ),
        (
            "bindings: [{match: {channel: webchat, conversation: {kind: room}}, agent: team}]",
            "config.yaml:6: bindings[0] can never match: the page has direct chats only",
        ),
        (
            "bindings: [{match: {channel: square, parent: general}, agent: team}]",
            f"config.yaml:6: bindings[0] asks for the parent 'general', {NO_ID}",
        ),
        (
            "targets:\n  standup: {channel: square, conversation: general}",
            f"config.yaml:7: targets.standup asks for the conversation 'general', {NO_ID}",
        ),
        (
            "sessions:\n  links:\n    ana: [square:ana]",
            f"config.yaml:8: sessions.links.ana asks for the sender 'ana', {NO_ID}",
        ),
    ],
)
def test_what_its_platform_does_not_have_is_said_with_its_line(
    files: SettingsFiles, yaml: str, said: str
) -> None:
    assert told(files, yaml) == [said]


def test_a_binding_of_a_room_that_has_moved_is_told_the_new_id(files: SettingsFiles) -> None:
    moved = MovedRooms([Move(channel="square", account="default", before="-1", now="-2")])
    yaml = "bindings: [{match: {channel: square, conversation: {id: -1}}, agent: team}]"

    assert told(files, yaml, moved) == [
        "config.yaml:6: bindings[0] names the room -1, which has the id -2 now; it goes on to hold"
    ]
    assert told(files, yaml.replace("-1", "-2"), moved) == []


def test_an_expectation_that_fails_is_a_finding_of_the_settings(files: SettingsFiles) -> None:
    settings = files.read(SQUARE + "expect: [{when: {channel: square, sender: 1}, agent: team}]")
    said = "expect[0] does not hold: it goes to main by default, not to team"

    assert [one.partition(": ")[2] for one in broken(settings.routing, MovedRooms())] == [said]
    assert with_doubts(settings, MovedRooms()).findings[-1].endswith(said)


def test_two_agents_in_one_workspace_are_told_of_it(files: SettingsFiles) -> None:
    settings = files.read("agents: {a: {workspace: x}, b: {workspace: x/y}, c: {workspace: ../x}}")

    assert [one.partition(": ")[2] for one in settings.findings] == [
        (
            "agents.b has a workspace in or around that of agents.a: what one of them writes, the"
            " other reads"
        )
    ]
