"""Which tools a turn may use, by the rank of who asked."""

from collections.abc import Sequence
from typing import Any

from bot.contracts.tool import Tool
from bot.contracts.turn import Rank


def may_use(tool: Tool[Any], rank: Rank) -> bool:
    """Whether a turn of *rank* may have *tool* used (pure).

    Owner and admin: all. Member: what says so of itself (`Tool.least_rank`), which
    changes nothing. Guest: none.
    """
    return rank >= max(tool.least_rank, Rank.MEMBER)


def permitted(tools: Sequence[Tool[Any]], rank: Rank) -> tuple[Tool[Any], ...]:
    """Return the tools the model is told of for a sender of *rank*, in their order (pure).

    It is applied last, to the final list, and again to each call (`Toolbox`).
    """
    return tuple(tool for tool in tools if may_use(tool, rank))
