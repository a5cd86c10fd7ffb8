"""``store:`` where everything is remembered."""

from typing import Annotated, Final, cast

from pydantic import BeforeValidator, ValidationInfo

from bot.settings.section import refusal
from bot.settings.surroundings import Surroundings

_SQLITE: Final = "sqlite:///"


def _store(value: object, info: ValidationInfo) -> object:
    expected = "sqlite:/// and the path of a file on a local disk"
    if not isinstance(value, str) or not value.startswith(_SQLITE) or value == _SQLITE:
        raise refusal(value, expected)
    surroundings = cast("Surroundings", info.context)
    try:
        return f"{_SQLITE}{surroundings.absolute(value.removeprefix(_SQLITE))}"
    except ValueError as error:
        raise refusal(value, f"sqlite:/// and {error}") from None


StoreUrl = Annotated[str, BeforeValidator(_store)]
"""The scheme names the backend's folder; of SQLite's, the path is made absolute."""
