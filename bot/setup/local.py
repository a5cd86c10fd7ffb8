"""Model servers of this machine: each usual port is asked for its list of models, and no more."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.contracts.errors import SetupRefused
from bot.contracts.setup import LocalServer
from bot.models.listing import ListedModel, listed
from bot.models.ollama.window import window_of
from bot.net.api import Answer, Unanswered, ask, is_loopback
from bot.settings import ModelSettings
from bot.settings.elsewhere import Addresses
from bot.settings.models import read_base_url

_SECONDS: Final = 2.0
"""A server of this machine that takes longer to list its models is busy with something else."""
_SHOWN_AT_ONCE: Final = 8
_MOST: Final = 50
"""Models of one server that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A server, and its chat models with their windows."""

    kind: str
    address: str
    models: tuple[ListedModel, ...]

    @property
    def view(self) -> LocalServer:
        """What a person is shown."""
        names = tuple(model.name for model in self.models)
        return LocalServer(kind=self.kind, address=self.address, models=names)

    def settings(self, model: str) -> ModelSettings:
        """Return how *model* is asked here."""
        if self.kind == "ollama":
            return ModelSettings(provider="ollama", model=model, base_url=self.address)
        return ModelSettings(provider="openai", model=model, base_url=f"{self.address}/v1")


async def look(addresses: Addresses) -> Sequence[Found]:
    """Ask the usual ports, all at once; what is not there, or is something else, is left out."""
    asked = (
        _ollama(addresses.ollama),
        _lmstudio(addresses.lmstudio),
        _llamacpp(addresses.llamacpp),
    )
    return [found for found in await asyncio.gather(*asked) if found is not None]


async def look_at(address: str, addresses: Addresses) -> Found:
    """Find out which server answers at *address*, on this machine or where Ollama is said to be.

    Raises:
        SetupRefused: none does, or it is not of this machine.
    """
    try:
        at = read_base_url(address).removesuffix("/v1").rstrip("/")
    except ValueError as error:
        raise SetupRefused(f"The address is {error}.") from None
    if not is_loopback(at) and at != addresses.ollama:
        raise SetupRefused(
            f"{at} is not on this machine; a server elsewhere is added by its address and key."
        )
    for ask_for in (_ollama, _lmstudio, _llamacpp):
        if found := await ask_for(at):
            return found
    raise SetupRefused(
        f"No Ollama, LM Studio or llama.cpp answers at {at}; start it there, and try again."
    )


async def window_at(found: Found, model: ListedModel) -> int | None:
    """Return the window that *model* will have here, if it can be found out."""
    if found.kind != "ollama":
        return model.window
    card = await _answer(f"{found.address}/api/show", {"model": model.name})
    return window_of(card.fields, None) if card else None


async def _ollama(address: str) -> Found | None:
    """``/api/tags`` lists; newer servers say there what a model can, others in ``/api/show``."""
    answer = await _answer(f"{address}/api/tags")
    rows = answer.fields.get("models") if answer else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    gate = asyncio.Semaphore(_SHOWN_AT_ONCE)

    async def fit(row: dict[str, object]) -> ListedModel | None:
        name, can = row.get("model") or row.get("name"), row.get("capabilities")
        if not isinstance(name, str) or _is_remote(name, row):
            return None
        if not isinstance(can, list):
            async with gate:
                shown = await _answer(f"{address}/api/show", {"model": name})
            can = shown.fields.get("capabilities") if shown else None
        return ListedModel(name=name) if isinstance(can, list) and "tools" in can else None

    found = await asyncio.gather(*map(fit, rows[:_MOST]))
    return Found(kind="ollama", address=address, models=tuple(filter(None, found)))


async def _lmstudio(address: str) -> Found | None:
    """LM Studio's own list, which nobody else has: it tells language models from others."""
    answer = await _answer(f"{address}/api/v0/models")
    models = listed(answer) if answer else None
    return None if models is None else Found(kind="lmstudio", address=address, models=models)


async def _llamacpp(address: str) -> Found | None:
    """The list of llama.cpp, told by the owner that it names."""
    answer = await _answer(f"{address}/v1/models")
    models = listed(answer) if answer else None
    if not models or any(model.owner != "llamacpp" for model in models):
        return None
    return Found(kind="llamacpp", address=address, models=models)


async def _answer(url: str, body: object = None) -> Answer | None:
    try:
        answer = await ask(url, body=body, seconds=_SECONDS)
    except Unanswered:
        return None
    return answer if answer.status == 200 else None


def _is_remote(name: str, row: dict[str, object]) -> bool:
    """Whether it runs with Ollama's company and not here: then it is no local model."""
    return bool(row.get("remote_host")) or name.endswith(("-cloud", ":cloud"))
