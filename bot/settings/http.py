"""``http:`` where the bot's own server listens."""

import ipaddress
from typing import Annotated, Final

from pydantic import BeforeValidator, WithJsonSchema

from bot.settings.section import Section, refusal, whole
from bot.settings.shape import matching, numerals

_LOOPBACK: Final = rf"localhost|127(?:\.(?:{numerals(0, 255)})){{3}}|::1"
"""The loopback addresses as people write them."""


def _loopback(value: object) -> object:
    """Let only this machine in: a page beyond it needs a login that is not built yet."""
    expected = "a loopback address such as 127.0.0.1; reach it from elsewhere through `ssh -L`"
    if not isinstance(value, str):
        raise refusal(value, expected)
    if value == "localhost":
        return value
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        raise refusal(value, expected) from None
    if not address.is_loopback:
        raise refusal(value, expected)
    return value


class HttpSettings(Section):
    """The address of the page."""

    host: Annotated[str, BeforeValidator(_loopback), WithJsonSchema(matching(_LOOPBACK))] = (
        "127.0.0.1"
    )
    """A loopback address. Other machines come in through `ssh -L`."""
    port: Annotated[int, BeforeValidator(whole(0, 65535))] = 7870
    """The TCP port; 0 takes any free one."""
