"""A model of an Ollama server: its card is read once, then each call is one request."""

from bot.contracts.model import ModelParts
from bot.models.server import Server


def open_client(parts: ModelParts, server: Server) -> "OllamaModel":
    """Return a model that talks to *server*."""
    return OllamaModel(parts, server)
