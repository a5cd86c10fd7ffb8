"""What models cost, and how much of it may be spent: exact, in whole micro-dollars.

A micro-dollar is a millionth of a US dollar, so that dollars for a million tokens are
micro-dollars for one. Nothing here is ever a float.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

MICRO: Final = 1_000_000
"""Micro-dollars of a dollar; and the tokens that a price is for."""

_DIGITS: Final = 6
"""Behind the point of an amount in dollars."""

WARN_PERCENT: Final = 80
"""From this share of a limit on, who is concerned is warned once (B12)."""


class Unit(StrEnum):
    """What a limit counts."""

    MONEY = "money"
    """Micro-dollars, where a model's price is known."""
    TOKENS = "tokens"
    """Tokens read and written, where it is not."""


class Scope(StrEnum):
    """Whose spending a limit holds. All but TURN begin anew at midnight, in the operator's zone."""

    TURN = "turn"
    """One message, to its answer."""
    SESSION = "session"
    PERSON = "person"
    """Each member and guest; owner and admins are held by the day alone."""
    OTHERS = "others"
    """All members and guests together."""
    AGENT = "agent"
    BACKGROUND = "background"
    """Work that nobody waits for."""
    DAY = "day"
    """Everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in micro-dollars for a million tokens of each kind."""

    input: int
    output: int
    cached_input: int
    """Of input that the provider had kept from an earlier request."""
    cache_write: int
    """Of input that the provider keeps for the next one."""
    long_beyond: int | None = None
    """A request that reads more tokens than this costs more, all of it."""
    long_input_percent: int = 100
    long_output_percent: int = 100

    @property
    def is_free(self) -> bool:
        """Whether nobody is paid for it."""
        return not (self.input or self.output or self.cached_input or self.cache_write)

    def cost(self, *, read: int, wrote: int, cached: int = 0, kept: int = 0) -> int:
        """Return the micro-dollars of one call, rounded up (pure).

        *read* counts all input: of it *cached* was known to the provider, and *kept* is
        remembered by it from now on.
        """
        long = self.long_beyond is not None and read > self.long_beyond
        plain = max(read - cached - kept, 0)
        read_cost = plain * self.input + cached * self.cached_input + kept * self.cache_write
        total = read_cost * (self.long_input_percent if long else 100)
        total += wrote * self.output * (self.long_output_percent if long else 100)
        return -(-total // (100 * MICRO))


FREE: Final = Price(input=0, output=0, cached_input=0, cache_write=0)
"""The price of the demo, and of a model on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What something costs: money where a price is known, tokens where none is."""

    micro_usd: int = 0
    unpriced_tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        """Both together."""
        return Cost(
            micro_usd=self.micro_usd + other.micro_usd,
            unpriced_tokens=self.unpriced_tokens + other.unpriced_tokens,
        )

    def __sub__(self, other: "Cost") -> "Cost":
        """What is left without *other*."""
        return Cost(
            micro_usd=self.micro_usd - other.micro_usd,
            unpriced_tokens=self.unpriced_tokens - other.unpriced_tokens,
        )

    def __bool__(self) -> bool:
        """Whether it is anything at all."""
        return bool(self.micro_usd or self.unpriced_tokens)

    def of(self, unit: Unit) -> int:
        """Return the part that is counted in *unit*."""
        return self.micro_usd if unit is Unit.MONEY else self.unpriced_tokens


NOTHING: Final = Cost()

Amounts = Mapping[Scope, int]
"""A limit for each scope that has one, in micro-dollars or in tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """All limits on spending. A scope that is not named has none."""

    money: Amounts = field(default_factory=dict)
    tokens: Amounts = field(default_factory=dict)

    def of(self, unit: Unit) -> Amounts:
        """Return the limits that are counted in *unit*."""
        return self.money if unit is Unit.MONEY else self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitMet:
    """A limit that spending has come near to, or that the next call would go beyond."""

    scope: Scope
    unit: Unit
    limit: int
    spent: int
    name: str = ""
    """Whose it is, where there are several: a person, an agent, a session."""
    until: datetime | None = None
    """When it begins anew; None for a turn's, which ends with its turn."""

    @property
    def setting(self) -> str:
        """Its key in the settings."""
        return f"limits.{self.unit}.{self.scope}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the owner gave beyond a limit: for one day, or for one turn."""

    scope: Scope
    unit: Unit
    amount: int
    name: str = ""
    """Whose limit: a turn's id, a person, an agent, a session; empty where there is only one."""


def micro_of(usd: str) -> int:
    """Read an amount of dollars, such as ``0.50`` (pure).

    Raises:
        ValueError: it is none, or finer than a micro-dollar.
    """
    whole, _, part = usd.partition(".")
    if not whole.isdecimal() or not usd.isascii() or len(part) > _DIGITS or usd.endswith("."):
        raise ValueError(usd)
    if part and not part.isdecimal():
        raise ValueError(usd)
    return int(whole) * MICRO + int(part.ljust(_DIGITS, "0"))


def dollars(micro_usd: int) -> str:
    """Write an amount as dollars and cents, to a hundredth of a cent below a cent (pure)."""
    cents, rest = divmod(micro_usd, MICRO // 100)
    if micro_usd and not cents:
        return f"$0.00{rest // 100:02}" if rest >= 100 else "less than $0.0001"
    cents += rest >= MICRO // 200
    return f"${cents // 100:,}.{cents % 100:02}"


def written(amount: int, unit: Unit) -> str:
    """Write an amount for a person (pure)."""
    return dollars(amount) if unit is Unit.MONEY else f"{amount:,} tokens"
