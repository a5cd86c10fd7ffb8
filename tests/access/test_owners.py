"""Nobody is owner but whom the terminal named, or who told the bot its code."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from bot.access.owners import Owners, Redeemed, said_code
from bot.clock import SecretCodes
from bot.contracts.errors import StoreUnavailable
from bot.contracts.inbound import ConversationKind, EventClass, Inbound, Sender
from tests.doubles.arrivals import an_inbound
from tests.doubles.clock import FakeClock
from tests.doubles.memory_records import MemoryRecords


class House:
    def __init__(self) -> None:
        self.records = MemoryRecords()
        self.clock = FakeClock()
        self.owners = self.again()

    def again(self) -> Owners:
        return Owners(self.records, self.clock, SecretCodes(), frozenset({"webchat:owner"}))

    async def restarted(self) -> Owners:
        owners = self.again()
        await owners.load()
        return owners


def telling(text: str, who: str = "7") -> Inbound:
    return replace(an_inbound(text), sender=Sender(id=who, display_name="Ana"))


async def test_who_tells_the_code_is_owner_on_that_channel_and_stays_so() -> None:
    house = House()
    code = await house.owners.offer("page")

    assert await house.owners.redeem(telling(f"/owner {code}")) is Redeemed.MADE

    for owners in (house.owners, await house.restarted()):
        assert "page:7" in owners
        assert "other:7" not in owners
        assert "page:Ana" not in owners
        assert [(one.channel, one.id) for one in owners.every()] == [("page", "7")]


@pytest.mark.parametrize(
    "written", ["/owner {}", "/start {}", "/owner@stonechat {}", " /OWNER {} "]
)
async def test_a_code_may_be_typed_or_come_by_a_link(written: str) -> None:
    house = House()
    code = await house.owners.offer("page")
    text = written.format(code.lower()).replace("/OWNER", "/owner")

    assert await house.owners.redeem(telling(text)) is Redeemed.MADE


async def test_of_two_who_tell_it_at_the_same_time_one_is_owner() -> None:
    house = House()
    code = await house.owners.offer("page")

    results = await asyncio.gather(
        *(house.owners.redeem(telling(f"/owner {code}", who)) for who in ("7", "8", "9"))
    )

    assert Counter(results) == {Redeemed.MADE: 1, Redeemed.UNHEARD: 2}
    assert len(house.owners.every()) == 1


async def test_a_code_works_once_for_ten_minutes_and_on_its_channel_alone() -> None:
    house = House()
    code = await house.owners.offer("page")

    elsewhere = replace(telling(f"/owner {code}"), channel="other")
    assert await house.owners.redeem(elsewhere) is Redeemed.UNHEARD
    house.clock.advance(600)
    assert await house.owners.redeem(telling(f"/owner {code}")) is Redeemed.UNHEARD

    code = await house.owners.offer("page")
    assert await house.owners.redeem(telling(f"/owner {code}")) is Redeemed.MADE
    assert await house.owners.redeem(telling(f"/owner {code}", "8")) is Redeemed.UNHEARD
    assert "page:8" not in house.owners


async def test_a_newer_code_voids_the_older_and_a_restart_voids_none() -> None:
    house = House()
    older = await house.owners.offer("page")
    newer = await house.owners.offer("page")
    owners = await house.restarted()

    assert await owners.redeem(telling(f"/owner {older}")) is Redeemed.WRONG
    assert await owners.redeem(telling(f"/owner {newer}")) is Redeemed.MADE
    assert await (await house.restarted()).redeem(telling(f"/owner {newer}", "8")) is (
        Redeemed.UNHEARD
    )


async def test_guesses_are_counted_and_locked() -> None:
    house = House()
    code = await house.owners.offer("page")
    wrong = "/owner 2222-2222-2222-2222"

    guessed = [await house.owners.redeem(telling(wrong)) for _ in range(1_000)]

    assert guessed == [Redeemed.WRONG] * 5 + [Redeemed.UNHEARD] * 995
    assert await house.owners.redeem(telling(f"/owner {code}")) is Redeemed.UNHEARD
    assert await house.owners.redeem(telling(f"/owner {code}", "8")) is Redeemed.MADE


@pytest.mark.parametrize(
    "inbound",
    [
        telling("hello"),
        telling("/owner"),
        telling("/owner please make me one"),
        telling("I said /owner 2222-2222-2222-2222"),
        replace(telling("/owner 2222-2222-2222-2222"), event=EventClass.EDIT),
        replace(telling("/owner 2222-2222-2222-2222"), event=EventClass.REACTION),
        replace(
            telling("/owner 2222-2222-2222-2222"),
            conversation=replace(an_inbound("x").conversation, kind=ConversationKind.ROOM),
        ),
    ],
)
async def test_what_is_no_code_in_a_direct_chat_is_none(inbound: Inbound) -> None:
    house = House()
    await house.owners.offer("page")

    assert said_code(inbound) is None
    assert await house.owners.redeem(inbound) is None


async def test_who_is_removed_is_none_any_more_also_where_it_cannot_be_written_first() -> None:
    house = House()
    await house.owners.add("page", "7", "Ana")
    house.records.broken = True
    with pytest.raises(StoreUnavailable):
        await house.owners.remove("page", "7")
    assert "page:7" in house.owners
    house.records.broken = False

    assert await house.owners.remove("page", "7") is not None

    assert "page:7" not in house.owners
    assert "page:7" not in await house.restarted()
    assert await house.owners.remove("page", "7") is None


async def test_a_record_that_cannot_be_read_makes_nobody_owner() -> None:
    house = House()
    await house.records.swap("owner:page:7", b'{"channel": "page"}', version=0)
    await house.records.swap("ownercode:page", b"x", version=0)

    owners = await house.restarted()

    assert owners.every() == []
    assert "webchat:owner" in owners


async def test_the_direct_chat_of_an_owner_is_known_once_they_wrote_there() -> None:
    house = House()
    await house.owners.add("page", "alice")
    assert house.owners.place_of("page", "alice") is None

    await house.owners.saw(an_inbound("hi", conversation="d5"))

    assert house.owners.place_of("page", "alice") == "d5"
    assert (await house.restarted()).place_of("page", "alice") == "d5"
