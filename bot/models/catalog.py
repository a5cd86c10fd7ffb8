"""What is known of models without asking anybody: windows, and list prices per million tokens.

Read on 2026-11-30. Anthropic: https://platform.claude.com/docs/en/models and each model's own
page there. OpenAI: https://developers.openai.com/api/docs/models and
https://developers.openai.com/api/docs/pricing. Prices are those of an ordinary request: no
batch, no priority, and no discount for what was in the cache, so that they are rather too high.
Where a long prompt costs more (beyond 272,000 tokens with OpenAI, 100,000 with Claude Haiku
5.5), it does so here. What is not listed is not known, and no price is ever guessed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.contracts.budget import Price, micro_of

READ_ON: Final = "2026-11-30"

_DATED: Final = re.compile(r"-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$")
"""A snapshot's date at the end of a name: Anthropic's, or OpenAI's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One model."""

    window: int
    """Tokens of its context window."""
    price: Price


_WRITE_PERCENT: Final = 125
"""Anthropic takes a quarter more for input that it keeps for five minutes, as it is asked to."""

_ONE_PRICE: Final = 0
"""In the place of a tier: the price of a long prompt is that of a short one."""


def _anthropic(
    window: int, input_usd: str, output_usd: str, beyond: int = _ONE_PRICE, percent: int = 100
) -> Known:
    """What was in the cache counts as read anew: its discount differs, and is not listed."""
    read, wrote = micro_of(input_usd), micro_of(output_usd)
    price = Price(
        input=read,
        output=wrote,
        cached_input=read,
        cache_write=read * _WRITE_PERCENT // 100,
        long_beyond=beyond or None,
        long_input_percent=percent,
        long_output_percent=percent,
    )
    return Known(window=window, price=price)


def _openai(window: int, input_usd: str, output_usd: str) -> Known:
    """A prompt beyond 272,000 tokens costs twice as much to read, and half more to answer."""
    read, wrote = micro_of(input_usd), micro_of(output_usd)
    price = Price(
        input=read,
        output=wrote,
        cached_input=read,
        cache_write=read,
        long_beyond=_OPENAI_LONG,
        long_input_percent=200,
        long_output_percent=150,
    )
    return Known(window=window, price=price)


_OPENAI_LONG: Final = 272_000

_ANTHROPIC: Final = {
    "claude-fable-5-2": _anthropic(1_000_000, "8.0", "40.0"),
    "claude-fable-5-1": _anthropic(1_000_000, "10.0", "50.0"),
    "claude-fable-5": _anthropic(1_000_000, "10.0", "50.0"),
    "claude-opus-5-5": _anthropic(1_000_000, "4.0", "20.0"),
    "claude-opus-5": _anthropic(1_000_000, "5.0", "25.0"),
    "claude-sonnet-5-5": _anthropic(1_000_000, "2.0", "10.0"),
    "claude-sonnet-5": _anthropic(1_000_000, "2.0", "10.0"),
    "claude-haiku-5-5": _anthropic(1_000_000, "0.1", "0.5", 100_000, 500),
    "claude-haiku-4-5": _anthropic(200_000, "1.0", "5.0"),
}

_OPENAI: Final = {
    "gpt-6.2-astra": _openai(1_050_000, "8.0", "40.0"),
    "gpt-6.2-sol": _openai(1_050_000, "2.0", "10.0"),
    "gpt-6-astra": _openai(1_050_000, "10.0", "50.0"),
    "gpt-6-sol": _openai(1_050_000, "2.0", "10.0"),
    "gpt-6-luna": _openai(1_050_000, "0.1", "0.5"),
    "gpt-5.5": _openai(1_050_000, "5.0", "30.0"),
    "gpt-5.4": _openai(1_050_000, "2.5", "15.0"),
    "gpt-5.4-mini": _openai(400_000, "0.75", "4.5"),
}

_CATALOG: Final[Mapping[str, Mapping[str, Known]]] = {"anthropic": _ANTHROPIC, "openai": _OPENAI}

PREFERRED: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("claude-sonnet-5-5", "claude-sonnet-5", "claude-haiku-5-5", "claude-haiku-4-5"),
    "openai": ("gpt-5.5", "gpt-6.2-sol", "gpt-6-sol", "gpt-5.4", "gpt-5.4-mini", "gpt-6-luna"),
}
"""Which model is taken where nobody named one: the first that the key may use."""


def known(provider: str, model: str, *, base_url: str | None = None) -> Known | None:
    """Return what is known of a model of the provider's own server, or None (pure).

    Another server may call anything by the same name, at any price.
    """
    if base_url is not None:
        return None
    models = _CATALOG.get(provider, {})
    return models.get(model) or models.get(_DATED.sub("", model))
