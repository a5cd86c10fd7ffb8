"""Who was let in: names of any script, ids that stay, ranks that end below owner."""

import asyncio
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access.people import LONGEST_NAME, OwnerAlone, RecordedPeople, usable_name
from bot.contracts.errors import NotInvited
from bot.contracts.turn import Rank
from tests.doubles.clock import START, CountingIds, HastyClock
from tests.doubles.memory_records import MemoryRecords


def some_people(records: MemoryRecords | None = None) -> RecordedPeople:
    return RecordedPeople(records or MemoryRecords(), HastyClock(START), CountingIds())


async def test_who_is_invited_again_is_the_same_person_with_the_new_rank() -> None:
    people = some_people()
    first = await people.invite("page", "Anna Bell", Rank.MEMBER)

    again = await people.invite("page", "  anna   BELL ", Rank.GUEST)

    assert (again.id, again.name, again.rank) == (first.id, "Anna Bell", Rank.GUEST)
    assert len(await people.every("page")) == 1


async def test_who_was_shut_out_is_nobody_and_keeps_the_id_for_coming_back() -> None:
    people = some_people()
    anna = await people.invite("page", "Anna", Rank.ADMIN)
    await people.revoke("page", "ANNA")

    assert await people.get("page", anna.id) is None
    assert await people.rank_of("page", anna.id) is Rank.STRANGER
    with pytest.raises(NotInvited, match="nobody who is let in is called 'Anna'"):
        await people.revoke("page", "Anna")
    assert [person.may_enter for person in await people.every("page")] == [False]

    back = await people.invite("page", "Anna", Rank.MEMBER)
    assert (back.id, back.may_enter) == (anna.id, True)


async def test_channels_know_nothing_of_each_other_s_people() -> None:
    people = some_people()
    anna = await people.invite("page", "Anna", Rank.MEMBER)

    assert await people.get("pageant", anna.id) is None
    assert await people.every("pag") == []


@pytest.mark.parametrize("rank", [Rank.OWNER, Rank.STRANGER])
async def test_nobody_is_invited_as_owner(rank: Rank) -> None:
    with pytest.raises(NotInvited, match="never as owner"):
        await some_people().invite("page", "Anna", rank)


@pytest.mark.parametrize("name", ["安娜", "Анна", "آنا", "अन्ना", "Ánna-Łucja O'Neil", "R2", "안나"])
async def test_a_name_may_be_of_any_script(name: str) -> None:
    person = await some_people().invite("page", name, Rank.MEMBER)

    assert person.name == unicodedata.normalize("NFKC", name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        pytest.param("", "a letter or a number", id="nothing"),
        pytest.param(" \t\n ", "a letter or a number", id="blanks"),
        pytest.param("\u202e\u200b", "a letter or a number", id="invisible"),
        pytest.param("!!!", "a letter or a number", id="signs"),
        pytest.param("x" * 41, "at most 40", id="too long"),
        pytest.param("ﬃ" * 20, "at most 40", id="too long once it is spelled out"),
        pytest.param("Owner", "the owner is who runs the bot", id="the owner's word"),
        pytest.param("\uff2f\uff37\uff2e\uff25\uff32", "the owner is", id="the same, wide"),
        pytest.param("ow\u200dner", "the owner is", id="the same, joined"),
    ],
)
async def test_what_is_no_name_is_said_in_one_sentence(name: str, why: str) -> None:
    with pytest.raises(NotInvited, match=why):
        await some_people().invite("page", name, Rank.MEMBER)


async def test_of_two_who_invite_the_same_name_at_once_both_get_the_same_person() -> None:
    people = some_people()

    one, other = await asyncio.gather(
        people.invite("page", "Anna", Rank.MEMBER), people.invite("page", "anna", Rank.MEMBER)
    )

    assert one.id == other.id


async def test_a_hundred_people_are_enough() -> None:
    people = some_people()
    for number in range(100):
        await people.invite("page", f"person {number}", Rank.GUEST)

    with pytest.raises(NotInvited, match="100 people are let in already"):
        await people.invite("page", "one more", Rank.GUEST)
    await people.invite("page", "person 7", Rank.MEMBER)
    await people.revoke("page", "person 8")
    await people.invite("page", "one more", Rank.GUEST)


async def test_while_only_the_owner_is_let_in_nobody_is_and_shutting_out_still_works() -> None:
    people = some_people()
    anna = await people.invite("page", "Anna", Rank.ADMIN)
    alone = OwnerAlone(people)

    assert await alone.get("page", anna.id) is None
    assert await alone.rank_of("page", anna.id) is Rank.STRANGER
    with pytest.raises(NotInvited, match="settings are broken"):
        await alone.invite("page", "Bert", Rank.MEMBER)
    assert (await alone.revoke("page", "Anna")).id == anna.id
    assert [person.may_enter for person in await alone.every("page")] == [False]


@given(st.text(max_size=80))
def test_a_usable_name_is_one_visible_line_and_stays_as_it_is(name: str) -> None:
    try:
        usable = usable_name(name)
    except NotInvited:
        return

    assert usable_name(usable) == usable
    assert 0 < len(usable) <= LONGEST_NAME
    assert not any(unicodedata.category(letter) in {"Cc", "Cs", "Co"} for letter in usable)
    assert usable == " ".join(usable.split())
