"""``stonechat open``: a fresh link to the page of the bot that runs."""

import asyncio

import aiohttp
import typer

from bot.cli import Exit
from bot.cli.client import control
from bot.cli.start import prepare
from bot.contracts.errors import BotError
from bot.settings import Settings
from bot.settings.terminal import command_name


class NoPage(BotError):
    """The person at the terminal must act: there is no page to open."""


def open_page(*, debug: bool) -> Exit:
    """Print a link that opens the page, once, within ten minutes.

    Raises:
        NoPage: the bot does not run, or runs without its page.
    """
    typer.echo(asyncio.run(_link(prepare(debug=debug, quiet=True))))
    return Exit.DONE


async def _link(settings: Settings) -> str:
    try:
        async with control(settings.control_socket) as http, http.post("/open") as response:
            if response.status != 200:
                raise NoPage(await response.text())
            return str((await response.json())["link"])
    except aiohttp.ClientConnectorError:
        raise NoPage(f"the bot does not run; start it with `{command_name()} run`") from None
