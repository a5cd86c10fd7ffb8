import json
from dataclasses import replace

import pytest

from bot.access.people import OwnerAlone, RecordedPeople
from bot.access.rank import Ranks
from bot.contracts.inbound import Sender
from bot.contracts.turn import Rank
from tests.doubles.arrivals import an_inbound
from tests.doubles.clock import START, CountingIds, HastyClock
from tests.doubles.memory_records import MemoryRecords


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        pytest.param({"page:alice"}, Rank.OWNER, id="listed by platform and id"),
        pytest.param({"other:alice"}, Rank.STRANGER, id="listed on another platform"),
        pytest.param({"page:Alice"}, Rank.STRANGER, id="a display name is no id"),
        pytest.param(set(), Rank.STRANGER, id="an empty list makes nobody owner"),
    ],
)
async def test_the_rank_of_a_sender(owners: set[str], expected: Rank) -> None:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())

    assert await Ranks(owners=owners, people=people).of(an_inbound("hi")) is expected


async def test_who_was_let_in_has_the_rank_they_were_let_in_with_until_they_are_shut_out() -> None:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())
    ranks = Ranks(owners=(), people=people)
    anna = await people.invite("page", "Anna", Rank.MEMBER)
    inbound = replace(an_inbound("hi"), sender=Sender(id=anna.id))

    assert await ranks.of(inbound) is Rank.MEMBER
    assert await ranks.of(replace(inbound, channel="other")) is Rank.STRANGER
    assert await ranks.of(replace(inbound, sender=Sender(id="Anna"))) is Rank.STRANGER
    assert await Ranks(owners=(), people=OwnerAlone(people)).of(inbound) is Rank.STRANGER

    await people.revoke("page", "Anna")
    assert await ranks.of(inbound) is Rank.STRANGER


@pytest.mark.parametrize("word", ["owner", "OWNER", "4", "", "god"])
async def test_no_record_makes_anybody_owner(word: str) -> None:
    records = MemoryRecords()
    kept = {"v": 1, "name": "Eve", "rank": word, "since": "2026-03-01T12:00:00Z"}
    await records.swap("person:page:alice", json.dumps(kept).encode(), version=0)
    people = RecordedPeople(records, HastyClock(START), CountingIds())

    assert await Ranks(owners=(), people=people).of(an_inbound("hi")) is Rank.STRANGER
