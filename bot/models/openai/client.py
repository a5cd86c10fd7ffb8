"""A model behind OpenAI's chat completions."""

from functools import partial

from bot.contracts.model import ModelParts
from bot.models.openai.wire import ChunkReader, Encoder
from bot.models.server import Server
from bot.models.streamed import StreamedModel, Wire


def open_client(parts: ModelParts, server: Server) -> StreamedModel:
    """Return a model that talks to *server*."""
    wire = Wire(
        path="/chat/completions",
        headers={"Authorization": f"Bearer {parts.key.reveal()}"} if parts.key else {},
        encode=Encoder(server, max_output=parts.max_output),
        reader=partial(ChunkReader, server),
    )
    return StreamedModel(parts, server, wire)
