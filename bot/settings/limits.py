"""``limits:`` how much may be used and spent, and how many turns run at once."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, WithJsonSchema

from bot.contracts.budget import Caps, Scope
from bot.settings.price import AMOUNT, dollars, number_or
from bot.settings.section import Section, refusal, whole
from bot.settings.shape import numerals

Count = Annotated[int, BeforeValidator(whole(1, 10_000))]

OFF: Final = "off"

_MOST_TOKENS: Final = 1_000_000_000_000


def _dollars(value: object) -> int | None:
    if value == OFF:
        return None
    return dollars(value, "an amount of US dollars such as 0.50, or off")


def _tokens(value: object) -> int | None:
    if value == OFF:
        return None
    try:
        return whole(0, _MOST_TOKENS)(value)
    except ValueError:
        expected = f"a whole number of tokens up to {_MOST_TOKENS}, or off"
        raise refusal(value, expected) from None


Dollars = Annotated[int | None, BeforeValidator(_dollars), WithJsonSchema(number_or(AMOUNT, OFF))]
"""US dollars as micro-dollars; ``off`` is None."""

Tokens = Annotated[
    int | None,
    BeforeValidator(_tokens),
    WithJsonSchema(number_or(numerals(0, _MOST_TOKENS), OFF)),
]
"""A number of tokens; ``off`` is None."""


class MoneyLimits(Section):
    """US dollars, for models whose price is known. Every limit may be `off`."""

    turn: Dollars = Field(default="0.50", validate_default=True)
    """What one message may cost, to its answer."""
    day: Dollars = Field(default="2.00", validate_default=True)
    """What a day may cost in all, from midnight to midnight by this machine's clock."""
    session: Dollars = Field(default=OFF, validate_default=True)
    """What one session may cost a day."""
    person: Dollars = Field(default="0.50", validate_default=True)
    """What each member or guest may cost a day; the owner and admins are held by the day alone."""
    others: Dollars = Field(default="1.00", validate_default=True)
    """What all members and guests together may cost a day, so that the owner has the rest."""
    agent: Dollars = Field(default=OFF, validate_default=True)
    """What one agent may cost a day."""
    background: Dollars = Field(default="0.50", validate_default=True)
    """What work that nobody waits for may cost a day."""


class TokenLimits(Section):
    """Tokens read and written, for models whose price is not known. Every limit may be `off`."""

    turn: Tokens = Field(default="500000", validate_default=True)
    """What one message may use, to its answer."""
    day: Tokens = Field(default="2000000", validate_default=True)
    """What a day may use in all."""
    session: Tokens = Field(default=OFF, validate_default=True)
    """What one session may use a day."""
    person: Tokens = Field(default="500000", validate_default=True)
    """What each member or guest may use a day."""
    others: Tokens = Field(default="1000000", validate_default=True)
    """What all members and guests together may use a day."""
    agent: Tokens = Field(default=OFF, validate_default=True)
    """What one agent may use a day."""
    background: Tokens = Field(default="500000", validate_default=True)
    """What work that nobody waits for may use a day."""


class LimitSettings(Section):
    """Caps. A turn that reaches one ends with a notice that says so."""

    model_calls: Count = 60
    """Model calls in one turn."""
    tool_calls: Count = 120
    """Tool calls in one turn."""
    turns_at_once: Count = 128
    """Turns that run at the same time; a session runs one at most."""
    background_at_once: Count = 32
    """How many of them may be work that nobody waits for; people's turns may take every place."""
    money: MoneyLimits = Field(default={}, validate_default=True)
    """What models may cost. Looked at before each model call; free models are not limited."""
    tokens: TokenLimits = Field(default={}, validate_default=True)
    """What models may use whose price is not known."""

    def caps(self) -> Caps:
        """Return the limits on spending; one that is off is not among them."""
        return Caps(money=_amounts(self.money), tokens=_amounts(self.tokens))


def _amounts(limits: MoneyLimits | TokenLimits) -> Mapping[Scope, int]:
    written = {scope: getattr(limits, scope) for scope in Scope}
    return {scope: amount for scope, amount in written.items() if amount is not None}
