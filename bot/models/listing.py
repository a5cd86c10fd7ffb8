"""Which models a server lists, and what it says of their windows; no model is asked anything."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from bot.contracts.secret import Secret
from bot.net.api import Answer

_WINDOWS: Final = (
    "max_input_tokens",  # Anthropic
    "loaded_context_length",  # LM Studio, and what follows it
    "max_context_length",
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter
    "context_window",  # Groq
)
"""Under which names servers tell a model's window, first the one that counts."""

_NO_CHAT: Final = frozenset({"embeddings", "embedding"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """One model of a list."""

    name: str
    window: int | None = None
    owner: str = ""


async def list_models(
    provider: str, base_url: str, key: Secret, *, seconds: float = 15.0
) -> tuple[Answer, tuple[ListedModel, ...] | None]:
    """Ask for the models of *provider* at *base_url*; None stands for an answer that is no list.

    Raises:
        Unanswered: nothing came back.
    """
    module = await asyncio.to_thread(import_module, f"bot.models.{provider}.listing")
    answer: Answer = await module.ask_for_models(base_url, key, seconds)
    return answer, listed(answer)


def listed(answer: Answer) -> tuple[ListedModel, ...] | None:
    """Read the list, without models that only embed; None if it is none (pure)."""
    rows = answer.fields.get("data")
    if answer.status != 200 or not isinstance(rows, list):
        return None
    return tuple(_models(rows))


def _models(rows: list[object]) -> Iterator[ListedModel]:
    for row in rows:
        if not isinstance(row, dict) or row.get("type") in _NO_CHAT:
            continue
        name, owner = row.get("id"), row.get("owned_by")
        if isinstance(name, str) and name:
            yield ListedModel(
                name=name, window=_window(row), owner=owner if isinstance(owner, str) else ""
            )


def _window(row: Mapping[str, object]) -> int | None:
    meta = row.get("meta")  # llama.cpp: what it was started with
    told = [row.get(name) for name in _WINDOWS]
    told += [meta.get("n_ctx")] if isinstance(meta, dict) else []
    return next((n for n in told if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)
