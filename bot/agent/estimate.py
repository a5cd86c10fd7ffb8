"""What a model call may cost, before it is made, and what it did cost. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.budget import Cost, Price
from bot.contracts.messages import AssistantMessage, Message
from bot.contracts.model import ModelRequest, ToolOffer
from bot.contracts.transcript import Entry, Unanswered
from bot.contracts.turn import Usage

_BYTES_A_TOKEN: Final = 3
"""English prose has about four bytes to a token, JSON and code about three, Chinese three to
four and a half; so this counts a little more than there is (ADR 34)."""

_EACH: Final = 16
"""Tokens around each message and each tool: roles, brackets, ids."""

_MOST_OFFERS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What one call may cost."""

    least: Cost
    """For reading the request, whatever it answers."""
    most: Cost
    """With an answer as long as one may be."""


def estimate(request: ModelRequest, price: Price | None, entries: Sequence[Entry]) -> Estimate:
    """Say what *request* may cost, in a turn with these *entries*.

    What a turn's earlier calls read was counted by the provider, and a turn's requests only
    grow: so it reads at least that much, however many bytes that were.
    """
    told = max(
        (e.usage.input_tokens for e in entries if isinstance(e, AssistantMessage)), default=0
    )
    read = max(tokens_of(request), told)
    return Estimate(
        least=_priced(price, Usage(input_tokens=read, kept_tokens=read)),
        most=_priced(
            price, Usage(input_tokens=read, kept_tokens=read, output_tokens=request.max_output)
        ),
    )


def unanswered(model: str, cost: Cost, lost_attempt: int | None = None) -> Unanswered:
    """Return the entry that counts a call without an answer as *cost*."""
    usage = Usage(micro_usd=cost.micro_usd, unpriced_tokens=cost.unpriced_tokens)
    return Unanswered(model=model, usage=usage, lost_attempt=lost_attempt)


def tokens_of(request: ModelRequest) -> int:
    """Estimate how many tokens *request* has, by its bytes."""
    size = _bytes(request.system.stable) + _bytes(request.system.volatile)
    size += _size_of_tools(request.tools) + sum(map(_size, request.messages))
    around = _EACH * (len(request.messages) + len(request.tools) + 1)
    return size // _BYTES_A_TOKEN + around


def counted(message: AssistantMessage, price: Price | None, expected: Estimate) -> AssistantMessage:
    """Return *message* with what it cost.

    Where the provider counted nothing, the cost is that of the request as estimated and of a
    token for each byte that came.
    """
    usage = message.usage
    if usage.input_tokens or usage.output_tokens:
        cost = _priced(price, usage)
    else:
        cost = expected.least + _priced(price, Usage(output_tokens=_size(message)))
    return replace(
        message,
        usage=replace(usage, micro_usd=cost.micro_usd, unpriced_tokens=cost.unpriced_tokens),
    )


def _priced(price: Price | None, usage: Usage) -> Cost:
    if price is None:
        return Cost(unpriced_tokens=usage.input_tokens + usage.output_tokens)
    return Cost(
        micro_usd=price.cost(
            read=usage.input_tokens,
            wrote=usage.output_tokens,
            cached=usage.cached_tokens,
            kept=usage.kept_tokens,
        )
    )


def _size(message: Message) -> int:
    if not isinstance(message, AssistantMessage):
        return _bytes(message.text)
    thoughts = sum(
        len(block.text) + len(block.signature) + len(block.redacted) for block in message.thinking
    )
    calls = sum(len(call.name) + _bytes(call.arguments) for call in message.tool_calls)
    return _bytes(message.text) + thoughts + calls


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


_sizes: Final[dict[int, tuple[tuple[ToolOffer, ...], int]]] = {}
"""Of the offers seen last, found by identity: the very same ones come with every request."""


def _size_of_tools(tools: tuple[ToolOffer, ...]) -> int:
    if (known := _sizes.get(id(tools))) is not None:
        return known[1]
    size = sum(
        len(tool.name) + _bytes(tool.description) + len(json.dumps(dict(tool.schema)))
        for tool in tools
    )
    if len(_sizes) >= _MOST_OFFERS:
        _sizes.clear()
    _sizes[id(tools)] = (tools, size)
    return size
