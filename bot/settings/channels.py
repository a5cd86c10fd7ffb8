"""``channels:`` the doors: each key names a folder of `channels/`, and owns what is below it."""

import difflib
import re
from collections.abc import Mapping
from typing import Annotated, Final, cast

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from bot.contracts.secret import Secret
from bot.settings.access import DirectSettings, RoomsSettings
from bot.settings.secrets import read_secret_file
from bot.settings.section import Section, one_of, refusal
from bot.settings.shape import matching
from bot.settings.surroundings import Surroundings

NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_SECRET_KEY: Final = re.compile(r"(?:.*_)?(?:key|token|secret|password)s?")


_MODULE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


def _module(value: object) -> object:
    if isinstance(value, str) and _MODULE.fullmatch(value):
        return value
    raise refusal(value, "the name of a module, such as their.module")


Module = Annotated[str, BeforeValidator(_module), WithJsonSchema(matching(_MODULE.pattern))]
"""The dotted name of a Python module."""


def _name(value: object) -> object:
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    raise refusal(value, "a channel's name, such as webchat")


def _with_secrets(
    section: dict[str, object], above: str, surroundings: Surroundings
) -> dict[str, object]:
    """Read every ``{file: path}``, and remember what is secret, so that logs mask it."""
    filled: dict[str, object] = {}
    for key, value in section.items():
        match value:
            case {"file": str(written), **others} if not others:
                try:
                    filled[key] = read_secret_file(written, surroundings).reveal()
                except ValueError as error:
                    raise PydanticCustomError(
                        "refused",
                        "{key}",
                        {
                            "key": f"{above}{key}",
                            "found": f"the file {written!r}",
                            "expected": str(error),
                        },
                    ) from None
            case dict():
                filled[key] = _with_secrets(value, f"{above}{key}.", surroundings)
            case str() if _SECRET_KEY.fullmatch(key):
                filled[key] = Secret(value).reveal()
            case _:
                filled[key] = value
    return filled


class ChannelSection(Section):
    """What stands below a channel's name: what the bot reads of it, and what the channel does."""

    model_config = ConfigDict(extra="allow")

    type: Module | None = None
    """The module of another package that has the channel, such as `their.module`. Left out, it is
    one of the bot's own."""

    direct: DirectSettings = Field(default={}, validate_default=True)
    """Who may write to the bot in a direct chat."""
    rooms: RoomsSettings = Field(default={}, validate_default=True)
    """In which rooms and groups it listens, and to whom."""

    @model_validator(mode="before")
    @classmethod
    def _with_what_is_secret(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, dict):
            return value
        return _with_secrets(value, "", cast("Surroundings", info.context))

    @model_validator(mode="after")
    def _nothing_is_misspelt(self) -> "ChannelSection":
        """Refuse a key that is nearly one of ours: a rule that is not read guards nothing."""
        ours = ("direct", "rooms", "type")
        for key in self.model_extra or {}:
            if difflib.get_close_matches(key, ours, n=1, cutoff=0.75):
                raise PydanticCustomError(
                    "refused",
                    "{found}",
                    {
                        "key": key,
                        "found": "a key that does not exist",
                        "expected": one_of(ours, key),
                    },
                )
        return self

    @property
    def has_rules(self) -> bool:
        """Whether anything is said of who may speak there."""
        return bool({"direct", "rooms"} & self.model_fields_set)

    @property
    def own(self) -> dict[str, object]:
        """The channel's own settings as written, every scalar still text; the channel checks it."""
        return dict(self.model_extra or {})


Channels = Mapping[
    Annotated[str, BeforeValidator(_name), WithJsonSchema({"pattern": f"^{NAME.pattern}$"})],
    ChannelSection,
]
"""The channels by name."""
