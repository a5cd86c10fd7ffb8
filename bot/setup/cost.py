"""What a model costs: a price, where it is known, and a day that nobody has lived yet (pure)."""

from typing import Final

from bot.contracts.budget import FREE, Caps, Price, Scope, Unit, dollars, written
from bot.models.catalog import READ_ON, known
from bot.net.api import is_loopback
from bot.settings import ModelSettings

MESSAGES: Final = 100
_CALLS: Final = 2
"""Model calls of one message: one that asks for a tool, one that answers."""
_READS: Final = 6_000
"""Tokens of one request: 2,500 for the prompt and the tools (10 KB), the rest for the history."""
_WRITES: Final = 400
"""Tokens of one answer."""


def of_a_day(price: Price) -> int:
    """Return the micro-dollars of a day with `MESSAGES` ordinary messages, at the list price."""
    return MESSAGES * _CALLS * price.cost(read=_READS, wrote=_WRITES)


def note_of_a_day(price: Price | None, calls: int, caps: Caps) -> str:
    """Say what a day costs, what that is not, and what limits it."""
    unit = Unit.TOKENS if price is None else Unit.MONEY
    most = caps.of(unit).get(Scope.DAY)
    limit = (
        f"no limit holds a day (`limits.{unit}.day` is off)"
        if most is None
        else f"a day stops at {written(most, unit)} (`limits.{unit}.day`)"
    )
    if price is None:
        return (
            "Its price is not known here (`models.<name>.price` in config.yaml tells it);"
            f" a message may make up to {calls} calls of it, and {limit}."
        )
    return (
        f"A day of {MESSAGES} ordinary messages costs about {dollars(of_a_day(price))} at the list"
        f" price of {READ_ON}; a message may make up to {calls} calls, and {limit}."
    )


def price_of(model: ModelSettings) -> Price | None:
    """Return what *model* costs: as written, nothing on one's own machine, else the list price."""
    if model.price is not None:
        return model.price
    if is_free(model):
        return FREE
    listed = known(model.provider, model.model, base_url=model.base_url)
    return listed.price if listed else None


def is_free(model: ModelSettings) -> bool:
    """Whether nobody is paid for it: the demo, or a server of this machine."""
    if model.price is not None:
        return model.price.is_free
    on_this_machine = model.base_url is not None and is_loopback(model.base_url)
    unnamed = model.provider in {"demo", "ollama"} and model.base_url is None
    return unnamed or on_this_machine
