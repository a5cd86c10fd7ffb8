"""Anthropic's messages API, and every server that speaks it."""

from typing import Final

from bot.contracts.model import ChatModel, ModelParts, ProviderSpec
from bot.models.deferred import DeferredModel
from bot.models.server import server_of

_HOME: Final = "https://api.anthropic.com"


def _open(parts: ModelParts) -> ChatModel:
    server = server_of("Anthropic", parts, default=_HOME)
    return DeferredModel(f"{__name__}.client", parts, server)


PROVIDER = ProviderSpec(name="anthropic", open=_open)
