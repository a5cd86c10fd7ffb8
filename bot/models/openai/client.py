"""A model behind OpenAI's chat completions."""

from functools import partial

from bot.contracts.model import ModelParts
from bot.models.kept import KeptBytes
from bot.models.openai.wire import ChunkReader, encode, encode_message
from bot.models.server import Server
from bot.models.streamed import StreamedModel, Wire


def open_client(parts: ModelParts, server: Server) -> StreamedModel:
    """Return a model that talks to *server*."""
    wire = Wire(
        path="/chat/completions",
        headers={"Authorization": f"Bearer {parts.key.reveal()}"} if parts.key else {},
        encode=partial(
            encode, server=server, max_output=parts.max_output, each=KeptBytes(encode_message)
        ),
        reader=partial(ChunkReader, server),
    )
    return StreamedModel(parts, server, wire)
