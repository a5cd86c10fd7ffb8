"""The terminal says what a model gets in a place, by which rule, and what rules are mistaken."""

from pathlib import Path

import pytest

from bot.cli import Exit
from bot.cli.tools import mistaken_rules
from bot.sandbox import NoSandbox
from bot.settings import load_settings
from tests.doubles.commands import Commands

_NONE = NoSandbox(reason="no shell: none here")


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def test_each_tool_is_shown_with_the_rule_that_decided(commands: Commands) -> None:
    commands.configure(
        "tools: {shell: false, ranks: {member: {grant: [write_file]}},"
        " channels: {webchat: {deny: [read_file]}}}"
    )

    said = commands.say("tools", "--rank", "member", "--channel", "webchat")

    shown = [line.split("\t") for line in said.out.splitlines()]
    assert ["write_file", "yes", "tools.ranks.member.grant"] in shown
    assert ["read_file", "no", "tools.channels.webchat.deny"] in shown
    assert ["edit_file", "no", "what a member has"] in shown
    assert ["shell", "no", "`tools.shell` is off in the configuration"] in shown


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--agent", "mian"], "there is no agent 'mian'"),
        (["--channel", "slak"], "there is no channel 'slak'"),
        (["--conversation", "C1"], "name it with --channel"),
    ],
)
def test_a_place_that_is_not_there_is_said_to_be_none(
    commands: Commands, options: list[str], sentence: str
) -> None:
    commands.configure("tools: {shell: false}")

    said = commands.say("tools", *options)

    assert said.code == Exit.FAILED
    assert sentence in said.err


def test_rules_that_leave_nothing_are_shown_and_said(commands: Commands) -> None:
    commands.configure("tools: {shell: false, allow: [shell]}")

    said = commands.say("tools")

    assert said.code == Exit.CONFIG
    assert "leaves nothing" in said.err
    assert "tools.allow" in said.out


@pytest.mark.parametrize(
    ("rules", "setting"),
    [
        ("{deny: [shel]}", "tools.deny"),
        ("{allow: ['group:web']}", "tools.allow"),
        ("{channels: {webchat: {allow: ['group:web']}}}", "tools.channels.webchat.allow"),
    ],
)
def test_check_says_what_cannot_be_meant(tmp_path: Path, rules: str, setting: str) -> None:
    (tmp_path / "config.yaml").write_text(f"tools: {rules}\n")
    settings = load_settings(tmp_path, {"HOME": str(tmp_path)})

    (mistake,) = mistaken_rules(settings, _NONE)

    assert mistake.setting == setting
    assert mistake.where == str(tmp_path / "config.yaml")


def test_rules_that_are_meant_are_no_mistakes(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("tools: {deny: ['*']}\n")
    settings = load_settings(tmp_path, {"HOME": str(tmp_path)})

    assert list(mistaken_rules(settings, _NONE)) == []
