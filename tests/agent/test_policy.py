"""Tools by rank: what the model is told of, and what is carried out when it asks all the same."""

from itertools import pairwise

import pytest

from bot.agent.policy import permitted
from bot.contracts.turn import Rank
from bot.tools import BUILTIN

_ALL = {tool.name for tool in BUILTIN}
_READING = {"list_files", "search_files", "read_file"}


@pytest.mark.parametrize(
    ("rank", "names"),
    [
        (Rank.STRANGER, set()),
        (Rank.GUEST, set()),
        (Rank.MEMBER, _READING),
        (Rank.ADMIN, _ALL),
        (Rank.OWNER, _ALL),
    ],
)
def test_each_rank_is_offered_its_own(rank: Rank, names: set[str]) -> None:
    assert {tool.name for tool in permitted(BUILTIN, rank)} == names


def test_the_order_stays_and_nobody_of_lower_rank_has_more() -> None:
    offers = [permitted(BUILTIN, rank) for rank in Rank]

    for lower, higher in pairwise(offers):
        assert set(lower) <= set(higher)
        assert lower == tuple(tool for tool in higher if tool in lower)
