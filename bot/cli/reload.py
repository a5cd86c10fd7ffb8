"""``stonechat reload``: the bot that runs reads its settings again, all of them or none."""

import asyncio
from pathlib import Path
from typing import Final

import typer

from bot.cli.client import control, is_answered
from bot.cli.remote_setup import RemoteSetup
from bot.contracts.errors import SetupRefused
from bot.contracts.setup import Reloaded
from bot.settings import home_folder
from bot.settings.terminal import command_name

_SOCKET: Final = "control.sock"


def reload() -> None:
    """Print what is in force now, and what only after a restart.

    Raises:
        SetupRefused: the file is broken, and nothing has changed; or no bot runs.
    """
    # The settings are not read here: a broken file is what the running bot is to tell of.
    typer.echo(asyncio.run(_reloaded(home_folder())).sentence)


async def _reloaded(home: Path) -> Reloaded:
    socket = home / _SOCKET
    if not await is_answered(socket):
        raise SetupRefused(
            f"No bot runs on {home}; `{command_name()} run` reads the settings when it starts,"
            f" and `{command_name()} check` says what is wrong with them."
        )
    async with control(socket) as http:
        return await RemoteSetup(http).reload()
