"""``store:`` where everything is remembered."""

from pathlib import PurePosixPath
from typing import Annotated, Final, cast

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from bot.settings.section import refusal
from bot.settings.shape import matching
from bot.settings.surroundings import Surroundings

_SQLITE: Final = "sqlite"
_PREFIX: Final = "sqlite:///"
_SHAPE: Final = r"sqlite:///(?!~[^/])(?:[^]*/)?(?!\.(?:/|$))[^/][^]*".replace("[^]", r"[^\u0000]")
"""A path with at least one part that is no single dot."""
_EXPECTED: Final = "`sqlite`, or sqlite:/// and the absolute path of a file on a local disk"


def _store(value: object, info: ValidationInfo) -> object:
    surroundings = cast("Surroundings", info.context)
    if value == _SQLITE:
        return f"sqlite://{surroundings.home / 'stonechat.db'}"
    if not isinstance(value, str) or not value.startswith(_PREFIX):
        raise refusal(value, _EXPECTED)
    written = value.removeprefix(_PREFIX)
    if not PurePosixPath(written).name:
        raise refusal(value, _EXPECTED)
    try:
        path = surroundings.absolute(written if written[0] == "~" else f"/{written.lstrip('/')}")
    except ValueError as error:
        raise refusal(value, f"sqlite:/// and {error}") from None
    return f"sqlite://{path}"


StoreUrl = Annotated[str, BeforeValidator(_store), WithJsonSchema(matching(_SHAPE, _SQLITE))]
"""The scheme names the backend's folder; of SQLite's, the path is made absolute."""
