"""A stranger gets a code once; whoever has it lets in, and nobody else."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.access.pairing import LASTS, LENGTH, MOST, Pairing
from bot.access.people import RecordedPeople
from bot.clock import SecretCodes
from bot.contracts.clock import CODE_LETTERS
from bot.contracts.errors import AccessRefused, NotInvited
from bot.contracts.inbound import Inbound, Sender
from bot.contracts.turn import Rank
from tests.doubles.arrivals import an_inbound
from tests.doubles.clock import CountingIds, FakeClock
from tests.doubles.memory_records import MemoryRecords


class House:
    """A pairing with all that it stands on."""

    def __init__(self) -> None:
        self.records = MemoryRecords()
        self.clock = FakeClock()
        self.people = RecordedPeople(self.records, self.clock, CountingIds())
        self.pairing = self.again()

    def again(self) -> Pairing:
        """The same after a restart."""
        return Pairing(self.records, self.people, self.clock, SecretCodes())

    async def code(self, who: str) -> str:
        code = await self.pairing.ask(stranger(who))
        assert code is not None
        await self.pairing.was_told(stranger(who))
        return code


def stranger(who: str, *, name: str = "Eve", account: str = "default") -> Inbound:
    return replace(
        an_inbound("let me in"), sender=Sender(id=who, display_name=name), account=account
    )


async def test_a_code_has_forty_bits_and_no_letter_that_is_taken_for_another() -> None:
    code = await House().code("1")

    assert len(code) == LENGTH
    assert set(code) <= set(CODE_LETTERS)
    assert len(set(CODE_LETTERS)) == 32
    assert not set("01IO") & set(CODE_LETTERS)


async def test_who_was_told_their_code_hears_nothing_more_within_the_hour() -> None:
    house = House()
    await house.code("1")

    assert [await house.pairing.ask(stranger("1")) for _ in range(99)] == [None] * 99
    assert len(await house.pairing.waiting()) == 1
    house.clock.advance(LASTS.total_seconds())
    assert await house.pairing.ask(stranger("1")) is not None


async def test_whose_code_was_not_recorded_gets_another_and_the_first_is_void() -> None:
    house = House()
    lost = await house.pairing.ask(stranger("1"))
    assert lost is not None

    code = await house.again().ask(stranger("1"))

    assert code is not None
    with pytest.raises(AccessRefused):
        await house.pairing.approve(lost, by="terminal")
    assert (await house.pairing.approve(code, by="terminal"))[1].id == "1"


async def test_of_fifty_at_once_three_wait_and_the_others_are_ignored() -> None:
    house = House()

    codes = await asyncio.gather(*(house.pairing.ask(stranger(str(n))) for n in range(50)))

    given = [code for code in codes if code is not None]
    assert len(given) == MOST
    assert len(await house.pairing.waiting()) == MOST
    for code in given:
        await house.pairing.approve(code, by="terminal")
    assert await house.pairing.ask(stranger("99")) is not None


async def test_each_account_has_its_own_three() -> None:
    house = House()
    for number in range(MOST):
        await house.code(str(number))

    assert await house.pairing.ask(stranger("9")) is None
    assert await house.pairing.ask(stranger("9", account="second")) is not None


async def test_a_code_lets_in_whom_it_was_told_and_works_once() -> None:
    house = House()
    code = await house.code("-9007199254740993")

    channel, person = await house.pairing.approve(f" {code[:4].lower()}-{code[4:]} ", by="terminal")

    assert (channel, person.id, person.rank) == ("page", "-9007199254740993", Rank.GUEST)
    assert await house.people.rank_of("page", "-9007199254740993") is Rank.GUEST
    with pytest.raises(AccessRefused, match="no request has this code"):
        await house.pairing.approve(code, by="terminal")


async def test_after_an_hour_a_code_is_void() -> None:
    house = House()
    code = await house.code("1")
    house.clock.advance(LASTS.total_seconds())

    with pytest.raises(AccessRefused, match="older than an hour"):
        await house.pairing.approve(code, by="terminal")
    assert await house.people.rank_of("page", "1") is Rank.STRANGER


@pytest.mark.parametrize("rank", [Rank.OWNER, Rank.STRANGER])
async def test_no_code_makes_anybody_owner(rank: Rank) -> None:
    house = House()

    with pytest.raises(NotInvited, match="never as owner"):
        await house.pairing.approve(await house.code("1"), by="terminal", rank=rank)
    assert await house.people.rank_of("page", "1") is Rank.STRANGER


async def test_a_thousand_guesses_find_nothing_and_are_locked_after_five() -> None:
    house = House()
    code = await house.code("1")
    said = set[str]()

    for number in range(1_000):
        with pytest.raises(AccessRefused) as refused:
            await house.pairing.approve(f"{number:08d}", by="eve")
        said.add(str(refused.value))

    assert len(said) == 2
    with pytest.raises(AccessRefused, match="too many wrong codes"):
        await house.pairing.approve(code, by="eve")
    assert (await house.pairing.approve(code, by="terminal"))[1].id == "1"


async def test_all_together_are_locked_after_twenty_and_free_after_an_hour() -> None:
    house = House()
    for number in range(20):
        with pytest.raises(AccessRefused):
            await house.pairing.approve("22222222", by=f"eve {number}")
    code = await house.code("1")

    with pytest.raises(AccessRefused, match="too many wrong codes"):
        await house.pairing.approve(code, by="terminal")
    house.clock.advance(3_600)
    assert await house.pairing.approve(await house.code("2"), by="terminal")


async def test_who_was_refused_may_ask_again() -> None:
    house = House()
    gone = await house.pairing.refuse(await house.code("1"), by="terminal")

    assert gone.id == "1"
    assert await house.pairing.waiting() == []
    assert await house.pairing.ask(stranger("1")) is not None


async def test_who_is_shut_out_is_a_stranger_again() -> None:
    house = House()
    await house.pairing.approve(await house.code("1"), by="terminal", rank=Rank.MEMBER)

    await house.pairing.revoke("page", "1")

    assert await house.people.rank_of("page", "1") is Rank.STRANGER
    with pytest.raises(AccessRefused, match="page:1 was not let in"):
        await house.pairing.revoke("page", "1")


async def test_a_copy_of_the_store_gives_nobody_a_code() -> None:
    house = House()
    code = await house.code("1")

    kept = [record.value.decode() for record in await house.records.scan("")]

    assert code not in "".join(kept)


async def test_a_name_that_says_nothing_is_shown_as_the_id() -> None:
    house = House()
    code = await house.pairing.ask(stranger("4711", name="\u202e\u200b"))
    assert code is not None

    _, person = await house.pairing.approve(code, by="terminal")

    assert person.name == "no. 4711"


async def test_the_wall_clock_jumping_back_keeps_a_request() -> None:
    house = House()
    code = await house.code("1")
    house.clock.jump(timedelta(hours=-1))

    assert (await house.pairing.approve(code, by="terminal"))[1].id == "1"
