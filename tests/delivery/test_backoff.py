from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.backoff import pause


@given(st.integers(0, 1_000), st.floats(0, 1))
def test_a_pause_grows_to_five_minutes_and_a_fifth(attempt: int, chance: float) -> None:
    assert timedelta(seconds=1) <= pause(attempt, chance) <= timedelta(minutes=6)
    assert pause(attempt, chance) <= pause(attempt + 1, chance)
