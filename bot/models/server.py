"""Where a model's server is, in words that are safe to show."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from bot.contracts.address import is_this_machine
from bot.contracts.errors import ConfigError
from bot.contracts.model import ModelParts

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
"""Characters that no header may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A provider's API at one address, as far as a sentence about it needs to know."""

    provider: str
    """As a person writes it: ``OpenAI``."""
    model: str
    base_url: str
    keyed: bool
    is_own: bool = False
    """It is the provider's own server, which runs whatever becomes of this machine."""

    def __str__(self) -> str:
        """Name it by provider and address, without the user, password or query of the address."""
        url = urlsplit(self.base_url)
        host = url.netloc.rpartition("@")[2]
        return f"{self.provider} at {url.scheme}://{host}{url.path.rstrip('/')}"

    @property
    def host(self) -> str:
        """The host's name or number, lower case."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_loopback(self) -> bool:
        """Whether it runs on this machine, where no proxy belongs in between."""
        return is_this_machine(self.host)


def server_of(provider: str, parts: ModelParts, *, default: str) -> Server:
    """Return the server that *parts* name, or the provider's own at *default* (pure).

    Raises:
        ConfigError: the address or the key is none, or the model has no name.
    """
    if not parts.model.strip():
        raise ConfigError("model", "no name", f"the name of a model of {provider}")
    if parts.key and _CONTROL.search(parts.key.reveal()):
        raise ConfigError("key", "one with a line break or the like in it", "the key on one line")
    base_url = (parts.base_url or default).strip()
    url = _split(base_url)
    if url is None or url.scheme not in {"http", "https"} or not url.hostname:
        raise ConfigError(
            "base_url",
            repr(base_url.rpartition("@")[2]),
            "an address such as http://127.0.0.1:11434/v1",
        )
    return Server(
        provider=provider,
        model=parts.model,
        base_url=base_url,
        keyed=parts.key is not None,
        is_own=url.hostname == urlsplit(default).hostname and not is_this_machine(url.hostname),
    )


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for a port that is no number
    except ValueError:
        return None
    return parts
