from dataclasses import replace

from bot.access.pace import BURST, BURST_OF_ALL, Paces
from bot.contracts.channel import Accepted
from bot.contracts.inbound import Inbound, Sender, Source
from bot.contracts.turn import Rank, TurnId
from tests.doubles.arrivals import an_inbound
from tests.doubles.clock import FakeClock


def by(who: str, number: int = 0) -> Inbound:
    return replace(an_inbound(f"flood {number}"), sender=Sender(id=who))


def test_somebody_may_write_twenty_at_once_and_one_a_second() -> None:
    clock = FakeClock()
    paces = Paces(clock)

    borne = [paces.bears(by("eve"), Rank.STRANGER) for _ in range(200)]
    clock.advance(2)
    later = [paces.bears(by("eve"), Rank.STRANGER) for _ in range(4)]

    assert sum(borne) == BURST
    assert later == [True, True, False, False]


def test_a_member_has_no_bucket() -> None:
    paces = Paces(FakeClock())

    assert all(paces.bears(by("ana"), Rank.MEMBER) for _ in range(1_000))


def test_a_guest_is_held_by_their_own_bucket_and_not_by_the_strangers() -> None:
    paces = Paces(FakeClock())
    for number in range(1_000):
        paces.bears(by(f"eve {number}"), Rank.STRANGER)

    assert not paces.bears(by("one more"), Rank.STRANGER)
    assert sum(paces.bears(by("gus"), Rank.GUEST) for _ in range(100)) == BURST


def test_a_thousand_strangers_cost_no_more_rows_than_all_of_them_may() -> None:
    paces = Paces(FakeClock())

    borne = [paces.bears(by(f"eve {number}"), Rank.STRANGER) for number in range(1_000)]

    assert sum(borne) == BURST_OF_ALL


def test_the_row_of_a_flood_stands_for_what_comes_while_it_lasts() -> None:
    clock = FakeClock()
    paces = Paces(clock)
    for _ in range(BURST + 1):
        paces.bears(by("eve"), Rank.STRANGER)
    row = Accepted(source=Source("m:1"), turn_id=TurnId("t"), seq=3)
    assert paces.told_of(by("eve")) is None

    paces.tells(by("eve"), row)

    told = paces.told_of(by("eve", 7))
    assert told is not None
    assert (told.turn_id, told.seq, told.source, told.duplicate) == ("t", 3, "m:flood 7", True)
    assert paces.told_of(by("ana")) is None
    clock.advance(1)
    assert paces.told_of(by("eve")) is None


def test_what_it_remembers_ends_somewhere() -> None:
    paces = Paces(FakeClock())

    for number in range(10_000):
        paces.bears(by(f"eve {number}"), Rank.GUEST)

    assert len(paces._senders) == 4_096
