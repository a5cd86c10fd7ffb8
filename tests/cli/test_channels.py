"""`stonechat channels`: a token from standard input, checked live, kept, and shown nowhere."""

import asyncio
from pathlib import Path

import pytest

from bot.cli import Exit
from tests.doubles.bot_process import BotProcess
from tests.doubles.commands import Commands
from tests.doubles.fake_telegram import FakeTelegram


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


@pytest.mark.parametrize("beside_a_bot", [False, True])
async def test_a_telegram_token_is_checked_and_kept_and_its_bot_is_named(
    commands: Commands, beside_a_bot: bool
) -> None:
    async with FakeTelegram() as server:
        environ = {"TELEGRAM_API_URL": server.address}
        bot = BotProcess(commands.home, environ)
        if beside_a_bot:
            await bot.start()
        try:
            typed = f"{server.token}\n"
            said = await asyncio.to_thread(
                commands.say_with, typed, "channels", "add", "telegram", **environ
            )
            listed = await asyncio.to_thread(commands.say, "channels", "list", **environ)
        finally:
            if beside_a_bot:
                await bot.stop()

    assert said.code == Exit.DONE
    assert "✓ The token belongs to @example_bot." in said.out
    assert "later version" in said.out
    assert server.token not in said.out + said.err
    assert f"TELEGRAM_BOT_TOKEN={server.token}\n" in (commands.home / ".env").read_text()
    page, telegram = (line.split("\t") for line in listed.out.splitlines())
    assert page[:2] == ["webchat", "yes" if beside_a_bot else "no"]
    assert telegram[:2] == ["telegram", "no"]
    assert "@example_bot" in telegram[2]


@pytest.mark.parametrize(
    ("channel", "typed", "code", "wrong"),
    [
        ("telegram", "no-token-at-all\n", Exit.FAILED, "@BotFather"),
        ("discord", "x\n", Exit.USAGE, "telegram can"),
    ],
)
def test_what_cannot_be_added_is_one_sentence(
    commands: Commands, channel: str, typed: str, code: Exit, wrong: str
) -> None:
    said = commands.say_with(typed, "channels", "add", channel)

    assert said.code == code
    assert wrong in said.err
    assert said.err.count("\n") == 1
    assert not (commands.home / ".env").exists()
