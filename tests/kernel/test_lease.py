import asyncio

import pytest

from bot.contracts.errors import LeaseLost, StoreUnavailable, TurnInterrupted
from bot.contracts.store import Renewal
from bot.contracts.turn import Turn, TurnState
from bot.kernel.lease import MARGIN_SECONDS, RENEW_SECONDS, TTL_SECONDS, Lease
from tests.doubles.arrivals import an_arrival
from tests.doubles.clock import FakeClock


class Renewals:
    """The one verb of the queue that a lease uses; a None is a store that cannot be asked."""

    def __init__(self, *answers: Renewal | None) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def renew(self, turn: Turn) -> Renewal:
        del turn
        self.asked += 1
        answer = self.answers.pop(0) if self.answers else Renewal.HELD
        if answer is None:
            raise StoreUnavailable("the disk does not work")
        return answer


def a_turn() -> Turn:
    arrival = an_arrival("hi")
    return Turn(id=arrival.turn_id, seq=1, arrival=arrival, state=TurnState.RUNNING, attempt=1)


async def let_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Work:
    """Something that goes on until it is ended, and knows that it was."""

    def __init__(self) -> None:
        self.ended = False

    async def __call__(self) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True
        return "never"


async def test_work_that_ends_gives_its_value() -> None:
    async def work() -> str:
        return "done"

    lease = Lease(Renewals(), a_turn(), FakeClock())

    assert await lease.carry(work()) == "done"


async def test_work_that_was_stopped_before_it_began_does_not_begin() -> None:
    steps: list[str] = []

    async def work() -> str:
        steps.append("a request is on its way")
        return "done"

    lease = Lease(Renewals(), a_turn(), FakeClock())
    lease.ask_to_stop()

    with pytest.raises(TurnInterrupted):
        await lease.carry(work())
    assert steps == []


async def test_a_stop_ends_the_work_before_it_is_told() -> None:
    work = Work()
    lease = Lease(Renewals(), a_turn(), FakeClock())
    carrying = asyncio.create_task(lease.carry(work()))
    await let_run()

    lease.ask_to_stop()

    with pytest.raises(TurnInterrupted):
        await carrying
    assert work.ended


@pytest.mark.parametrize(
    ("renewal", "error"), [(Renewal.LOST, LeaseLost), (Renewal.STOP_ASKED, TurnInterrupted)]
)
async def test_what_a_renewal_learns_ends_the_work(
    renewal: Renewal, error: type[Exception]
) -> None:
    clock, work = FakeClock(), Work()
    lease = Lease(Renewals(Renewal.HELD, renewal), a_turn(), clock)
    carrying = asyncio.create_task(lease.carry(work()))
    for _ in range(2):
        await let_run()
        clock.advance(RENEW_SECONDS)

    with pytest.raises(error):
        await carrying
    assert work.ended


async def test_a_process_that_slept_through_its_lease_asks_who_has_the_turn() -> None:
    clock, renewals = FakeClock(), Renewals(Renewal.HELD, Renewal.LOST)
    lease = Lease(renewals, a_turn(), clock)
    carrying = asyncio.create_task(lease.carry(Work()()))
    await let_run()

    clock.advance(10 * TTL_SECONDS)
    await let_run()
    assert not carrying.done()

    clock.advance(10 * TTL_SECONDS)
    with pytest.raises(LeaseLost):
        await carrying


async def test_a_store_that_cannot_be_asked_is_asked_again_until_the_lease_has_run_out() -> None:
    clock, work = FakeClock(), Work()
    renewals = Renewals(None, None, Renewal.HELD, None, None, None)
    carrying = asyncio.create_task(Lease(renewals, a_turn(), clock).carry(work()))
    for _ in range(5):
        await let_run()
        clock.advance(RENEW_SECONDS)
    await let_run()
    assert not carrying.done()

    clock.advance(TTL_SECONDS - MARGIN_SECONDS - 2 * RENEW_SECONDS)
    await let_run()
    clock.advance(RENEW_SECONDS)

    with pytest.raises(LeaseLost):
        await carrying
    assert work.ended


async def test_work_that_cancels_itself_is_a_failure_and_no_cancellation() -> None:
    async def work() -> str:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError):
        await Lease(Renewals(), a_turn(), FakeClock()).carry(work())


async def test_a_renewed_lease_lasts() -> None:
    clock, renewals = FakeClock(), Renewals()
    lease = Lease(renewals, a_turn(), clock)
    carrying = asyncio.create_task(lease.carry(Work()()))
    for _ in range(30):
        await let_run()
        clock.advance(RENEW_SECONDS)
    await let_run()

    assert not carrying.done()
    assert renewals.asked == 30
    carrying.cancel()
    await asyncio.wait({carrying})


async def test_cancelling_whoever_carries_ends_the_work_too() -> None:
    work = Work()
    carrying = asyncio.create_task(Lease(Renewals(), a_turn(), FakeClock()).carry(work()))
    await let_run()

    carrying.cancel()
    await asyncio.wait({carrying})

    assert carrying.cancelled()
    assert work.ended
