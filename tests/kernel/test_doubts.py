"""A binding that can never win is found, and none that can is accused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.channel import IdShapes
from bot.contracts.inbound import ConversationKind
from bot.contracts.route import Binding, Match, Routing, asked
from bot.contracts.session import AgentId
from bot.contracts.turn import Rank
from bot.kernel.doubts import doubts_of, misshapen
from bot.kernel.route import Router

DIRECT, ROOM = ConversationKind.DIRECT, ConversationKind.ROOM
IDS = IdShapes(person="[0-9]+", room="-?[0-9]+", example="4711")


def bound(*matches: Match) -> list[Binding]:
    return [
        Binding(match=match, agent_id=AgentId(f"agent-{number}"))
        for number, match in enumerate(matches)
    ]


def shadowed(*matches: Match) -> dict[int, str]:
    said = doubts_of(bound(*matches))
    return {number: one for number, one in said if "never win" in one}


@pytest.mark.parametrize(
    ("matches", "by"),
    [
        pytest.param(
            [
                Match(channel="a", conversation="1"),
                Match(channel="a", conversation="1", sender="2"),
            ],
            "bindings[0]",
            id="the same room for anybody stands before it",
        ),
        pytest.param(
            [
                Match(channel="a", space="1", roles=("x", "y")),
                Match(channel="a", space="1", roles=("y",)),
            ],
            "bindings[0]",
            id="one of its roles was enough before",
        ),
        pytest.param(
            [
                Match(channel="a", space="1", roles=("x",)),
                Match(channel="a", space="1", roles=("y",)),
                Match(channel="a", space="1", roles=("x", "y")),
            ],
            "bindings[0] and bindings[1]",
            id="two together take both of its roles",
        ),
        pytest.param(
            [Match(channel="a", kind=ROOM), Match(channel="a", space="1")],
            "bindings[0]",
            id="all rooms count more than a space",
        ),
    ],
)
def test_a_binding_that_can_never_win_is_found(matches: list[Match], by: str) -> None:
    found = shadowed(*matches)

    assert [*found] == [len(matches) - 1]
    assert f": {by} counts first" in found[len(matches) - 1]


@pytest.mark.parametrize(
    "matches",
    [
        [Match(channel="a", conversation="1", sender="2"), Match(channel="a", conversation="1")],
        [Match(channel="a", conversation="1"), Match(channel="b", conversation="1", sender="2")],
        [Match(channel="a"), Match(channel="a", account="1")],
        [Match(channel="a", space="1", roles=("x",)), Match(channel="a", space="1", roles=("y",))],
        [Match(channel="a", kind=DIRECT), Match(channel="a", space="1")],
        [Match(channel="a", kind=ROOM, account="2"), Match(channel="a", space="1")],
    ],
)
def test_a_binding_that_can_win_is_left_alone(matches: list[Match]) -> None:
    assert shadowed(*matches) == {}


VALUES = st.sampled_from(["1", "2"])
MATCHES = st.builds(
    Match,
    channel=st.just("a"),
    account=st.none() | VALUES,
    kind=st.sampled_from([None, DIRECT, ROOM]),
    conversation=st.none() | VALUES,
    space=st.none() | VALUES,
    roles=st.lists(VALUES, max_size=2, unique=True).map(tuple),
    sender=st.none() | VALUES,
)


@given(st.lists(MATCHES, min_size=1, max_size=6), st.data())
def test_no_message_is_won_by_a_binding_that_was_said_never_to_win(
    matches: list[Match], data: st.DataObject
) -> None:
    router = Router(Routing(bindings=tuple(bound(*matches))))
    when = data.draw(MATCHES)
    if when.kind is DIRECT and (when.space or when.roles):
        return  # no platform has such a message
    route = router.route(asked(when), Rank.MEMBER)

    assert route.matched_by.partition("]")[0] not in {
        f"bindings[{number}" for number in shadowed(*matches)
    }


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (Match(channel="a", kind=DIRECT, space="1"), "a direct chat has no space"),
        (Match(channel="a", kind=DIRECT, roles=("1",)), "a direct chat has no role"),
        (Match(channel="a", sender="1"), "holds in rooms too"),
        (Match(channel="a", sender="@ana", kind=DIRECT), "the sender '@ana', which looks like"),
        (Match(channel="a", conversation="#general"), "the conversation '#general', which looks"),
        (Match(channel="a", conversation="1 "), "the conversation '1 ', which looks"),
    ],
)
def test_what_surprises_is_said(match: Match, said: str) -> None:
    assert any(said in one for _, one in doubts_of(bound(match)))


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (Match(channel="a", sender="ana"), "asks for the sender 'ana', which is no id of a: those"),
        (Match(channel="a", sender="-1"), "asks for the sender '-1'"),
        (Match(channel="a", conversation="general"), "asks for the conversation 'general'"),
        (Match(channel="a", parent="1x"), "asks for the parent '1x'"),
        (Match(channel="a", space="1"), "can never match: a has no spaces"),
    ],
)
def test_an_id_that_is_none_of_its_platform_is_said(match: Match, said: str) -> None:
    (one,) = misshapen(match, IDS)

    assert one.startswith(said)


@pytest.mark.parametrize(
    "match",
    [
        Match(channel="a", sender="1234567890123456789", conversation="-1001234567890123456"),
        Match(channel="a", kind=DIRECT, conversation="7", parent="-7"),
        Match(channel="a"),
    ],
)
def test_an_id_of_its_platform_is_fine(match: Match) -> None:
    assert [*misshapen(match, IDS)] == []
