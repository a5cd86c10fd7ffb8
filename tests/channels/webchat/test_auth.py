"""Links that work once, logins that last, and guessing that does not pay."""

import asyncio
import hashlib
from datetime import timedelta

import pytest

from channels.webchat.auth import INVITATION_LASTS, Logins
from tests.channels.webchat.house import HouseClock
from tests.doubles.memory_records import MemoryRecords


async def test_a_code_becomes_a_login_once() -> None:
    logins = Logins(MemoryRecords(), HouseClock())
    code = await logins.new_code()

    login = await logins.redeem(code)

    assert login is not None
    assert await logins.whose(login) == "owner"
    assert await logins.redeem(code) is None


async def test_of_two_who_redeem_at_once_one_gets_in() -> None:
    logins = Logins(MemoryRecords(), HouseClock())
    code = await logins.new_code()

    results = await asyncio.gather(logins.redeem(code), logins.redeem(code))

    assert sum(result is not None for result in results) == 1


async def test_a_code_is_over_after_ten_minutes() -> None:
    clock = HouseClock()
    logins = Logins(MemoryRecords(), clock)
    code, late = await logins.new_code(), await logins.new_code()

    clock.ahead = timedelta(minutes=9, seconds=59)
    assert await logins.redeem(code) is not None
    clock.ahead = timedelta(minutes=10)
    assert await logins.redeem(late) is None


async def test_a_wrong_code_or_login_is_nobody_s() -> None:
    logins = Logins(MemoryRecords(), HouseClock())
    code = await logins.new_code()

    assert await logins.redeem(code[:-1]) is None
    assert not await logins.whose("")
    assert not await logins.whose(code)


async def test_a_login_in_use_does_not_run_out_and_an_idle_one_does() -> None:
    clock = HouseClock()
    logins = Logins(MemoryRecords(), clock)
    used = await logins.redeem(await logins.new_code())
    idle = await logins.redeem(await logins.new_code())
    assert used is not None
    assert idle is not None

    for days in (45, 90, 135):
        clock.ahead = timedelta(days=days)
        assert await logins.whose(used)

    assert not await logins.whose(idle)


async def test_a_login_survives_a_restart() -> None:
    records = MemoryRecords()
    before = Logins(records, HouseClock())
    login = await before.redeem(await before.new_code())
    assert login is not None

    assert await Logins(records, HouseClock()).whose(login)


async def test_neither_a_code_nor_a_login_is_written_down() -> None:
    records = MemoryRecords()
    logins = Logins(records, HouseClock())
    code = await logins.new_code()
    login = await logins.redeem(code)
    assert login is not None

    written = repr([(one.key, one.value) for one in await records.scan("")])

    assert code not in written
    assert login not in written


async def test_what_ran_out_is_forgotten() -> None:
    clock, records = HouseClock(), MemoryRecords()
    logins = Logins(records, clock)
    await logins.redeem(await logins.new_code())
    await logins.new_code()
    clock.ahead = timedelta(days=91)

    await logins.new_code()

    assert len(await records.scan("webchat:")) == 1


async def test_a_login_says_whose_it_is() -> None:
    logins = Logins(MemoryRecords(), HouseClock())
    login = await logins.redeem(await logins.new_code("anna", lasts=INVITATION_LASTS))
    assert login is not None

    assert await logins.whose(login) == "anna"


async def test_an_invitation_lasts_a_day() -> None:
    clock = HouseClock()
    logins = Logins(MemoryRecords(), clock)
    first = await logins.new_code("anna", lasts=INVITATION_LASTS)
    second = await logins.new_code("anna", lasts=INVITATION_LASTS)

    clock.ahead = timedelta(hours=23, minutes=59)
    assert await logins.redeem(first) is not None
    clock.ahead = timedelta(hours=24)
    assert await logins.redeem(second) is None


async def test_who_is_signed_out_keeps_no_link_and_no_login_and_nobody_else_loses_one() -> None:
    logins = Logins(MemoryRecords(), HouseClock())
    hers = [await logins.redeem(await logins.new_code("anna")) for _ in range(2)]
    his, unused = await logins.redeem(await logins.new_code("bert")), await logins.new_code("anna")
    other = await logins.new_code("bert")

    await logins.end("anna")

    assert [await logins.whose(login or "") for login in hers] == [None, None]
    assert await logins.redeem(unused) is None
    assert await logins.whose(his or "") == "bert"
    assert await logins.redeem(other) is not None


async def test_a_login_from_before_there_were_other_people_is_the_owner_s_and_is_prolonged() -> (
    None
):
    clock, records = HouseClock(), MemoryRecords()
    key = "webchat:login:" + hashlib.sha256(b"old login").hexdigest()
    await records.swap(key, (clock.now() + timedelta(days=80)).isoformat().encode(), version=0)
    logins = Logins(records, clock)

    assert await logins.whose("old login") == "owner"
    clock.ahead = timedelta(days=85)
    assert await logins.whose("old login") == "owner"


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"{}",
        b"2027-01-01T00:00:00",
        b'{"v":2,"until":"2027-01-01T00:00:00Z","person":"owner"}',
        b'{"v":1,"until":"soon","person":"owner"}',
        b"\xff",
    ],
)
async def test_a_record_that_cannot_be_read_lets_nobody_in(value: bytes) -> None:
    records = MemoryRecords()
    key = "webchat:login:" + hashlib.sha256(b"login").hexdigest()
    await records.swap(key, value, version=0)
    logins = Logins(records, HouseClock())

    assert await logins.whose("login") is None
    await logins.new_code()  # the sweep passes it over
