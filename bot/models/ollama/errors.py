"""What Ollama says in words only, in the words of failover (pure)."""

import re
from typing import Final

from bot.contracts.errors import ContextOverflow, ModelError, ModelUnavailable, ModelUnknown
from bot.contracts.errors import RequestRefused as Refused
from bot.models.server import Server

_MEMORY: Final = re.compile(r"requires more system memory|out of memory|cudaMalloc failed")
_NO_TOOLS: Final = re.compile(r"does not support tools")
_TOO_LONG: Final = re.compile(r"exceeds the context length|longer than the context length")
_NOBODY: Final = re.compile(r"nothing listens there")


def translate(error: ModelError, server: Server) -> ModelError:
    """Say what *error* means: Ollama has few codes, so its sentence decides."""
    said = str(error)
    if isinstance(error, ModelUnknown):
        return ModelUnknown(
            f"{server} has no model {server.model!r} (404): run `ollama pull {server.model}`"
        )
    if _MEMORY.search(said):
        return ModelUnavailable(
            f"{said}; choose a smaller model, or lower its `context` in config.yaml"
        )
    if _NO_TOOLS.search(said):
        return Refused(f"{said}; choose a model that lists tools in `ollama show`")
    if _TOO_LONG.search(said):
        return ContextOverflow(said)
    if isinstance(error, ModelUnavailable) and _NOBODY.search(said) and server.is_loopback:
        return ModelUnavailable(f"{said} (`ollama serve` starts it)")
    return error
