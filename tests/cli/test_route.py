"""`stonechat route` says where a message would go, and why nobody else gets it."""

import json
from pathlib import Path

import pytest

from bot.cli import Exit
from tests.doubles.commands import Commands

ROUTES = """
agents: {team: {}, ops: {}}
channels:
  webchat: {}
  square: {type: tests.doubles.square.channel, url: "http://127.0.0.1:1", token: t}
bindings:
  - {match: {channel: square, space: 5}, agent: team}
  - {match: {channel: square, conversation: {id: -9007199254740993}}, agent: ops}
  - {match: {channel: square, space: 5, roles: [8]}, agent: ops}
sessions: {links: {ana: [square:7]}}
targets:
  standup: {channel: square, conversation: -9007199254740993, thread: 3}
expect:
  - {when: {channel: square, space: 5, conversation: {id: -1}}, agent: team}
"""


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    commands = Commands(tmp_path)
    commands.configure(ROUTES)
    return commands


def test_the_winner_and_every_loser_are_named_with_the_reason(commands: Commands) -> None:
    said = commands.say(
        "route",
        *("--channel", "square", "--space", "5", "--conversation", "-9007199254740993"),
        *("--sender", "7"),
    )

    assert said.code == Exit.DONE
    assert said.out.splitlines() == [
        "agent      ops",
        "session    agent:ops:square:default:room:-9007199254740993",
        f"by         bindings[1] (conversation) at {commands.home}/config.yaml:8",
        "rank       member",
        "lost       bindings[0] -> team: a space counts less than the conversation of bindings[1]",
        "no         bindings[2] -> ops: there is no role, and it asks for 8",
    ]


def test_as_json_it_is_the_same(commands: Commands) -> None:
    said = commands.say("route", "--channel", "square", "--sender", "7", "--json")
    told = json.loads(said.out)

    assert (told["agent"], told["matched_by"]) == ("main", "default")
    assert told["session"] == "agent:main:person:ana"
    assert [other["matches"] for other in told["others"]] == [False, False, False]


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (["--sender", "9"], "agent:main:square:default:direct:9"),
        (["--sender", "9", "--rank", "owner"], "agent:main:main"),
        (["--sender", "9", "--account", "shop"], "agent:main:square:shop:direct:9"),
        (["--conversation", "-1", "--thread", "2"], "agent:main:square:default:room:-1:thread:2"),
        (["--conversation", "4", "--kind", "direct"], "agent:main:square:default:direct:4"),
        (["--conversation", "-1", "--kind", "group"], "agent:main:square:default:room:-1"),
        (["--conversation", "-1", "--parent", "-9007199254740993"], "agent:ops:square:default:"),
        (["--space", "5", "--sender", "9", "--roles", "7, 8"], "agent:ops:square:default:room:9"),
    ],
)
def test_what_is_asked_is_what_is_told(commands: Commands, options: list[str], key: str) -> None:
    said = commands.say("route", "--channel", "square", *options)

    assert said.out.splitlines()[1].startswith(f"session    {key}")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--channel", "slack", "--sender", "1"], "--channel: found 'slack', expected one of"),
        (["--channel", "square"], "name a --conversation, a --sender, or both"),
        (["--channel", "square", "--sender", "1", "--rank", "boss"], "--rank: found 'boss'"),
        (["--channel", "square", "--sender", "1", "--kind", "huge"], "--kind: found 'huge'"),
        (["--sender", "1"], "--channel"),
    ],
)
def test_a_question_that_cannot_be_answered_says_what_is_missing(
    commands: Commands, options: list[str], sentence: str
) -> None:
    said = commands.say("route", *options)

    assert said.code != Exit.DONE
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_targets_are_listed_by_their_names(commands: Commands) -> None:
    said = commands.say("targets")

    assert "standup" in said.out
    assert "square:default:-9007199254740993:3" in said.out


def test_check_refuses_routes_that_do_not_go_where_they_are_expected_to(
    commands: Commands,
) -> None:
    assert commands.say("check").code == Exit.DONE

    commands.configure(ROUTES.replace("agent: team}\n", "agent: ops}\n"))
    said = commands.say("check")

    assert said.code == Exit.DONE  # both went elsewhere together

    commands.configure(ROUTES.replace("space: 5}, agent: team", "space: 6}, agent: team"))
    said = commands.say("check")

    assert said.code == Exit.CONFIG
    assert ":14: expect[0] does not hold: it goes to main by default, not to team" in said.err


def test_asking_touches_nothing(commands: Commands) -> None:
    commands.say("route", "--channel", "square", "--sender", "7")
    commands.say("targets")

    assert [entry.name for entry in commands.home.iterdir()] == ["config.yaml"]
