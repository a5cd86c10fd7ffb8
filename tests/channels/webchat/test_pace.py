"""Twenty messages in any ten seconds."""

from datetime import timedelta

from channels.webchat.pace import Pace
from tests.channels.webchat.house import HouseClock


def test_the_twenty_first_must_wait_until_the_first_is_ten_seconds_old() -> None:
    clock = HouseClock()
    pace = Pace(clock)
    assert [pace.take() for _ in range(20)] == [0.0] * 20

    clock.ahead = timedelta(seconds=4)
    assert pace.take() == 6

    clock.ahead = timedelta(seconds=10)
    assert pace.take() == 0
