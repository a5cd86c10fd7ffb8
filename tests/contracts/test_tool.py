from typing import Any

import pytest

from bot.contracts.tool import Effect, Tool, ToolContext
from bot.contracts.turn import Rank
from tests.doubles.tools import Word


def test_a_checkable_tool_without_a_probe_is_refused_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="'guess' is checkable and has no probe"):
        _tool(Effect.CHECKABLE)


@pytest.mark.parametrize("effect", [effect for effect in Effect if effect is not Effect.CHECKABLE])
def test_every_other_tool_needs_none(effect: Effect) -> None:
    assert _tool(effect).probe is None


@pytest.mark.parametrize("effect", [effect for effect in Effect if effect is not Effect.PURE])
def test_what_changes_something_is_refused_to_members_when_it_is_made(effect: Effect) -> None:
    with pytest.raises(ValueError, match="'guess'"):
        _tool(effect, Rank.MEMBER)


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.STRANGER])
def test_no_tool_is_for_guests(rank: Rank) -> None:
    with pytest.raises(ValueError, match="'guess' would be for guests"):
        _tool(Effect.PURE, rank)


def _tool(effect: Effect, least_rank: Rank = Rank.ADMIN) -> Tool[Any]:
    return Tool(
        name="guess",
        description="Guess.",
        guidance="Use it when a test wants it. Not for anything else.",
        effect=effect,
        least_rank=least_rank,
        parameters=Word,
        run=_say,
    )


async def _say(context: ToolContext, arguments: Word) -> str:
    del context
    return arguments.word
