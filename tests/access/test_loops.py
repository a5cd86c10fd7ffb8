from dataclasses import replace

from bot.access.loops import MOST, REST_SECONDS, WINDOW_SECONDS, LoopGuard
from bot.contracts.inbound import Inbound, Sender
from tests.doubles.arrivals import an_inbound
from tests.doubles.clock import FakeClock


def from_bot(number: int = 1, *, conversation: str = "room") -> Inbound:
    return replace(
        an_inbound("ping", conversation=conversation), sender=Sender(id=f"b{number}", is_bot=True)
    )


def test_twenty_within_a_minute_are_heard_and_then_nothing_for_a_minute() -> None:
    clock = FakeClock()
    guard = LoopGuard(clock)

    heard = [guard.takes(from_bot()) for _ in range(100)]

    assert heard == [True] * MOST + [False] * (100 - MOST)
    clock.advance(REST_SECONDS - 1)
    assert not guard.takes(from_bot())
    clock.advance(1)
    assert guard.takes(from_bot())


def test_a_bot_that_takes_its_time_is_always_heard() -> None:
    clock = FakeClock()
    guard = LoopGuard(clock)

    for _ in range(200):
        assert guard.takes(from_bot())
        clock.advance(WINDOW_SECONDS / MOST)


def test_each_bot_and_each_conversation_is_counted_for_itself() -> None:
    guard = LoopGuard(FakeClock())
    for _ in range(MOST + 1):
        guard.takes(from_bot(1))

    assert not guard.takes(from_bot(1))
    assert guard.takes(from_bot(2))
    assert guard.takes(from_bot(1, conversation="other"))


def test_what_it_remembers_ends_somewhere() -> None:
    guard = LoopGuard(FakeClock())

    for number in range(5_000):
        guard.takes(from_bot(number))

    assert len(guard._pairs) == 2_048
