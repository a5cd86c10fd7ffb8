"""Where the others are: providers' APIs, model servers of this machine, platforms; and who waits.

Only Telegram's and Ollama's addresses can be changed, by the variables their own users know.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bot.settings.environment import Environment

TELEGRAM_TOKEN: Final = "TELEGRAM_BOT_TOKEN"  # noqa: S105 - the name of a variable
TELEGRAM_BOT: Final = "TELEGRAM_BOT_URL"
TELEGRAM_API: Final = "TELEGRAM_API_URL"
"""A Bot API server of one's own (https://github.com/tdlib/telegram-bot-api)."""
OLLAMA_HOST: Final = "OLLAMA_HOST"
_OLLAMA_PORT: Final = 11434


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where to ask. The ports are those that each server takes if nobody says otherwise."""

    anthropic: str = "https://api.anthropic.com"
    openai: str = "https://api.openai.com/v1"
    ollama: str = "http://127.0.0.1:11434"
    lmstudio: str = "http://127.0.0.1:1234"
    llamacpp: str = "http://127.0.0.1:8080"
    telegram: str = "https://api.telegram.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A platform's token that is there while its channel is not among `channels:`."""

    channel: str
    identity: str
    """Who the platform said it belongs to, such as ``@example_bot``; empty if nobody asked."""


def addresses(environment: Environment) -> Addresses:
    """Return where to ask, as the environment has it (pure)."""
    plain = Addresses()
    telegram = environment.get(TELEGRAM_API)
    ollama = environment.get(OLLAMA_HOST)
    return Addresses(
        telegram=telegram.value.strip().rstrip("/") if telegram else plain.telegram,
        ollama=ollama_address(ollama.value) if ollama else plain.ollama,
    )


def stored_tokens(environment: Environment) -> tuple[StoredToken, ...]:
    """Return the tokens that wait for their channel (pure)."""
    if environment.get(TELEGRAM_TOKEN) is None:
        return ()
    page = environment.get(TELEGRAM_BOT)
    name = page.value.rstrip("/").rpartition("/")[2] if page else ""
    return (StoredToken(channel="telegram", identity=f"@{name}" if name else ""),)


def ollama_address(written: str) -> str:
    """Read ``OLLAMA_HOST`` as Ollama's own command does (pure).

    It may be a host, a host and a port, or a URL. What a server listens on everywhere is
    reached on this machine.
    """
    text = written.strip().strip("\"'")
    url = urlsplit(text if "://" in text else f"http://{text}")
    try:
        host, port = url.hostname or "127.0.0.1", url.port
    except ValueError:
        return Addresses().ollama
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - what it is compared with
        host = "127.0.0.1"
    if port is None:
        port = (
            {"http": 80, "https": 443}.get(url.scheme, _OLLAMA_PORT)
            if "://" in text
            else _OLLAMA_PORT
        )
    name = f"[{host}]" if ":" in host else host
    scheme = url.scheme if url.scheme in {"http", "https"} else "http"
    return f"{scheme}://{name}:{port}{url.path.rstrip('/')}"
