"""What the settings panel and the terminal say and are told, as JSON."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Final, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from bot.contracts.errors import SetupRefused
from bot.contracts.secret import Secret
from bot.contracts.setup import (
    CheckedChannel,
    CheckedModel,
    KeyOffer,
    LocalServer,
    Overview,
    Reloaded,
)

_VISIBLE: Final = re.compile(r"[!-~]{1,1000}")
"""A key travels in a header, so it has no space and nothing but ASCII; none is near 1,000 long."""

_Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Wish = TypeVar("_Wish")
_Address = Annotated[str, Field(min_length=1, max_length=500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServers:
    """What ``GET /setup/local`` answers."""

    servers: tuple[LocalServer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyWish:
    """What ``POST /setup/key`` takes."""

    key: str = field(repr=False)
    provider: _Id | None = None
    model: _Name | None = None
    base_url: _Address | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWish:
    """What ``POST /setup/local`` takes."""

    address: _Address
    model: _Name


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelWish:
    """What ``POST /setup/channel`` takes."""

    channel: _Id
    token: str = field(repr=False)


Answer = Overview | CheckedModel | LocalServers | CheckedChannel | Reloaded


@cache
def _answer() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


@cache
def _key_wish() -> TypeAdapter[KeyWish]:
    return TypeAdapter(KeyWish)


@cache
def _local_wish() -> TypeAdapter[LocalWish]:
    return TypeAdapter(LocalWish)


@cache
def _channel_wish() -> TypeAdapter[ChannelWish]:
    return TypeAdapter(ChannelWish)


def encode(answer: Answer) -> str:
    """Write an answer as JSON, field by field as in `bot.contracts.setup` (pure)."""
    return _answer().dump_json(answer).decode()


def read_key(body: bytes) -> KeyOffer | None:
    """Read what ``POST /setup/key`` was sent, or None if it is no such thing (pure).

    Raises:
        SetupRefused: the key cannot be one.
    """
    wish = _read(body, _key_wish())
    if wish is None:
        return None
    return KeyOffer(
        key=_secret(wish.key, "An API key"),
        provider=wish.provider,
        model=wish.model,
        base_url=wish.base_url,
    )


def read_local(body: bytes) -> LocalWish | None:
    """Read what ``POST /setup/local`` was sent, or None if it is no such thing (pure)."""
    return _read(body, _local_wish())


def read_channel(body: bytes) -> tuple[str, Secret] | None:
    """Read a channel and its token, or None if ``POST /setup/channel`` was sent no such thing.

    Raises:
        SetupRefused: the token cannot be one.
    """
    wish = _read(body, _channel_wish())
    return None if wish is None else (wish.channel, _secret(wish.token, "A token"))


def _read(body: bytes, wish: TypeAdapter[_Wish]) -> _Wish | None:
    """Read strictly: nothing missing, nothing wrong, nothing more. No error repeats the input."""
    try:
        return wish.validate_json(body, strict=True, extra="forbid")
    except ValidationError:
        return None


def _secret(typed: str, what: str) -> Secret:
    """Make a secret of what was typed; what is none is not remembered as one."""
    typed = typed.strip()
    if not _VISIBLE.fullmatch(typed):
        found = "it has a space or another sign in it" if typed else "nothing was typed"
        raise SetupRefused(
            f"{what} is one word of letters, digits and signs; {found}. Copy it again, whole."
        )
    return Secret(typed)
