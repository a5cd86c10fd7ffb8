from dataclasses import replace

import pytest

from bot.access.policy import AccessPolicy, policy_of
from bot.contracts.inbound import Conversation, ConversationKind
from bot.settings.access import DirectSettings, RoomsSettings

ROOM = Conversation(kind=ConversationKind.ROOM, id="C1", space_id="T1")


def rooms(**written: object) -> AccessPolicy:
    return policy_of(DirectSettings(), RoomsSettings.model_validate(written))


@pytest.mark.parametrize(
    ("key", "where", "is_listed"),
    [
        ("C1", ROOM, True),
        ("T1/C1", ROOM, True),
        ("T1/*", ROOM, True),
        ("T2/C1", ROOM, False),
        ("T2/*", ROOM, False),
        ("T1/*", replace(ROOM, space_id=None), False),
        ("C2", ROOM, False),
        ("c1", ROOM, False),
        ("C1", replace(ROOM, thread_id="t"), True),
        ("C1", replace(ROOM, id="t", parent_id="C1"), True),
        ("T1/C1", replace(ROOM, id="t", parent_id="C1"), True),
        ("t", replace(ROOM, id="t", parent_id="C1"), True),
        ("-1001234567890123456", replace(ROOM, id="-1001234567890123456"), True),
        ("-1001234567890123456", replace(ROOM, id="-1001234567890123457"), False),
        ("1001234567890123456", replace(ROOM, id="-1001234567890123456"), False),
    ],
)
def test_a_room_is_listed_by_its_id_in_its_space_or_by_its_space(
    key: str, where: Conversation, is_listed: bool
) -> None:
    assert (rooms(allow={key: {}}).rule(where) is not None) is is_listed


def test_what_is_said_of_a_thread_is_said_of_nothing_else() -> None:
    policy = rooms(allow={"C1": {"people": ("1",)}, "t": {"people": ("2",)}})

    thread = policy.rule(replace(ROOM, id="t", parent_id="C1"))
    room = policy.rule(ROOM)

    assert thread is not None
    assert room is not None
    assert (thread.people, room.people) == (frozenset({"2"}), frozenset({"1"}))


def test_a_room_of_its_own_rule_is_not_that_of_its_space() -> None:
    policy = rooms(mention="required", allow={"T1/*": {}, "C1": {"mention": "off"}})

    room, other = policy.rule(ROOM), policy.rule(replace(ROOM, id="C9"))

    assert room is not None
    assert other is not None
    assert (room.needs_mention, other.needs_mention) == (False, True)


def test_an_open_channel_listens_in_every_room_and_still_wants_to_be_named() -> None:
    rule = rooms(policy="open").rule(ROOM)

    assert rule is not None
    assert rule.needs_mention
    assert not rule.takes_bots


def test_nothing_said_is_no_room() -> None:
    assert rooms().rule(ROOM) is None
    assert AccessPolicy().rule(ROOM) is None
    assert rooms(policy="disabled", allow={"C1": {}}).rule(ROOM) is None


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("hey bot, are you there?", True),
        ("Hey,  BOT", True),
        ("heybot", False),
        ("x" * 400 + " hey bot", False),
    ],
)
def test_a_pattern_is_looked_for_at_the_beginning_in_any_case(text: str, is_named: bool) -> None:
    assert rooms(patterns=(r"\bhey,?\s+bot\b",)).is_named(text) is is_named
