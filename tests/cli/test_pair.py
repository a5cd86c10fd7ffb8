"""``stonechat pair`` and ``owner``, with a running bot and without one."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from tests.doubles.bot_process import ROOT
from tests.doubles.commands import Commands
from tests.doubles.square.house import House, a_house

pytestmark = pytest.mark.timeout(240)


async def typed(house: House, *arguments: str) -> tuple[int, str, str]:
    """Type a command beside the bot of *house*."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": "/", "STONECHAT_HOME": str(house.bot.home)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_a_request_is_listed_approved_revoked_and_each_mistake_is_one_sentence(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        eve = square.person('Eve "the owner"')
        who = f"square:{eve.id}"
        square.say(eve, square.direct(eve), "let me in")
        [sentence] = await square.shown(square.direct(eve))
        code = sentence.partition("code is ")[2][:8]

        _, waiting, _ = await typed(house, "pair", "list")
        wrong = await typed(house, "pair", "approve", "22222222")
        owner = await typed(house, "pair", "approve", code, "--rank", "owner")
        approved = await typed(house, "pair", "approve", code.lower(), "--rank", "member")
        _, people, _ = await typed(house, "pair", "list")
        revoked = await typed(house, "pair", "revoke", who)

    assert who in waiting
    assert code not in waiting
    assert wrong[0] == 1
    assert "no request has this code" in wrong[2]
    assert owner[0] == 1
    assert "a rank is one of guest, member, admin, and not 'owner'" in owner[2]
    assert approved[0] == 0
    assert f"{who}, who calls themself" in approved[1]
    assert "let in" in people
    assert "member" in people
    assert revoked[0] == 0


async def test_an_owner_is_added_by_id_and_never_by_name(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        name = await typed(house, "owner", "add", "square:@ana")
        nowhere = await typed(house, "owner", "add", "telegram:4711")
        added = await typed(house, "owner", "add", "square:-9007199254740993")
        _, owners, _ = await typed(house, "owner", "list")
        removed = await typed(house, "owner", "remove", "square:-9007199254740993")
        _, nobody, _ = await typed(house, "owner", "list")

    assert removed[0] == 0
    assert "9007199254740993" not in nobody
    assert "'@ana' is no id of square, such as 4711" in name[2]
    assert "there is no channel 'telegram' here; there is square" in nowhere[2]
    assert added[0] == 0
    assert "square:-9007199254740993" in owners


def test_without_a_running_bot_one_sentence_says_so(tmp_path: Path) -> None:
    commands = Commands(tmp_path)

    said = commands.say("pair", "list")

    assert said.code == 1
    assert said.err.count("\n") == 1
    assert "the bot does not run" in said.err


def test_check_says_what_is_open_what_is_empty_and_what_is_a_name(tmp_path: Path) -> None:
    commands = Commands(tmp_path)
    section = {
        "type": "tests.doubles.square.channel",
        "url": "http://127.0.0.1:9",
        "token": "t",
        "direct": {"policy": "open", "allow": ["ana"]},
    }
    commands.configure(json.dumps({"channels": {"square": section}}))

    said = commands.say("check", PYTHONPATH=str(ROOT))

    assert said.code == 0, said.err
    assert "! ANYBODY on square may talk to the bot" in said.out
    assert "! no room of square is listed" in said.out
    assert "'ana' does not look like an id of the platform" in said.out


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("square: {type: no.such.module}", "which cannot be imported (ModuleNotFoundError:"),
        ("square: {type: json}", "channels.square.type: found 'json', which has no CHANNEL"),
        (
            "circle: {type: tests.doubles.square.channel, url: x, token: t}",
            "under another name than its own, expected `square:`",
        ),
        ("webchat: {direct: {policy: open}}", "channels.webchat: found rules of access"),
        ("square: {type: tests.doubles.square.channel, derect: {policy: open}}", "direct"),
        ("square: {type: tests.doubles.square.channel, direct: {policy: opne}}", "'opne'"),
    ],
)
def test_a_channel_that_cannot_be_had_is_one_sentence_and_starts_nothing(
    tmp_path: Path, written: str, sentence: str
) -> None:
    commands = Commands(tmp_path)
    commands.configure(f"channels:\n  {written}\n")

    checked = commands.say("check", PYTHONPATH=str(ROOT))
    started = commands.say("run", "--port", "0", PYTHONPATH=str(ROOT))

    assert sentence in checked.err
    assert checked.code == started.code == 78
    assert "Traceback" not in started.err
