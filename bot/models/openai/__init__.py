"""OpenAI's chat completions, and every server that speaks them."""

from typing import Final

from bot.contracts.model import ChatModel, ModelParts, ProviderSpec
from bot.models.deferred import DeferredModel
from bot.models.server import server_of

_HOME: Final = "https://api.openai.com/v1"


def _open(parts: ModelParts) -> ChatModel:
    server = server_of("OpenAI", parts, default=_HOME)
    return DeferredModel(f"{__name__}.client", parts, server)


PROVIDER = ProviderSpec(name="openai", open=_open)
