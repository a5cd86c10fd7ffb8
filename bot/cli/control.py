"""One request to the running bot, for commands that change what it knows."""

import aiohttp

from bot.cli.client import control
from bot.contracts.errors import BotError
from bot.settings import Settings
from bot.settings.terminal import command_name


class NoAnswer(BotError):
    """The person at the terminal must act: the bot does not run, or it refused."""


async def ask(settings: Settings, method: str, path: str, body: object) -> str:
    """Ask the bot of this state directory, and return the body of its answer.

    Raises:
        NoAnswer: it does not run, or refused; the sentence says why.
    """
    try:
        async with (
            control(settings.control_socket) as http,
            http.request(method, path, json=body) as response,
        ):
            text = await response.text()
            if response.status != 200:
                raise NoAnswer(text.rstrip("."))
            return text
    except aiohttp.ClientConnectorError:
        start = f"start it with `{command_name()} run`"
        raise NoAnswer(f"the bot does not run, and lets nobody in or out; {start}") from None
