import pytest

from bot.access.rank import rank
from bot.contracts.turn import Rank
from tests.doubles.arrivals import an_inbound


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        pytest.param({"page:alice"}, Rank.OWNER, id="listed by platform and id"),
        pytest.param({"other:alice"}, Rank.STRANGER, id="listed on another platform"),
        pytest.param({"page:Alice"}, Rank.STRANGER, id="a display name is no id"),
        pytest.param(set(), Rank.STRANGER, id="an empty list makes nobody owner"),
    ],
)
def test_the_rank_of_a_sender(owners: set[str], expected: Rank) -> None:
    assert rank(an_inbound("hi"), owners) is expected
