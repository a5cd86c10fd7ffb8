"""``channels:`` the doors: each key names a folder of `channels/`, and owns what is below it."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from bot.contracts.secret import Secret
from bot.settings.secrets import read_secret_file
from bot.settings.section import refusal
from bot.settings.surroundings import Surroundings

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_SECRET_KEY: Final = re.compile(r"(?:.*_)?(?:key|token|secret|password)s?")


def _channels(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, dict):
        raise refusal(value, "a mapping from a channel's name to its settings")
    surroundings = info.context
    if not isinstance(surroundings, Surroundings):
        raise TypeError("channels are read with their surroundings")
    sections: dict[str, dict[str, object]] = {}
    for name, section in value.items():
        if not _NAME.fullmatch(name):
            raise refusal(name, "a channel's name, such as webchat")
        if section is not None and not isinstance(section, dict):
            raise PydanticCustomError(
                "wrong_channel",
                "{key}",
                {"key": name, "found": "no mapping", "expected": "the settings of the channel"},
            )
        sections[name] = _with_secrets(section or {}, name, surroundings)
    return sections


def _with_secrets(
    section: dict[str, object], path: str, surroundings: Surroundings
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
                        "wrong_channel",
                        "{key}",
                        {
                            "key": f"{path}.{key}",
                            "found": f"the file {written!r}",
                            "expected": str(error),
                        },
                    ) from None
            case dict():
                filled[key] = _with_secrets(value, f"{path}.{key}", surroundings)
            case str() if _SECRET_KEY.fullmatch(key):
                filled[key] = Secret(value).reveal()
            case _:
                filled[key] = value
    return filled


Channels = Annotated[Mapping[str, dict[str, object]], BeforeValidator(_channels)]
"""Each channel's own section as written, every scalar still text; the channel checks it."""
