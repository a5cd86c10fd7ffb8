import json
from dataclasses import replace

import pytest

from bot.access.people import OwnerAlone, RecordedPeople
from bot.access.policy import OWN_DOOR, AccessPolicy, policy_of
from bot.access.rank import Ranks
from bot.contracts.inbound import ConversationKind, EventClass, Inbound, Sender
from bot.contracts.turn import Rank
from bot.settings.access import DirectSettings, RoomsSettings
from tests.doubles.arrivals import an_inbound
from tests.doubles.clock import START, CountingIds, HastyClock
from tests.doubles.memory_records import MemoryRecords


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        pytest.param({"page:alice"}, Rank.OWNER, id="listed by platform and id"),
        pytest.param({"other:alice"}, Rank.STRANGER, id="listed on another platform"),
        pytest.param({"page:Alice"}, Rank.STRANGER, id="a display name is no id"),
        pytest.param(set(), Rank.STRANGER, id="an empty list makes nobody owner"),
    ],
)
async def test_the_rank_of_a_sender(owners: set[str], expected: Rank) -> None:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())

    assert await Ranks(owners=owners, people=people).of(an_inbound("hi")) is expected


async def test_who_was_let_in_has_the_rank_they_were_let_in_with_until_they_are_shut_out() -> None:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())
    ranks = Ranks(owners=(), people=people, policies={"page": OWN_DOOR})
    anna = await people.invite("page", "Anna", Rank.MEMBER)
    inbound = replace(an_inbound("hi"), sender=Sender(id=anna.id))

    assert await ranks.of(inbound) is Rank.MEMBER
    assert await ranks.of(replace(inbound, channel="other")) is Rank.STRANGER
    assert await ranks.of(replace(inbound, sender=Sender(id="Anna"))) is Rank.STRANGER
    alone = Ranks(owners=(), people=OwnerAlone(people), policies={"page": OWN_DOOR})
    assert await alone.of(inbound) is Rank.STRANGER

    await people.revoke("page", "Anna")
    assert await ranks.of(inbound) is Rank.STRANGER


@pytest.mark.parametrize("word", ["owner", "OWNER", "4", "", "god"])
async def test_no_record_makes_anybody_owner(word: str) -> None:
    records = MemoryRecords()
    kept = {"v": 1, "name": "Eve", "rank": word, "since": "2026-03-01T12:00:00Z"}
    await records.swap("person:page:alice", json.dumps(kept).encode(), version=0)
    people = RecordedPeople(records, HastyClock(START), CountingIds())
    ranks = Ranks(owners=(), people=people, policies={"page": OWN_DOOR})

    assert await ranks.of(an_inbound("hi")) is Rank.STRANGER


def rules(direct: dict[str, object] | None = None, **rooms: object) -> AccessPolicy:
    return policy_of(
        DirectSettings.model_validate(direct or {}), RoomsSettings.model_validate(rooms)
    )


def a_room(room: str = "-100", *, roles: tuple[str, ...] = (), sender: str = "alice") -> Inbound:
    inbound = an_inbound("hi")
    return replace(
        inbound,
        conversation=replace(inbound.conversation, kind=ConversationKind.ROOM, id=room),
        sender=Sender(id=sender, role_ids=roles),
    )


async def rank(policy: AccessPolicy, inbound: Inbound, *, paired: Rank | None = None) -> Rank:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())
    if paired:
        await people.let_in("page", inbound.sender.id, "Alice", paired)
    return await Ranks(owners=(), people=people, policies={"page": policy}).of(inbound)


@pytest.mark.parametrize(
    ("direct", "paired", "expected"),
    [
        pytest.param({}, None, Rank.STRANGER, id="nobody knows them"),
        pytest.param({}, Rank.GUEST, Rank.GUEST, id="approved"),
        pytest.param({"allow": ("alice",)}, None, Rank.MEMBER, id="listed"),
        pytest.param({"allow": ("alice",), "rank": "admin"}, None, Rank.ADMIN, id="listed as"),
        pytest.param({"allow": ("Alice",)}, None, Rank.STRANGER, id="another's id, her name"),
        pytest.param({"policy": "open"}, None, Rank.GUEST, id="open to all"),
        pytest.param({"policy": "open"}, Rank.ADMIN, Rank.ADMIN, id="open, and approved as more"),
        pytest.param(
            {"policy": "allowlist", "allow": ("bob",)}, Rank.ADMIN, Rank.STRANGER, id="unlisted"
        ),
        pytest.param({"policy": "disabled"}, Rank.ADMIN, Rank.STRANGER, id="closed"),
    ],
)
async def test_the_rank_in_a_direct_chat(
    direct: dict[str, object], paired: Rank | None, expected: Rank
) -> None:
    assert await rank(rules(direct), an_inbound("hi"), paired=paired) is expected


@pytest.mark.parametrize(
    ("rooms", "roles", "expected"),
    [
        pytest.param({}, (), Rank.STRANGER, id="a room nobody listed"),
        pytest.param({"allow": {"-100": {}}}, (), Rank.GUEST, id="everybody of a listed room"),
        pytest.param({"allow": {"-100": {"rank": "member"}}}, (), Rank.MEMBER, id="with its rank"),
        pytest.param({"allow": {"-100": {"people": ("bob",)}}}, (), Rank.STRANGER, id="others'"),
        pytest.param({"allow": {"-100": {"people": ("alice",)}}}, (), Rank.GUEST, id="hers"),
        pytest.param({"allow": {"-100": {"roles": ("7",)}}}, ("7",), Rank.GUEST, id="her role's"),
        pytest.param({"allow": {"-100": {"roles": ("7",)}}}, ("8",), Rank.STRANGER, id="no role"),
        pytest.param(
            {"allow": {"-100": {}}, "ranks": {"7": "admin"}}, ("7",), Rank.ADMIN, id="a role's rank"
        ),
        pytest.param({"policy": "open"}, (), Rank.GUEST, id="any room"),
        pytest.param({"policy": "disabled", "allow": {"-100": {}}}, (), Rank.STRANGER, id="none"),
    ],
)
async def test_the_rank_in_a_room(
    rooms: dict[str, object], roles: tuple[str, ...], expected: Rank
) -> None:
    assert await rank(rules(None, **rooms), a_room(roles=roles)) is expected


@pytest.mark.parametrize("paired", [Rank.GUEST, Rank.MEMBER, Rank.ADMIN])
async def test_who_was_approved_in_a_direct_chat_gets_nothing_by_it_in_a_room(paired: Rank) -> None:
    policy = rules(None, allow={"-100": {"people": ("bob",)}, "-200": {}})

    assert await rank(policy, a_room("-100"), paired=paired) is Rank.STRANGER
    assert await rank(policy, a_room("-200"), paired=paired) is Rank.GUEST
    assert await rank(policy, a_room("-300"), paired=paired) is Rank.STRANGER


async def test_who_is_named_in_the_settings_has_that_rank_wherever_they_may_speak() -> None:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())
    policy = rules(None, allow={"-100": {}, "-200": {"people": ("bob",)}})
    ranks = Ranks(
        owners=(), people=people, policies={"page": policy}, named={"page:alice": Rank.ADMIN}
    )

    assert await ranks.of(an_inbound("hi")) is Rank.ADMIN
    assert await ranks.of(a_room("-100")) is Rank.ADMIN
    assert await ranks.of(a_room("-200")) is Rank.STRANGER
    assert await ranks.of(replace(an_inbound("hi"), channel="other")) is Rank.STRANGER


@pytest.mark.parametrize("event", EventClass)
async def test_every_kind_of_event_has_the_same_rank(event: EventClass) -> None:
    policy = rules({"allow": ("alice",)})

    assert await rank(policy, replace(an_inbound("hi"), event=event)) is Rank.MEMBER
    stranger = replace(an_inbound("hi"), event=event, sender=Sender(id="eve", display_name="alice"))
    assert await rank(policy, stranger) is Rank.STRANGER


async def test_a_channel_that_is_not_configured_is_closed() -> None:
    people = RecordedPeople(MemoryRecords(), HastyClock(START), CountingIds())
    ranks = Ranks(owners={"page:alice"}, people=people)

    assert await ranks.of(replace(an_inbound("hi"), channel="other")) is Rank.STRANGER
    assert await ranks.of(an_inbound("hi")) is Rank.OWNER
