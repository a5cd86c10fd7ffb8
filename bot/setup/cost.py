"""What a model costs: of what was used, and of a day that nobody has lived yet (pure)."""

from collections.abc import Iterable, Mapping
from typing import Final

from bot.contracts.turn import Usage
from bot.models.catalog import READ_ON, Known, known
from bot.net.api import is_loopback
from bot.settings import ModelSettings

MESSAGES: Final = 100
_CALLS: Final = 2
"""Model calls of one message: one that asks for a tool, one that answers."""
_READS: Final = 6_000
"""Tokens of one request: 2,500 for the prompt and the tools (10 KB), the rest for the history."""
_WRITES: Final = 400
"""Tokens of one answer."""

_MILLION: Final = 1_000_000


def of_a_day(model: Known) -> float:
    """Return the US dollars of a day with `MESSAGES` ordinary messages, at the list price."""
    calls = MESSAGES * _CALLS
    return calls * (_READS * model.input_usd + _WRITES * model.output_usd) / _MILLION


def note_of_a_day(usd: float | None, calls: int) -> str:
    """Say what the number is, and what it is not."""
    if usd is None:
        return (
            f"Its price is not known here; a message may make up to {calls} calls of it, and there"
            " is no cap on money yet, so set one with the provider."
        )
    return (
        f"A day of {MESSAGES} ordinary messages costs about ${usd:.2f} at the list price of"
        f" {READ_ON}; a message may make up to {calls} calls, and there is no cap on money yet,"
        " so set one with the provider."
    )


def of_usage(by_model: Mapping[str, Usage], models: Iterable[ModelSettings]) -> float | None:
    """Return the US dollars of what was used, without discounts; None if a price is not known.

    Models of one's own machine, and the demo, cost nothing.
    """
    prices = {each.model: _price(each) for each in models}
    total = 0.0
    for name, used in by_model.items():
        price = prices.get(name)
        if name not in prices:
            price = known("anthropic", name) or known("openai", name)
        if price is None:
            return None
        total += used.input_tokens * price.input_usd + used.output_tokens * price.output_usd
    return total / _MILLION


def is_free(model: ModelSettings) -> bool:
    """Whether nobody is paid for it: the demo, or a server of this machine."""
    on_this_machine = model.base_url is not None and is_loopback(model.base_url)
    unnamed = model.provider in {"demo", "ollama"} and model.base_url is None
    return unnamed or on_this_machine


def _price(model: ModelSettings) -> Known | None:
    if is_free(model):
        return Known(window=0, input_usd=0.0, output_usd=0.0)
    return known(model.provider, model.model, base_url=model.base_url)
