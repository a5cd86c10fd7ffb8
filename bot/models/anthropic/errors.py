"""What Anthropic's SDK raises, in the words of failover (pure)."""

from datetime import datetime
from typing import Final

import httpx2
from anthropic import AnthropicError, APIConnectionError, APIError, APIStatusError

from bot.contracts.errors import ModelError
from bot.models.failure import Failure, broken, diagnose, garbled
from bot.models.server import Server

FAILURES: Final = (
    AnthropicError,
    httpx2.HTTPError,
    httpx2.StreamError,
    OSError,
    ValueError,
    RecursionError,
)
"""Everything a call can raise: a corrupt chunk comes as a plain ValueError."""


def translate(error: Exception, server: Server, now: datetime) -> ModelError:
    """Say what *error* means for failover: structure first, then the provider's code."""
    match error:
        case APIStatusError():
            failure = Failure.of(error.status_code, error.response.headers, error.body)
            return diagnose(failure, server, now)
        case APIConnectionError():
            return broken(error, server)
        case APIError():
            return diagnose(Failure.of(200, {}, error.body), server, now)
        case ValueError() | RecursionError():
            return garbled(server)
        case _:
            return broken(error, server)
