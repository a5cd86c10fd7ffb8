"""Ollama by its own API, which says how large a window it shall make room for."""

from typing import Final

from bot.contracts.model import ChatModel, ModelParts, ProviderSpec
from bot.models.deferred import DeferredModel
from bot.models.server import server_of

_HOME: Final = "http://127.0.0.1:11434"


def _open(parts: ModelParts) -> ChatModel:
    server = server_of("Ollama", parts, default=_HOME)
    return DeferredModel(f"{__name__}.client", parts, server)


PROVIDER = ProviderSpec(name="ollama", open=_open)
