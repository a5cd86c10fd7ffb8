"""What a failure of the platform means."""

import aiohttp

from bot.contracts.errors import (
    ChannelError,
    ChannelUnavailable,
    RateLimited,
    SendRejected,
    SendUncertain,
)

_TOO_MANY = 429
_THEIR_FAULT = 500


def of_status(status: int, sentence: str, retry_after: str | None) -> ChannelError:
    """Say what an HTTP status that is no success means (pure)."""
    if status == _TOO_MANY:
        return RateLimited(float(retry_after or 1))
    if status >= _THEIR_FAULT:
        return SendUncertain(f"the square stumbled ({status})")
    return SendRejected(f"the square refused it ({status}: {sentence})")


def of_failure(error: aiohttp.ClientError | TimeoutError) -> ChannelError:
    """Say what a broken request means (pure)."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return ChannelUnavailable("the square cannot be reached")
    return SendUncertain("the square did not answer")
