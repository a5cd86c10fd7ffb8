"""How large a window a model gets: what its own card says, as much as memory should bear (pure)."""

import re
from collections.abc import Mapping
from typing import Final

from bot.contracts.errors import ContextOverflow, ModelError
from bot.models.server import Server

MOST: Final = 16_384
"""Tokens, unless the settings or the model's own file say more.

A token of a window takes about 130 KB of memory with a model of eight billion parameters
(32 layers, 8 heads of 128 for keys and as many for values, 16 bits), so this is 2 GB. Ollama
itself would take 4,096 on most machines, which the prompt and the tools half fill.
"""
_UNSAID: Final = 4_096
"""Where a model's card does not say what it was trained with."""
_BYTES_A_TOKEN: Final = 4
"""Of English and of JSON; other scripts have fewer bytes to a token, so this is the least."""
_LEAST_ANSWER: Final = 256
"""Tokens without which there is no use in asking."""

_NUM_CTX: Final = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


def window_of(card: Mapping[str, object], context: int | None) -> int:
    """Return the window to ask for, given what ``/api/show`` tells of the model.

    The settings' *context* counts, then that of the model's own file, then `MOST`; none of them
    beyond what the model was trained with, to which Ollama would lower it silently.
    """
    trained = _trained(card)
    parameters = card.get("parameters")
    own = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    wanted = context or (int(own[1]) if own else min(trained or _UNSAID, MOST))
    return max(min(wanted, trained or wanted), 1)


def refuse_what_cannot_fit(body: bytes, window: int, server: Server) -> None:
    """Refuse a request that is too long by any count; what is closer, the server refuses.

    Raises:
        ContextOverflow: it is too long.
    """
    tokens = len(body) // _BYTES_A_TOKEN
    if tokens + _LEAST_ANSWER > window:
        raise _too_long(f"about {tokens:,} tokens do not fit", window, server)


def refuse_what_was_cut(input_tokens: int, window: int, server: Server) -> None:
    """Refuse an answer to a request that filled the window: older servers cut without a word.

    Raises:
        ContextOverflow: the request was cut.
    """
    if input_tokens >= window - 1:
        raise _too_long(f"it read {input_tokens:,} tokens and had to cut the rest", window, server)


def _too_long(why: str, window: int, server: Server) -> ModelError:
    return ContextOverflow(
        f"{server} makes room for {window:,} tokens, and {why}: "
        "raise `context` of this model in config.yaml"
    )


def _trained(card: Mapping[str, object]) -> int | None:
    """Return the length in the card; its key begins with the model's architecture."""
    told = card.get("model_info")
    if not isinstance(told, dict):
        return None
    length = told.get(f"{told.get('general.architecture')}.context_length")
    return length if isinstance(length, int) and length > 0 else None
