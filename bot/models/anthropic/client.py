"""A model behind Anthropic's messages API."""

from functools import partial
from typing import Final

from bot.contracts.model import ModelParts
from bot.models.anthropic.wire import EventReader, encode
from bot.models.server import Server
from bot.models.streamed import StreamedModel, Wire

_VERSION: Final = "2023-06-01"
"""Of the API; the only one there is (https://docs.anthropic.com/en/api/versioning)."""


def open_client(parts: ModelParts, server: Server) -> StreamedModel:
    """Return a model that talks to *server*."""
    key = {"X-Api-Key": parts.key.reveal()} if parts.key else {}
    wire = Wire(
        path="/v1/messages",
        headers={"Anthropic-Version": _VERSION, **key},
        encode=partial(encode, server=server, max_output=parts.max_output),
        reader=partial(EventReader, server),
    )
    return StreamedModel(parts, server, wire)
