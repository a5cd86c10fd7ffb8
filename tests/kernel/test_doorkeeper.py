"""What is judged alike for every event, and what its sender is told at the door."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.access.gates import ToldOfGates
from bot.access.owners import Owners
from bot.access.pairing import Pairing
from bot.access.people import RecordedPeople
from bot.access.policy import AccessPolicy, policy_of
from bot.access.rank import Ranks
from bot.clock import SecretCodes
from bot.contracts.channel import Accepted
from bot.contracts.inbound import ConversationKind, EventClass, Inbound, Sender
from bot.contracts.turn import Arrival, Rank, TurnId
from bot.kernel.doorkeeper import Doorkeeper, Judged, Memory
from bot.settings.access import DirectSettings, RoomsSettings
from tests.doubles.arrivals import an_arrival, an_inbound
from tests.doubles.clock import CountingIds, FakeClock
from tests.doubles.memory_records import MemoryRecords


class House:
    """A doorkeeper of the channel `page`, where alice is owner."""

    def __init__(self, policy: AccessPolicy, names: Sequence[str] = ()) -> None:
        self.records = MemoryRecords()
        self.clock = FakeClock()
        self.policy = policy
        self.names = tuple(names)
        self.claimed: dict[str, Arrival] = {}
        """The row that each source got: that of whoever committed first."""
        self.keeper = self.again()

    def again(self) -> Doorkeeper:
        """The same after a restart."""
        people = RecordedPeople(self.records, self.clock, CountingIds())
        codes = SecretCodes()
        owners = Owners(self.records, self.clock, codes, frozenset({"page:alice"}))
        self.pairing = Pairing(self.records, people, self.clock, codes)
        ranks = Ranks(owners=owners, people=people, policies={"page": self.policy})
        memory = Memory.of(self.pairing, owners, ToldOfGates(self.records), self.clock)
        return Doorkeeper(ranks, memory, lambda _c, _a, room: self.names or (room,))

    async def come(self, inbound: Inbound) -> tuple[Judged, Arrival]:
        """Judge and answer an event, and commit it."""
        judged = await self.keeper.judge(inbound)
        async with self.keeper.in_order([judged]):
            arrival = replace(
                an_arrival("x", inbound=judged.inbound, admission=judged.admission),
                rank=judged.rank,
            )
            arrival = await self.keeper.answer(arrival, judged)
            await asyncio.sleep(0)  # the commit, before which others may come
            self.claimed.setdefault(inbound.source, arrival)
            accepted = Accepted(source=inbound.source, turn_id=TurnId(inbound.source), seq=1)
            await self.keeper.opened(arrival, judged, accepted)
        return judged, arrival


def rules(direct: str = "pairing", **rooms: object) -> AccessPolicy:
    return policy_of(
        DirectSettings.model_validate({"policy": direct}), RoomsSettings.model_validate(rooms)
    )


def said(text: str, who: str = "eve", *, room: str | None = None) -> Inbound:
    inbound = replace(an_inbound(text), sender=Sender(id=who, display_name="Alice"))
    if room is None:
        return inbound
    where = replace(inbound.conversation, kind=ConversationKind.ROOM, id=room, title="ours")
    return replace(inbound, conversation=where)


async def test_a_stranger_is_told_a_code_once_and_leaves_no_words() -> None:
    house = House(rules())

    first = (await house.come(said("canary one")))[1]
    second = (await house.come(said("canary two")))[1]

    assert "Your code is" in first.replies[0].fallback
    assert second.replies == ()
    assert first.inbound.text == second.inbound.text == ""


@pytest.mark.parametrize(
    "event", [EventClass.REACTION, EventClass.EDIT, EventClass.DELETION, EventClass.INTERACTION]
)
async def test_no_other_event_of_a_stranger_is_answered(event: EventClass) -> None:
    house = House(rules())

    _, arrival = await house.come(replace(said("hi"), event=event))

    assert arrival.replies == ()
    assert arrival.inbound.text == ""


async def test_a_code_that_was_never_committed_is_made_anew_after_a_restart() -> None:
    house = House(rules())
    judged = await house.keeper.judge(said("hi"))
    lost = await house.keeper.answer(an_arrival("x", admission=judged.admission), judged)
    house.keeper = house.again()

    told = (await house.come(said("hi")))[1]

    assert told.replies
    assert told.replies != lost.replies


async def test_the_owner_is_told_of_each_gate_once_for_each_room() -> None:
    house = House(rules(allow={"-1": {}}))

    told = [
        len((await house.come(said(f"hi {n}", "alice", room=room)))[1].replies)
        for n, room in enumerate(("-1", "-1", "-2", "-2", "-3"))
    ]
    house.keeper = house.again()
    later = (await house.come(said("again", "alice", room="-2")))[1]

    assert told == [1, 0, 1, 0, 1]
    assert later.replies == ()


async def test_nobody_else_is_told_of_a_gate() -> None:
    house = House(rules(allow={"-1": {}}))

    for room in ("-1", "-2"):
        assert (await house.come(said("hi", room=room)))[1].replies == ()


@pytest.mark.parametrize(("observe", "kept"), [(True, "lunch?"), (False, "")])
async def test_what_is_overheard_is_kept_only_where_it_may_be(observe: bool, kept: str) -> None:
    house = House(rules(allow={"77": {}}, observe=observe))

    judged, arrival = await house.come(said("lunch?", room="77"))

    assert judged.admission.reason == "room:not-mentioned"
    assert arrival.inbound.text == kept


async def test_what_could_not_be_recorded_is_told_the_next_time() -> None:
    house = House(rules())
    judged = await house.keeper.judge(said("hi", "alice", room="-1"))
    await house.keeper.answer(an_arrival("x", admission=judged.admission), judged)

    house.keeper.failed([judged])

    assert (await house.come(said("hi", "alice", room="-1")))[1].replies


async def test_a_room_that_moved_keeps_its_rule() -> None:
    house = House(rules(allow={"-1": {}}), names=("-1", "-2"))

    judged, arrival = await house.come(replace(said("hi", room="-2"), mentions_me=True))

    assert judged.admission.reason == "room:mentioned"
    assert judged.rank is Rank.GUEST
    assert arrival.inbound.conversation.id == "-2"


async def test_of_one_event_that_comes_often_at_once_the_row_that_counts_has_the_code() -> None:
    house = House(rules())

    arrivals = await asyncio.gather(*(house.come(said("hi")) for _ in range(20)))

    assert sum(len(arrival.replies) for _, arrival in arrivals) == 1
    (told,) = house.claimed["m:hi"].replies
    code = told.fallback.partition("code is ")[2][:8]
    assert (await house.pairing.approve(code, by="terminal"))[1].id == "eve"


async def test_a_guest_s_flood_is_told_once_and_then_costs_nothing() -> None:
    house = House(rules("open"))
    arrivals = [(await house.come(said(f"flood {n}")))[1] for n in range(21)]

    assert [arrival.admission.reason for arrival in arrivals[-2:]] == [
        "direct:open",
        "sender:too-fast",
    ]
    assert "faster than I read" in arrivals[-1].replies[0].fallback
    row = house.keeper.told_of(said("flood 22"))
    assert row is not None
    assert row.turn_id == "m:flood 20"
    assert house.keeper.told_of(said("hello", "alice")) is None
