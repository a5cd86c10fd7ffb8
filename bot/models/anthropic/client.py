"""A model behind Anthropic's messages API."""

from functools import partial
from typing import Final

from bot.contracts.model import ModelParts
from bot.models.anthropic.wire import Encoder, EventReader
from bot.models.server import Server
from bot.models.streamed import StreamedModel, Wire

_VERSION: Final = "2026-10-21"
"""Of the API (https://docs.anthropic.com/en/api/versioning): the one that its SDK names, which
`tests/doubles/test_model_doubles.py` holds it to."""


def open_client(parts: ModelParts, server: Server) -> StreamedModel:
    """Return a model that talks to *server*."""
    key = {"Authorization": f"Bearer {parts.key.reveal()}"} if parts.key else {}
    wire = Wire(
        path="/v1/messages",
        headers={"Anthropic-Version": _VERSION, **key},
        encode=Encoder(server, max_output=parts.max_output),
        reader=partial(EventReader, server),
    )
    return StreamedModel(parts, server, wire)
