"""What is being taken over ends before its sender is shut out, and nothing begins after."""

import asyncio

import pytest

from channels.webchat.threshold import ShutOut, Threshold

_AWAITS = 4


class Taking:
    """Something with several places at which it waits; it is held at one of them."""

    def __init__(self, held_at: int) -> None:
        self.held_at = held_at
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()
        self.ended = False

    async def work(self) -> str:
        for place in range(_AWAITS):
            if place == self.held_at:
                self.reached.set()
                await self.go_on.wait()
            await asyncio.sleep(0)
        self.ended = True
        return "taken"


@pytest.mark.parametrize("held_at", range(_AWAITS))
@pytest.mark.parametrize("is_cut_off", [False, True])
async def test_shutting_out_waits_for_what_is_under_way_even_if_its_page_went_away(
    held_at: int, is_cut_off: bool
) -> None:
    threshold, taking = Threshold(), Taking(held_at)
    carried = asyncio.create_task(threshold.carry("anna", taking.work()))
    await taking.reached.wait()
    if is_cut_off:
        carried.cancel()
        await asyncio.gather(carried, return_exceptions=True)
    shutting = asyncio.create_task(threshold.shut("anna"))
    for _ in range(50):
        await asyncio.sleep(0)
    assert not shutting.done()

    taking.go_on.set()
    await shutting

    assert taking.ended
    assert is_cut_off or await carried == "taken"


async def test_nothing_of_theirs_begins_after_until_they_are_let_in_again() -> None:
    threshold = Threshold()
    await threshold.shut("anna")
    taking = Taking(-1)
    with pytest.raises(ShutOut):
        await threshold.carry("anna", taking.work())
    assert not taking.ended
    assert await threshold.carry("bob", Taking(-1).work()) == "taken"

    threshold.open("anna")
    assert await threshold.carry("anna", Taking(-1).work()) == "taken"


async def test_what_fails_fails_for_whoever_asked() -> None:
    async def fail() -> None:
        raise ValueError

    threshold = Threshold()
    with pytest.raises(ValueError):  # noqa: PT011 - it has no words
        await threshold.carry("anna", fail())
    await threshold.shut("anna")
