"""What is known of models without asking anybody: windows, and list prices per million tokens.

Read on 2026-11-30. Anthropic: https://platform.claude.com/docs/en/models and each model's own
page there. OpenAI: https://developers.openai.com/api/docs/models and
https://developers.openai.com/api/docs/pricing. Prices are those of an ordinary request: no
batch, no priority, no cache, and a prompt short enough for the lower of two tiers (272,000
tokens with OpenAI, 100,000 with Claude Haiku 5.5). What is not listed is not known, and no
price is ever guessed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

READ_ON: Final = "2026-11-30"

_DATED: Final = re.compile(r"-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$")
"""A snapshot's date at the end of a name: Anthropic's, or OpenAI's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One model."""

    window: int
    """Tokens of its context window."""
    input_usd: float
    """US dollars for a million tokens that it reads."""
    output_usd: float
    """US dollars for a million tokens that it writes."""


def _known(window: int, input_usd: float, output_usd: float) -> Known:
    return Known(window=window, input_usd=input_usd, output_usd=output_usd)


_ANTHROPIC: Final = {
    "claude-fable-5-2": _known(1_000_000, 8.0, 40.0),
    "claude-fable-5-1": _known(1_000_000, 10.0, 50.0),
    "claude-fable-5": _known(1_000_000, 10.0, 50.0),
    "claude-opus-5-5": _known(1_000_000, 4.0, 20.0),
    "claude-opus-5": _known(1_000_000, 5.0, 25.0),
    "claude-sonnet-5-5": _known(1_000_000, 2.0, 10.0),
    "claude-sonnet-5": _known(1_000_000, 2.0, 10.0),
    "claude-haiku-5-5": _known(1_000_000, 0.1, 0.5),
    "claude-haiku-4-5": _known(200_000, 1.0, 5.0),
}

_OPENAI: Final = {
    "gpt-6.2-astra": _known(1_050_000, 8.0, 40.0),
    "gpt-6.2-sol": _known(1_050_000, 2.0, 10.0),
    "gpt-6-astra": _known(1_050_000, 10.0, 50.0),
    "gpt-6-sol": _known(1_050_000, 2.0, 10.0),
    "gpt-6-luna": _known(1_050_000, 0.1, 0.5),
    "gpt-5.5": _known(1_050_000, 5.0, 30.0),
    "gpt-5.4": _known(1_050_000, 2.5, 15.0),
    "gpt-5.4-mini": _known(400_000, 0.75, 4.5),
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
