"""The courier on the real store, with a platform that fails as the test says."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.bus.local import LocalBus
from bot.contracts.channel import Channel
from bot.contracts.delivery import Delivery, DeliveryState, GivenUp, OnUnknown, Receipt
from bot.contracts.errors import (
    ChannelError,
    ChannelUnavailable,
    RateLimited,
    SendRejected,
    SendUncertain,
    StoreUnavailable,
)
from bot.contracts.ledger import DeliveryQuery
from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.store import Outbox, Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind, Turn
from bot.delivery.courier import Courier, NoticeOf
from tests.doubles.arrivals import a_delivery, an_arrival
from tests.doubles.clock import START, FairChance, FakeClock, HastyClock
from tests.doubles.fake_channel import FakeChannel
from tests.doubles.stores import a_store


def no_notice(delivery: Delivery, reason: str) -> Sequence[Delivery]:
    del delivery, reason
    return ()


@asynccontextmanager
async def delivering(
    store: Store,
    channel: Channel,
    clock: FakeClock,
    notice_of: NoticeOf = no_notice,
    *,
    outbox: Outbox | None = None,
    send_seconds: float = 60.0,
    end_seconds: float = 10.0,
) -> AsyncIterator[None]:
    """Run a courier for the page."""
    courier = Courier(
        channel=channel,
        outbox=outbox or store.outbox,
        notice_of=notice_of,
        bus=LocalBus(),
        clock=clock,
        chance=FairChance(),
        send_seconds=send_seconds,
        end_seconds=end_seconds,
    )
    stopping = asyncio.Event()
    working = asyncio.create_task(courier.work(stopping))
    try:
        yield
    finally:
        stopping.set()
        await asyncio.wait_for(working, 10)


async def a_finished_turn(store: Store, *texts: str, conversation: str = "alice") -> Turn:
    """A turn that was answered with *texts*, each a delivery."""
    await store.turns.open(an_arrival(f"to {texts[0]}", conversation=conversation))
    turn = await store.turns.take("w", list(Lane))
    assert turn is not None
    parts = [a_delivery(turn, text, part=n) for n, text in enumerate(texts)]
    await store.turns.finish(
        turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED, text="x")), parts
    )
    return turn


async def states(store: Store, turn: Turn) -> dict[str, str]:
    rows = await store.ledger.deliveries(DeliveryQuery(turn_id=turn.id))
    return {row.payload.fallback: row.state for row in rows}


async def until_all(
    store: Store, turn: Turn, *wanted: DeliveryState, clock: FakeClock | None = None
) -> dict[str, str]:
    """Wait until every delivery of *turn* is in one of the states; move the clock meanwhile."""
    async with asyncio.timeout(20):
        while True:
            now = await states(store, turn)
            if now and all(state in wanted for state in now.values()):
                return now
            if clock is not None:
                clock.advance(1)
            await asyncio.sleep(0.001)


@pytest.mark.parametrize(
    "error", [ChannelUnavailable("nobody listens"), RateLimited(3.0)], ids=["down", "limited"]
)
async def test_what_never_left_is_sent_later_and_arrives_once(
    tmp_path: Path, error: ChannelError
) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes += [error, error]
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        turn = await a_finished_turn(store, "hello")
        await until_all(store, turn, DeliveryState.SENT, clock=clock)

    assert channel.shown == ["hello"]


async def test_a_pause_beyond_all_measure_is_one_of_a_day(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes.append(RateLimited(1e30))
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        turn = await a_finished_turn(store, "hello")
        await until_all(store, turn, DeliveryState.PENDING)
        async with asyncio.timeout(10):
            await channel.sending.wait()
        await until_all(store, turn, DeliveryState.PENDING)
        (row,) = await store.ledger.deliveries(DeliveryQuery(turn_id=turn.id))

    assert row.not_before == START + timedelta(days=1)


async def test_parts_arrive_in_order_even_when_the_first_fails_at_first(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes.append(ChannelUnavailable("not yet"))
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        turn = await a_finished_turn(store, "one", "two", "three")
        await until_all(store, turn, DeliveryState.SENT, clock=clock)

    assert channel.shown == ["one", "two", "three"]


async def test_an_unknown_end_is_repeated_once_where_nothing_can_tell(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes.append(SendUncertain("no answer came"))
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        turn = await a_finished_turn(store, "hello")
        await until_all(store, turn, DeliveryState.SENT, clock=clock)

    assert channel.shown == ["hello", "hello"]
    assert len(set(channel.nonces)) == 1


async def test_a_second_unknown_end_stops_it_and_what_follows_is_not_sent(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes += [SendUncertain("no answer")] * 2
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        turn = await a_finished_turn(store, "one", "two")
        final = await until_all(
            store, turn, DeliveryState.UNRESOLVED, DeliveryState.CANCELLED, clock=clock
        )

    assert final == {"one": "unresolved", "two": "cancelled"}
    assert channel.shown == ["one", "one"]


async def test_an_old_unknown_end_is_not_repeated(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.holding = asyncio.Event()
    channel.outcomes.append(SendUncertain("no answer"))
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        turn = await a_finished_turn(store, "hello")
        async with asyncio.timeout(10):
            await channel.sending.wait()
        channel.holding.set()
        await until_all(store, turn, DeliveryState.UNKNOWN)
        clock.jump(timedelta(minutes=11))
        await until_all(store, turn, DeliveryState.UNRESOLVED, clock=clock)

    assert channel.shown == ["hello"]


@pytest.mark.parametrize("rule", [OnUnknown.NEVER, OnUnknown.LOOK_UP])
async def test_what_may_not_be_repeated_is_not(tmp_path: Path, rule: OnUnknown) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes.append(SendUncertain("no answer"))
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        await store.turns.open(an_arrival("hello"))
        turn = await store.turns.take("w", list(Lane))
        assert turn is not None
        delivery = a_delivery(turn, "hello", on_unknown=rule)
        await store.turns.finish(
            turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED, text="x")), [delivery]
        )
        await until_all(store, turn, DeliveryState.UNRESOLVED, clock=clock)

    assert channel.shown == ["hello"]


async def test_a_no_for_good_is_told_of_in_the_same_commit(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.outcomes.append(SendRejected("the chat is gone"))

    def notice_of(delivery: Delivery, reason: str) -> Sequence[Delivery]:
        return (a_delivery(turn, f"{delivery.id}: {reason}", why="undelivered"),)

    async with a_store(tmp_path, clock) as store:
        turn = await a_finished_turn(store, "hello", "more")
        async with delivering(store, channel, clock, notice_of):
            wanted = [DeliveryState(state) for state in (*GivenUp, "sent")]
            final = await until_all(store, turn, *wanted, clock=clock)

    assert final["hello"] == "rejected"
    assert final["more"] == "cancelled"
    assert channel.shown == [f"{turn.id}:0: the chat is gone"]


async def test_a_slow_chat_does_not_hold_up_another(tmp_path: Path) -> None:
    clock = FakeClock(START)
    channel = FakeChannel()
    channel.holding = asyncio.Event()
    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        slow = await a_finished_turn(store, "slow", conversation="a")
        async with asyncio.timeout(10):
            await channel.sending.wait()
        held, channel.holding = channel.holding, None
        quick = await a_finished_turn(store, "quick", conversation="b")
        await until_all(store, quick, DeliveryState.SENT)
        assert (await states(store, slow))["slow"] == "sending"
        held.set()
        await until_all(store, slow, DeliveryState.SENT)

    assert channel.shown == ["quick", "slow"]


async def test_a_send_that_began_is_awaited_when_the_bot_stops(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.holding = asyncio.Event()
    async with a_store(tmp_path, clock) as store:
        turn = await a_finished_turn(store, "hello")
        async with delivering(store, channel, clock):
            async with asyncio.timeout(10):
                await channel.sending.wait()
            asyncio.get_running_loop().call_later(0.05, channel.holding.set)
        final = await states(store, turn)

    assert final == {"hello": "sent"}


async def test_what_a_dead_process_was_sending_is_unknown_and_not_simply_sent_again(
    tmp_path: Path,
) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    async with a_store(tmp_path, clock) as store:
        turn = await a_finished_turn(store, "hello")
        assert await store.outbox.lease("page", "default") is not None

    async with a_store(tmp_path, clock) as store, delivering(store, channel, clock):
        await until_all(store, turn, DeliveryState.SENT, clock=clock)
        (row,) = await store.ledger.deliveries(DeliveryQuery(turn_id=turn.id))

    assert row.repeats == 1
    assert channel.shown == ["hello"]


class BrokenChannel(FakeChannel):
    """Breaks in ways no channel should, until it has run out of them."""

    def __init__(self, *ways: BaseException | None) -> None:
        super().__init__()
        self.ways = list(ways)

    async def send(self, target: Target, payload: ReplyPayload, *, nonce: str) -> Receipt:
        if self.ways:
            if (way := self.ways.pop(0)) is not None:
                raise way
            await asyncio.Event().wait()
        return await super().send(target, payload, nonce=nonce)


@pytest.mark.parametrize(
    "way",
    [ValueError("a bug"), OSError("reset"), TimeoutError(), asyncio.CancelledError(), None],
    ids=["bug", "socket", "time", "cancelled inside", "hangs"],
)
async def test_a_channel_that_breaks_has_an_unknown_end_and_blocks_nobody(
    tmp_path: Path, way: BaseException | None
) -> None:
    clock, channel = FakeClock(START), BrokenChannel(way)
    async with (
        a_store(tmp_path, clock) as store,
        delivering(store, channel, clock, send_seconds=0.05),
    ):
        turn = await a_finished_turn(store, "one", "two")
        await until_all(store, turn, DeliveryState.SENT, clock=clock)
        rows = await store.ledger.deliveries(DeliveryQuery(turn_id=turn.id))

    assert channel.shown == ["one", "two"]
    assert sorted(row.repeats for row in rows) == [0, 1]


class FullAtFirst:
    """An outbox on a disk that is full at the first two tries of every verb."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self.refused: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the outbox has
        async def verb(*args: object, **changes: object) -> object:
            if self.refused.get(name, 0) < 2:
                self.refused[name] = self.refused.get(name, 0) + 1
                raise StoreUnavailable("the disk is full")
            return await getattr(self._outbox, name)(*args, **changes)

        return verb


async def test_whatever_became_of_a_send_is_recorded_once_there_is_room(tmp_path: Path) -> None:
    clock, channel = HastyClock(START), FakeChannel()
    channel.outcomes += [
        ChannelUnavailable("down"),
        SendUncertain("no answer"),
        None,
        SendRejected("the chat is gone"),
    ]
    async with a_store(tmp_path, clock) as store:
        full: Any = FullAtFirst(store.outbox)
        async with delivering(store, channel, clock, outbox=full):
            first = await a_finished_turn(store, "one")
            await until_all(store, first, DeliveryState.SENT, clock=clock)
            second = await a_finished_turn(store, "two")
            await until_all(store, second, DeliveryState.REJECTED, clock=clock)

    assert channel.shown == ["one", "one"]
    assert full.refused == dict.fromkeys(
        ("lease", "wait", "retry", "doubt", "repeat", "settle", "give_up"), 2
    )


async def test_a_send_that_never_ends_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    clock, channel = FakeClock(START), FakeChannel()
    channel.holding = asyncio.Event()
    async with a_store(tmp_path, clock) as store:
        turn = await a_finished_turn(store, "hello")
        async with delivering(store, channel, clock, end_seconds=0.01):
            async with asyncio.timeout(10):
                await channel.sending.wait()
        assert await states(store, turn) == {"hello": "sending"}

    async with a_store(tmp_path, clock) as store, delivering(store, FakeChannel(), clock):
        await until_all(store, turn, DeliveryState.SENT, clock=clock)
