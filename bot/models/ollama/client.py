"""A model of an Ollama server: its card is read once, then each call is one request."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Final

from bot.contracts.errors import ModelDisconnected, ModelError
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelEvent, ModelParts, ModelRequest
from bot.models.kept import KeptBytes
from bot.models.legal import dumps
from bot.models.ollama.errors import translate
from bot.models.ollama.window import refuse_what_cannot_fit, refuse_what_was_cut, window_of
from bot.models.ollama.wire import LineReader, encode, encode_message
from bot.models.reading import refuse_other_than_json
from bot.models.server import Server
from bot.models.sse import JsonLines
from bot.models.streamed import StreamedModel, Wire
from bot.models.transport import Transport


def open_client(parts: ModelParts, server: Server) -> "OllamaModel":
    """Return a model that talks to *server*."""
    return OllamaModel(parts, server)
