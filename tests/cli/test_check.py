"""`stonechat check` says what would run, or all that is wrong, and touches nothing."""

from pathlib import Path

import pytest

from bot.cli import Exit
from tests.doubles.commands import Commands


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def test_on_a_fresh_machine_it_tells_what_a_start_would_bring_and_makes_nothing(
    commands: Commands,
) -> None:
    said = commands.say("check")

    assert said.code == Exit.DONE
    assert "demo (no language model;" in said.out
    assert f"{commands.home}/workspace" in said.out
    assert "http://127.0.0.1:7870" in said.out
    assert list(commands.folder.iterdir()) == []


def test_the_model_and_where_its_key_comes_from_are_named_and_the_key_is_not(
    commands: Commands,
) -> None:
    commands.configure("http: {port: 4711}\n")
    (commands.home / ".env").write_text("OPENAI_API_KEY=sk-canary-1\n")
    (commands.home / ".env").chmod(0o644)

    said = commands.say("check")

    assert f"gpt-5.5 (key from OPENAI_API_KEY in {commands.home}/.env)" in said.out
    assert "! " in said.out
    assert "chmod 600" in said.out
    assert "canary" not in said.out + said.err


def test_every_mistake_has_its_line(commands: Commands) -> None:
    commands.configure("http: {port: x}\nlimits: {model_calls: 0}\nstoer: y\n")

    said = commands.say("check")

    assert said.code == Exit.CONFIG
    assert said.err.count("✗") == said.err.count("\n") == 3
    assert "did you mean 'store'?" in said.err


@pytest.mark.parametrize(
    ("yaml", "sentence"),
    [
        ("models: {x: {provider: opneai, model: m}}", "models.x.provider: found 'opneai'"),
        ("channels: {webchta: {}}", "channels.webchta"),
        ("channels: {webchat: {prot: 1}}", "channels.webchat.prot"),
        ("\thttp:", "a tab"),
        ("http: {port: 1", "cut short"),
        ("", "remove the file to get the defaults back"),
    ],
)
def test_what_only_a_start_would_find_is_found_too(
    commands: Commands, yaml: str, sentence: str
) -> None:
    commands.configure(yaml)

    said = commands.say("check")

    assert said.code == Exit.CONFIG
    assert sentence in said.err
    assert said.out == ""


def test_a_fault_plan_that_cannot_be_read_is_found(commands: Commands) -> None:
    said = commands.say("check", STONECHAT_FAULT="ob.nte=kill")

    assert said.code == Exit.CONFIG
    assert "did you mean 'ob.net'?" in said.err


def test_the_last_good_settings_do_not_hide_a_mistake(commands: Commands) -> None:
    commands.configure("http: {port: x}")
    (commands.home / "config.last-good.yaml").write_text("http: {port: 1}")

    assert commands.say("check").code == Exit.CONFIG


@pytest.mark.parametrize("command", [["check"], ["sessions"], ["turns"], ["outbox", "--all"]])
def test_commands_that_read_leave_every_byte_as_it_was(
    commands: Commands, command: list[str]
) -> None:
    commands.configure("http: {port: 4711}  # by hand\n")

    commands.say(*command)

    assert (commands.home / "config.yaml").read_text() == "http: {port: 4711}  # by hand\n"
    assert [entry.name for entry in commands.home.iterdir()] == ["config.yaml"]
