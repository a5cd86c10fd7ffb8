"""At every await of a running turn a message comes, a guest's message, or a stop."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.channel import Accepted
from bot.contracts.inbound import Sender
from bot.contracts.messages import AssistantMessage, ToolResult, UserMessage
from bot.contracts.model import ModelRequest
from bot.contracts.store import Opened
from bot.contracts.turn import Arrival, OutcomeKind, Rank, TurnId, TurnState
from tests.doubles.arrivals import an_arrival, an_inbound
from tests.doubles.injection import Injection
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import Step, call, words
from tests.doubles.tools import Ledger

_ENOUGH = 400
"""More awaits than a turn with one tool has."""


def works(request: ModelRequest) -> AssistantMessage:
    """Use the tool for whatever says "work", else be done."""
    last = request.messages[-1]
    if isinstance(last, UserMessage) and last.text.endswith("work"):
        return call("act")
    return words(f"Done with {_asked(request)}.")


def _asked(request: ModelRequest) -> int:
    return sum(isinstance(message, UserMessage) for message in request.messages)


@asynccontextmanager
async def a_working_rig(tmp_path: Path) -> AsyncIterator[Rig]:
    endless: list[Step] = [works] * 2_000
    ledger = Ledger()
    tool = ledger.tool(act=ledger.note_the_end)
    async with a_rig(tmp_path / "home", *endless, tools=[tool]) as rig:
        rig.model.hesitates = True
        yield rig


async def at_every_await(
    rig: Rig,
    happens: Callable[[int], object],
    check: Callable[[Accepted, int], object],
) -> int:
    """Run a turn for each of its awaits, with *happens* at it; return how many there were."""
    at = 0

    async def now() -> None:
        await happens(at)  # type: ignore[misc] # both are coroutine functions

    injection = Injection(now)
    injection.install()
    try:
        while at < _ENOUGH:
            injection.arm(at)
            running = await rig.say("work")
            await rig.outcome(running.turn_id)
            if not injection.happened.is_set():
                return at
            await check(running, at)  # type: ignore[misc] # both are coroutine functions
            at += 1
    finally:
        injection.remove()
    raise AssertionError("a turn never ended")


async def answers_of(rig: Rig, turn_id: TurnId) -> int:
    """How many answers there are to a message, by itself or with the turn that it joined."""
    record = await rig.outcome(turn_id)
    said = await rig.said_to(record.absorbed_by or turn_id)
    return len(said)


async def test_a_message_at_any_await_is_answered_exactly_once(tmp_path: Path) -> None:
    async with a_working_rig(tmp_path) as rig:
        came: dict[int, Accepted] = {}
        joined = 0

        async def say(at: int) -> None:
            came[at] = await rig.say(f"extra {at}.")

        async def check(running: Accepted, at: int) -> None:
            nonlocal joined
            assert await answers_of(rig, running.turn_id) == 1
            assert await answers_of(rig, came[at].turn_id) == 1
            record = await rig.outcome(came[at].turn_id)
            assert record.absorbed_by in {None, running.turn_id}
            joined += record.absorbed_by is not None
            heard = [m.text for m in rig.model.requests[-1].messages if isinstance(m, UserMessage)]
            assert sum(f"extra {at}." in text for text in heard) == 1

        awaits = await at_every_await(rig, say, check)

    assert awaits > 10
    assert 0 < joined < awaits


async def test_a_guests_message_at_any_await_reaches_no_request_of_the_owners(
    tmp_path: Path,
) -> None:
    async with a_working_rig(tmp_path) as rig:
        guests: dict[int, TurnId] = {}

        async def say(at: int) -> None:
            arrival = await a_guests(rig, f"guest {at}.")
            (result,) = await rig.app.store.turns.open(arrival)
            assert isinstance(result, Opened)
            guests[at] = result.turn.id

        async def check(running: Accepted, at: int) -> None:
            record = await rig.outcome(guests[at])
            assert record.absorbed_by is None
            assert record.outcome is not None
            assert record.outcome.kind is OutcomeKind.ANSWERED
            owners = [
                request
                for request in rig.model.requests
                if not any(f"guest {at}." in getattr(m, "text", "") for m in request.messages)
            ]
            last = owners[-1].messages[-1]
            assert isinstance(last, ToolResult), "the owner's turn was over without the guest"
            assert await answers_of(rig, running.turn_id) == 1

        assert await at_every_await(rig, say, check) > 10


async def a_guests(rig: Rig, text: str) -> Arrival:
    """What a guest says in the owner's own session and conversation."""
    inbound = replace(
        an_inbound(text, conversation="main", channel="webchat"), sender=Sender(id="gus")
    )
    now = rig.app.clock.now()
    arrival = an_arrival(text, inbound=inbound, session="agent:main:main", rank=Rank.GUEST)
    return replace(
        arrival,
        turn_id=TurnId(f"guest-{text}"),
        received_at=now,
        fresh_until=now.replace(year=now.year + 1),
    )


@pytest.mark.parametrize("how", ["typed", "pressed"])
async def test_a_stop_at_any_await_leaves_one_outcome_and_the_next_message_is_answered(
    tmp_path: Path, how: str
) -> None:
    async with a_working_rig(tmp_path) as rig:
        stops: dict[int, Accepted] = {}
        stopped = 0

        async def stop(at: int) -> None:
            stops[at] = await (rig.say("/stop") if how == "typed" else rig.press_stop())

        async def check(running: Accepted, at: int) -> None:
            nonlocal stopped
            record = await rig.outcome(running.turn_id)
            assert record.outcome is not None
            assert record.turn.state is TurnState.FINISHED
            interrupted = record.outcome.kind is OutcomeKind.INTERRUPTED
            stopped += interrupted
            assert interrupted or record.outcome.kind is OutcomeKind.ANSWERED
            told = await rig.said_to(running.turn_id)
            answered = await rig.said_to(stops[at].turn_id)
            assert len(told) == 1
            assert not answered or not interrupted
            assert (await rig.answered("are you there?")).startswith("Done")
            assert_legal(rig.model.requests[-1])

        awaits = await at_every_await(rig, stop, check)

    assert awaits > 10
    assert stopped > awaits // 2


def assert_legal(request: ModelRequest) -> None:
    """Every call has its one result, right behind it."""
    open_calls: list[str] = []
    for message in request.messages:
        if isinstance(message, ToolResult):
            open_calls.remove(message.call_id)
            continue
        assert not open_calls
        if isinstance(message, AssistantMessage):
            open_calls = [one.id for one in message.tool_calls]
    assert not open_calls
