"""From a frame to JSON and back, strictly for what a client says."""

import json
from functools import cache
from typing import Annotated

from pydantic import Field, TypeAdapter

from bot.contracts.text import clean
from channels.webchat.protocol import ClientFrame, Frame, ServerFrame


@cache
def _client() -> TypeAdapter[ClientFrame]:
    return TypeAdapter(Annotated[ClientFrame, Field(discriminator="type")])


@cache
def _server() -> TypeAdapter[ServerFrame]:
    return TypeAdapter(Annotated[ServerFrame, Field(discriminator="type")])


@cache
def _any() -> TypeAdapter[Frame]:
    return TypeAdapter(Annotated[Frame, Field(discriminator="type")])


def encode(frame: Frame) -> str:
    """Write a frame as JSON, without what is not set (pure)."""
    return _any().dump_json(frame, exclude_none=True).decode()


def read_client(text: str) -> ClientFrame:
    """Read what a client sent, strictly: nothing missing, nothing wrong, nothing more (pure).

    Python's reader takes lone surrogates, which pydantic's refuses; they are
    replaced on the way from the one to the other.

    Raises:
        ValueError: it is no frame; `errors.translate` says why.
        RecursionError: it is nested too deeply to be one.
    """
    cleaned = clean(json.dumps(json.loads(text), ensure_ascii=False))
    return _client().validate_json(cleaned, strict=True, extra="forbid")


def read_server(text: str) -> ServerFrame:
    """Read what the server sent; fields of a later version are passed over (pure).

    Raises:
        ValueError: it is no frame.
    """
    return _server().validate_json(text)
