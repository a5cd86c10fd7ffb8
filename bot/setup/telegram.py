"""A Telegram bot's token: its shape, and whose it is by the Bot API's own word."""

import re
from typing import Final
from urllib.parse import urlsplit

from bot.contracts.errors import SetupRefused
from bot.contracts.secret import Secret
from bot.net.api import Unanswered, ask

_TOKEN: Final = re.compile(r"[0-9]{5,16}:[A-Za-z0-9_-]{30,64}")
"""A bot's id and its secret: https://core.telegram.org/bots/api#authorizing-your-bot."""
_USERNAME: Final = re.compile(r"[A-Za-z0-9_]{3,64}")


async def username_of(token: Secret, api: str) -> str:
    """Ask the Bot API at *api* whose token it is; return the bot's username without ``@``.

    Raises:
        SetupRefused: it is nobody's, or nobody can be asked.
    """
    if not _TOKEN.fullmatch(token.reveal()):
        raise SetupRefused(
            "This is no bot token; it looks like 123456789:AAF…, and @BotFather in Telegram gives"
            " you one (/newbot) or shows it again (/token)."
        )
    host = urlsplit(api).netloc
    try:
        answer = await ask(f"{api}/bot{token.reveal()}/getMe")
    except Unanswered as error:
        raise SetupRefused(f"Cannot reach {host}: {error}; check the network.") from None
    match answer.status:
        case 200:
            pass
        case 401 | 404:
            raise SetupRefused(
                f"{host} does not know this token ({answer.status}); copy it again from @BotFather,"
                " who may have made a new one since (/token)."
            )
        case 429:
            raise SetupRefused(f"{host} asks to wait (429); try again in a minute.")
        case status:
            raise SetupRefused(f"{host} answered with {status}; try again later.")
    bot = answer.fields.get("result")
    name = bot.get("username") if isinstance(bot, dict) and bot.get("is_bot") is True else None
    if answer.fields.get("ok") is not True or not isinstance(name, str):
        raise SetupRefused(f"{host} answered, but not as the Bot API does; check the address.")
    if not _USERNAME.fullmatch(name):
        raise SetupRefused(f"{host} named a bot that cannot be one; check the address.")
    return name
