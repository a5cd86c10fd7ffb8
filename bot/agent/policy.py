"""Which tools a turn may use, by the rank of who asked."""

from collections.abc import Sequence
from typing import Any

from bot.contracts.tool import Effect, Tool
from bot.contracts.turn import Rank


def permitted(tools: Sequence[Tool[Any]], rank: Rank) -> tuple[Tool[Any], ...]:
    """Return the tools the model gets for a sender of *rank*, in their order (pure).

    Owner and admin: all. Member: what changes nothing. Guest: none.
    """
    if rank >= Rank.ADMIN:
        return tuple(tools)
    if rank >= Rank.MEMBER:
        return tuple(tool for tool in tools if tool.effect is Effect.PURE)
    return ()
