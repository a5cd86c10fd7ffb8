"""``channels:`` the doors: each key names a folder of `channels/`, and owns what is below it."""

import re
from collections.abc import Mapping
from typing import Annotated, Final, cast

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from bot.contracts.secret import Secret
from bot.settings.secrets import read_secret_file
from bot.settings.section import refusal
from bot.settings.surroundings import Surroundings

NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_SECRET_KEY: Final = re.compile(r"(?:.*_)?(?:key|token|secret|password)s?")


def _name(value: object) -> object:
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    raise refusal(value, "a channel's name, such as webchat")


def _section(value: object, info: ValidationInfo) -> object:
    if value is not None and not isinstance(value, dict):
        found, expected = "no mapping", "the settings of the channel"
        raise PydanticCustomError("refused", "{found}", {"found": found, "expected": expected})
    return _with_secrets(value or {}, "", cast("Surroundings", info.context))


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


Channels = Mapping[
    Annotated[str, BeforeValidator(_name), WithJsonSchema({"pattern": f"^{NAME.pattern}$"})],
    Annotated[
        dict[str, object], BeforeValidator(_section), WithJsonSchema({"type": ["object", "null"]})
    ],
]
"""Each channel's own section as written, every scalar still text; the channel checks it."""
