"""Links that work once, logins that last, and guessing that does not pay."""

import asyncio
from datetime import timedelta

from channels.webchat.auth import Lockout, Logins
from tests.channels.webchat.house import HouseClock
from tests.doubles.memory_records import MemoryRecords


async def test_a_code_becomes_a_login_once() -> None:
    logins = Logins(MemoryRecords(), HouseClock())
    code = await logins.new_code()

    login = await logins.redeem(code)

    assert login is not None
    assert await logins.knows(login)
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
    assert not await logins.knows("")
    assert not await logins.knows(code)


async def test_a_login_in_use_does_not_run_out_and_an_idle_one_does() -> None:
    clock = HouseClock()
    logins = Logins(MemoryRecords(), clock)
    used = await logins.redeem(await logins.new_code())
    idle = await logins.redeem(await logins.new_code())
    assert used is not None
    assert idle is not None

    for days in (45, 90, 135):
        clock.ahead = timedelta(days=days)
        assert await logins.knows(used)

    assert not await logins.knows(idle)


async def test_a_login_survives_a_restart() -> None:
    records = MemoryRecords()
    before = Logins(records, HouseClock())
    login = await before.redeem(await before.new_code())
    assert login is not None

    assert await Logins(records, HouseClock()).knows(login)


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


def test_ten_failures_a_minute_lock_the_door_until_the_minute_is_over() -> None:
    clock = HouseClock()
    lockout = Lockout(clock)
    for second in range(9):
        clock.ahead = timedelta(seconds=second)
        lockout.note_failure()
    assert lockout.remaining() == 0

    lockout.note_failure()

    assert lockout.remaining() == 52
    clock.ahead = timedelta(seconds=61)
    assert lockout.remaining() == 0
