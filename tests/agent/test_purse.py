"""Limits on spending hold, however many ask at once, and open again when they should."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.agent.estimate import Estimate
from bot.agent.purse import Purse, midnight_after
from bot.contracts.budget import Allowance, Caps, Cost, Scope, Unit
from bot.contracts.errors import BudgetSpent
from bot.contracts.inbound import Sender
from bot.contracts.ledger import Spending
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Failure, Lane, Rank, Turn, TurnState, Usage
from tests.doubles.arrivals import an_arrival, an_inbound
from tests.doubles.clock import START, FakeClock

_CALL = Estimate(least=Cost(micro_usd=10), most=Cost(micro_usd=100))
_TODAY = START.astimezone().date()


def money(**amounts: int) -> Caps:
    return Caps(money={Scope(name): amount for name, amount in amounts.items()})


def a_turn(
    person: str = "owner",
    rank: Rank = Rank.OWNER,
    *,
    session: str = "s",
    lane: Lane = Lane.PEOPLE,
    name: str = "t",
) -> Turn:
    inbound = replace(an_inbound("hello"), sender=Sender(id=person))
    arrival = an_arrival(
        "hello", inbound=inbound, rank=rank, session=session, lane=lane, turn_id=name
    )
    return Turn(id=arrival.turn_id, seq=1, arrival=arrival, state=TurnState.RUNNING, attempt=1)


async def spend(purse: Purse, turn: Turn, micro: int) -> None:
    held = await purse.of(turn).hold(_CALL, Cost())
    held.settle(Cost(micro_usd=micro))


async def refused(purse: Purse, turn: Turn, in_turn: Cost | None = None) -> Scope:
    with pytest.raises(BudgetSpent) as caught:
        await purse.of(turn).hold(_CALL, in_turn or Cost())
    assert caught.value.failure is Failure.SPENDING
    assert caught.value.limit is not None
    return caught.value.limit.scope


async def test_a_call_that_fits_is_made_and_one_that_does_not_is_refused() -> None:
    purse = Purse(money(day=110), FakeClock(START))

    await spend(purse, a_turn(), 100)
    await spend(purse, a_turn(), 1)

    assert await refused(purse, a_turn()) is Scope.DAY


async def test_what_is_refused_says_which_limit_how_much_and_until_when() -> None:
    purse = Purse(money(day=110), FakeClock(START))
    await spend(purse, a_turn(), 105)

    with pytest.raises(BudgetSpent) as caught:
        await purse.of(a_turn()).hold(_CALL, Cost())

    met = caught.value.limit
    assert met is not None
    assert (met.setting, met.limit, met.spent) == ("limits.money.day", 110, 105)
    assert met.until == midnight_after(_TODAY)


async def test_a_hundred_turns_at_once_do_not_overshoot_by_a_hundred_calls() -> None:
    purse = Purse(money(day=1_000), FakeClock(START))
    running, most_running, spent, ends = 0, 0, 0, 0

    async def turn(number: int) -> None:
        nonlocal running, most_running, spent, ends
        try:
            held = await purse.of(a_turn(name=f"t{number}", session=f"s{number}")).hold(
                _CALL, Cost()
            )
        except BudgetSpent:
            ends += 1
            return
        running += 1
        most_running = max(most_running, running)
        await asyncio.sleep(0)
        running -= 1
        spent += 100
        held.settle(Cost(micro_usd=100))

    async with asyncio.timeout(10):
        await asyncio.gather(*(turn(number) for number in range(100)))

    assert 1_000 - 10 < spent <= 1_000 + 100
    assert most_running <= 10
    assert ends == 100 - spent // 100


async def test_who_meets_only_money_that_is_held_waits_for_it() -> None:
    purse = Purse(money(day=110), FakeClock(START))
    first = await purse.of(a_turn(name="a")).hold(_CALL, Cost())
    second = await purse.of(a_turn(name="b")).hold(_CALL, Cost())
    third = asyncio.ensure_future(purse.of(a_turn(name="c")).hold(_CALL, Cost()))
    await asyncio.sleep(0)
    assert not third.done()

    first.settle(Cost(micro_usd=1))
    second.settle(Cost(micro_usd=1))

    async with asyncio.timeout(5):
        (await third).settle(Cost())


async def test_who_waits_and_is_stopped_holds_nothing() -> None:
    purse = Purse(money(day=105), FakeClock(START))
    first = await purse.of(a_turn(name="a")).hold(_CALL, Cost())
    waiting = asyncio.ensure_future(purse.of(a_turn(name="b")).hold(_CALL, Cost()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    first.settle(Cost())

    (await purse.of(a_turn(name="c")).hold(_CALL, Cost())).settle(Cost())


async def test_what_is_held_is_settled_once() -> None:
    purse = Purse(money(day=1_000), FakeClock(START))
    held = await purse.of(a_turn()).hold(_CALL, Cost())

    held.settle(Cost(micro_usd=100))
    held.settle(Cost(micro_usd=100))

    assert purse.account((Scope.DAY, "")).spent == Cost(micro_usd=100)
    assert purse.account((Scope.DAY, "")).held == Cost()


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER])
async def test_a_guest_or_member_cannot_spend_the_owner_s_day(rank: Rank) -> None:
    purse = Purse(money(person=100, others=150, day=1_000), FakeClock(START))

    await spend(purse, a_turn("anna", rank), 100)

    assert await refused(purse, a_turn("anna", rank)) is Scope.PERSON
    await spend(purse, a_turn("ben", rank), 50)
    assert await refused(purse, a_turn("cleo", rank)) is Scope.OTHERS
    await spend(purse, a_turn("owner", Rank.OWNER), 500)
    await spend(purse, a_turn("boss", Rank.ADMIN), 200)


async def test_each_scope_holds_its_own() -> None:
    clock = FakeClock(START)
    purse = Purse(money(session=100), clock)
    await spend(purse, a_turn(session="one"), 100)
    assert await refused(purse, a_turn(session="one")) is Scope.SESSION
    await spend(purse, a_turn(session="other"), 100)

    purse = Purse(money(agent=100), clock)
    await spend(purse, a_turn(), 100)
    assert await refused(purse, a_turn(session="other")) is Scope.AGENT

    purse = Purse(money(background=100, day=1_000), clock)
    await spend(purse, a_turn(lane=Lane.BACKGROUND), 100)
    assert await refused(purse, a_turn(lane=Lane.BACKGROUND)) is Scope.BACKGROUND
    await spend(purse, a_turn(), 100)


async def test_a_turn_is_held_by_what_its_record_says_it_spent() -> None:
    purse = Purse(money(turn=100), FakeClock(START))

    assert await refused(purse, a_turn(), Cost(micro_usd=91)) is Scope.TURN
    (await purse.of(a_turn()).hold(_CALL, Cost(micro_usd=90))).settle(Cost())


async def test_where_no_price_is_known_tokens_are_limited_and_money_is_not() -> None:
    tokens = Estimate(least=Cost(unpriced_tokens=10), most=Cost(unpriced_tokens=100))
    caps = Caps(money={Scope.DAY: 0}, tokens={Scope.DAY: 105})
    purse = Purse(caps, FakeClock(START))

    (await purse.of(a_turn()).hold(tokens, Cost())).settle(Cost(unpriced_tokens=100))

    with pytest.raises(BudgetSpent) as caught:
        await purse.of(a_turn()).hold(tokens, Cost())
    assert caught.value.limit is not None
    assert caught.value.limit.unit is Unit.TOKENS


async def test_what_is_free_is_never_refused() -> None:
    purse = Purse(money(turn=0, day=0), FakeClock(START))
    free = Estimate(least=Cost(), most=Cost())

    (await purse.of(a_turn()).hold(free, Cost())).settle(Cost())


async def test_a_limit_begins_anew_at_midnight_and_a_clock_set_back_finds_the_old_day() -> None:
    clock = FakeClock(START)
    purse = Purse(money(day=100), clock)
    await spend(purse, a_turn(), 95)
    assert await refused(purse, a_turn()) is Scope.DAY

    clock.jump(timedelta(days=1))
    await spend(purse, a_turn(), 50)
    clock.jump(timedelta(days=-1))

    assert await refused(purse, a_turn()) is Scope.DAY


def spending(micro: int, *, day: date = _TODAY, rank: Rank = Rank.OWNER) -> Spending:
    return Spending(
        day=day,
        person="page:owner",
        rank=rank,
        agent_id=AgentId("main"),
        session_key=SessionKey("s"),
        model="m",
        lane=Lane.PEOPLE,
        turns=1,
        usage=Usage(micro_usd=micro),
    )


async def test_a_restart_forgets_nothing_of_today_and_counts_nothing_of_yesterday() -> None:
    book = [spending(60), spending(35), spending(500, day=_TODAY - timedelta(days=1))]
    purse = Purse(money(day=100), FakeClock(START), spent=book)

    assert await refused(purse, a_turn()) is Scope.DAY
    assert purse.account((Scope.DAY, "")).spent == Cost(micro_usd=95)


async def test_what_the_owner_allows_is_for_today_and_wakes_who_waits() -> None:
    clock = FakeClock(START)
    purse = Purse(money(day=100), clock)
    await spend(purse, a_turn(), 95)

    purse.allow(Allowance(scope=Scope.DAY, unit=Unit.MONEY, amount=50))
    await spend(purse, a_turn(), 50)
    assert await refused(purse, a_turn()) is Scope.DAY
    clock.jump(timedelta(days=1))
    await spend(purse, a_turn(), 95)

    assert await refused(purse, a_turn()) is Scope.DAY


async def test_at_four_fifths_a_warning_is_given_once_and_again_for_a_raised_limit() -> None:
    purse = Purse(money(day=1_000), FakeClock(START))
    mine = purse.of(a_turn())
    await spend(purse, a_turn(), 799)
    assert mine.warnings(Cost()) == ()

    await spend(purse, a_turn(), 1)

    (met,) = purse.of(a_turn(session="other")).warnings(Cost())
    assert (met.scope, met.limit, met.spent) == (Scope.DAY, 1_000, 800)
    assert mine.warnings(Cost()) == ()
    purse.allow(Allowance(scope=Scope.DAY, unit=Unit.MONEY, amount=500))
    assert mine.warnings(Cost()) == ()
    await spend(purse, a_turn(), 400)
    assert [met.limit for met in mine.warnings(Cost())] == [1_500]


async def test_a_turn_near_its_own_limit_is_told_of_once() -> None:
    mine = Purse(money(turn=100), FakeClock(START)).of(a_turn())

    assert mine.warnings(Cost(micro_usd=79)) == ()
    assert [met.scope for met in mine.warnings(Cost(micro_usd=80))] == [Scope.TURN]
    assert mine.warnings(Cost(micro_usd=90)) == ()
