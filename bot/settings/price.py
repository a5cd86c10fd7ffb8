"""Amounts of money, as they are written: US dollars, kept as whole micro-dollars."""

import re
from typing import Annotated, Final

from pydantic import BeforeValidator, WithJsonSchema

from bot.contracts.budget import micro_of
from bot.settings.section import refusal
from bot.settings.shape import Shape, matching

AMOUNT: Final = r"(?:0|[1-9][0-9]{0,6})(?:\.[0-9]{1,6})?"
"""Dollars below ten millions, to the micro-dollar; no sign, no exponent."""


def dollars(value: object, expected: str) -> int:
    """Read an amount (pure).

    Raises:
        PydanticCustomError: it is none.
    """
    if isinstance(value, str) and re.fullmatch(AMOUNT, value):
        return micro_of(value)
    raise refusal(value, expected)


def number_or(pattern: str, *suggested: str) -> Shape:
    """Describe what *pattern* says, which an editor may take for a number (pure)."""
    return {"anyOf": [{"type": "number", "minimum": 0}, *matching(pattern, *suggested)["anyOf"]]}


def _part(value: object) -> int:
    return dollars(value, "US dollars for a million tokens, such as 2.50")


PricePart = Annotated[int, BeforeValidator(_part), WithJsonSchema(number_or(AMOUNT))]
"""US dollars for a million tokens, as micro-dollars."""
