"""One row, one rule of precedence; what a look-up costs does not follow the number of bindings."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.inbound import ConversationKind
from bot.contracts.moved import Move
from bot.contracts.route import Binding, DirectScope, Match, Routing, asked
from bot.contracts.session import AgentId
from bot.contracts.turn import Rank
from bot.kernel.moved import MovedRooms
from bot.kernel.route import Router

HERE = Match(
    channel="slack",
    account="work",
    kind=ConversationKind.ROOM,
    conversation="C1",
    thread="7.1",
    parent="C0",
    space="T1",
    roles=("dev", "ops"),
    sender="U1",
)
"""A message that has everything."""

SHOTS: Sequence[tuple[str, Match]] = [
    ("thread", Match(channel="slack", conversation="C1", thread="7.1")),
    ("conversation", Match(channel="slack", conversation="C1")),
    ("parent", Match(channel="slack", parent="C0")),
    ("sender", Match(channel="slack", sender="U1")),
    ("conversation kind", Match(channel="slack", kind=ConversationKind.ROOM)),
    ("roles", Match(channel="slack", space="T1", roles=("dev",))),
    ("space", Match(channel="slack", space="T1")),
    ("account", Match(channel="slack", account="work")),
    ("channel", Match(channel="slack")),
]
"""One binding of each tier, the strongest first."""


def a_router(*matches: Match, **more: object) -> Router:
    """A router whose bindings lead to agents called by their numbers."""
    bindings = tuple(
        Binding(match=match, agent_id=AgentId(f"agent-{number}"))
        for number, match in enumerate(matches)
    )
    return Router(replace(Routing(bindings=bindings), **more))  # type: ignore[arg-type]  # of Routing


def agent(router: Router, when: Match) -> str:
    return router.route(asked(when), Rank.MEMBER).agent_id


@pytest.mark.parametrize("strongest", range(len(SHOTS)))
def test_who_says_more_about_the_place_wins_wherever_it_stands(strongest: int) -> None:
    weaker = [match for _, match in SHOTS[strongest:]]
    backwards = a_router(*reversed(weaker))

    route = backwards.route(asked(HERE), Rank.MEMBER)

    number = len(weaker) - 1
    assert route.agent_id == f"agent-{number}"
    assert route.matched_by == f"bindings[{number}] ({SHOTS[strongest][0]})"
    assert [lost.binding for lost in route.losers] == [*range(number)][::-1]


def test_without_a_binding_that_fits_it_is_the_main_agents() -> None:
    route = a_router(Match(channel="slack", conversation="C2")).route(asked(HERE), Rank.MEMBER)

    assert (route.agent_id, route.matched_by, route.losers) == ("main", "default", ())


@pytest.mark.parametrize(("_", "match"), SHOTS, ids=[name for name, _ in SHOTS])
def test_in_one_tier_the_first_wins_and_the_other_is_told_so(_: str, match: Match) -> None:
    again = replace(match, account=match.account or "work", sender="U1")
    if not match.conversation and not match.parent and match.sender is None:
        again = match  # with a sender it would be in a stronger tier
    route = a_router(match, again).route(asked(HERE), Rank.MEMBER)

    assert route.agent_id == "agent-0"
    assert [lost.why for lost in route.losers] == ["bindings[0] stands before it"]


@pytest.mark.parametrize(
    "differs",
    [
        {"channel": "teams"},
        {"account": "shop"},
        {"kind": ConversationKind.DIRECT},
        {"conversation": "C2"},
        {"thread": "7.2"},
        {"parent": "C3"},
        {"space": "T2"},
        {"roles": ("qa",)},
        {"sender": "U2"},
    ],
    ids=lambda differs: next(iter(differs)),
)
def test_all_that_a_binding_asks_for_must_hold(differs: dict[str, object]) -> None:
    assert agent(a_router(HERE), HERE) == "agent-0"
    assert agent(a_router(replace(HERE, **differs)), HERE) == "main"  # type: ignore[arg-type]  # of Match


def test_one_role_of_several_is_enough() -> None:
    router = a_router(Match(channel="slack", space="T1", roles=("qa", "ops")))

    assert agent(router, HERE) == "agent-0"
    assert agent(router, replace(HERE, roles=())) == "main"


def test_an_account_that_is_not_named_is_whichever() -> None:
    router = a_router(Match(channel="slack", conversation="C1"))

    assert {agent(router, replace(HERE, account=one)) for one in ("work", "shop", None)} == {
        "agent-0"
    }


def test_a_thread_belongs_to_the_agent_of_its_room_unless_it_has_one_of_its_own() -> None:
    room = Match(channel="slack", conversation="C0")
    thread = Match(channel="slack", conversation="C1")

    assert agent(a_router(room), HERE) == "agent-0"
    assert agent(a_router(room, thread), HERE) == "agent-1"
    assert a_router(room).route(asked(HERE), Rank.MEMBER).matched_by == "bindings[0] (parent)"


def test_a_room_keeps_one_agent_whoever_writes_in_it() -> None:
    router = a_router(
        Match(channel="slack", sender="U1"), Match(channel="slack", conversation="C1")
    )

    assert agent(router, HERE) == "agent-1"
    assert agent(router, Match(channel="slack", sender="U1")) == "agent-0"


def test_an_id_is_exactly_its_digits() -> None:
    router = a_router(Match(channel="slack", conversation="-1001234567890123457"))

    assert agent(router, replace(HERE, conversation="-1001234567890123457")) == "agent-0"
    assert agent(router, replace(HERE, conversation="-1001234567890123456")) == "main"
    assert agent(router, replace(HERE, conversation="1001234567890123457")) == "main"


def test_a_binding_may_have_a_scope_of_its_own() -> None:
    match = Match(channel="slack", kind=ConversationKind.DIRECT)
    binding = Binding(match=match, agent_id=AgentId("shop"), direct=DirectScope.MAIN)
    router = Router(Routing(bindings=(binding,), direct=DirectScope.PER_PEER))

    here = router.route(asked(Match(channel="slack", sender="U1")), Rank.GUEST)
    elsewhere = router.route(asked(Match(channel="teams", sender="U1")), Rank.GUEST)

    assert here.session_key == "agent:shop:main"
    assert elsewhere.session_key == "agent:main:teams:direct:U1"


def test_linked_accounts_are_one_session_and_the_id_on_another_platform_is_not() -> None:
    router = Router(Routing(links={"slack:U1": "ana", "teams:7": "ana"}))
    keys = [
        router.route(asked(Match(channel=channel, sender=sender)), Rank.MEMBER).session_key
        for channel, sender in (("slack", "U1"), ("teams", "7"), ("teams", "U1"), ("slack", "u1"))
    ]

    assert keys[0] == keys[1] == "agent:main:person:ana"
    assert len(set(keys)) == 3


def test_a_room_that_moved_keeps_its_session_and_its_binding() -> None:
    moved = MovedRooms()
    binding = Binding(
        match=Match(channel="telegram", conversation="-4001"), agent_id=AgentId("team")
    )
    router = Router(Routing(bindings=(binding,)), moved)
    old, new = (
        asked(Match(channel="telegram", conversation=one, sender="1"))
        for one in ("-4001", "-1009001")
    )
    before = router.route(old, Rank.MEMBER)
    assert router.route(new, Rank.MEMBER).agent_id == "main"

    router.moved.note(Move(channel="telegram", account="default", before="-4001", now="-1009001"))

    assert router.route(new, Rank.MEMBER) == before


class Counted(str):
    """Text that counts how often it is looked up in a table."""

    __slots__ = ()
    looks = 0

    def __hash__(self) -> int:
        Counted.looks += 1
        return super().__hash__()

    __eq__ = str.__eq__


def test_a_look_up_costs_the_same_with_ten_thousand_bindings() -> None:
    def looks(count: int) -> int:
        others = [
            replace(match, **{name: f"{getattr(match, name)}-{number}"})  # type: ignore[arg-type]  # all three are texts
            for number in range(count)
            for name, match in (
                ("conversation", SHOTS[1][1]),
                ("sender", SHOTS[3][1]),
                ("space", SHOTS[6][1]),
            )
        ]
        roles = [
            Match(channel="slack", space="T1", roles=(f"role-{number}",)) for number in range(count)
        ]
        router = a_router(*others, *roles, *(match for _, match in SHOTS))
        inbound = asked(HERE)
        counting = replace(inbound, channel=Counted(inbound.channel))
        before = Counted.looks
        assert router.route(counting, Rank.MEMBER).matched_by.endswith("(thread)")
        return Counted.looks - before

    assert 0 < looks(10) == looks(2_500)


def test_many_bindings_for_one_place_do_not_pile_up_in_every_message() -> None:
    many = [
        Match(channel="slack", space="T1", roles=("dev", f"role-{number}")) for number in range(500)
    ]
    route = a_router(*many).route(asked(HERE), Rank.MEMBER)

    assert route.agent_id == "agent-0"
    assert len(route.losers) < 10


VALUES = st.sampled_from(["a", "b"])
MATCHES = st.builds(
    Match,
    channel=VALUES,
    account=st.none() | VALUES,
    kind=st.sampled_from([None, ConversationKind.DIRECT, ConversationKind.ROOM]),
    conversation=st.none() | VALUES,
    thread=st.none(),
    parent=st.none() | VALUES,
    space=st.none() | VALUES,
    roles=st.lists(VALUES, max_size=2, unique=True).map(tuple),
    sender=st.none() | VALUES,
)


@given(st.lists(MATCHES, max_size=8), MATCHES)
def test_the_tables_find_what_reading_all_bindings_one_by_one_would(
    matches: list[Match], when: Match
) -> None:
    router = a_router(*matches)
    inbound = asked(when)
    facts = router.facts(inbound)

    def fits(match: Match) -> bool:
        asked_for = {
            "channel": match.channel,
            "account": match.account,
            "kind": match.kind,
            "parent": match.parent,
            "space": match.space,
            "sender": match.sender,
        }
        plain = all(value is None or value in facts[name] for name, value in asked_for.items())
        place = match.conversation is None or match.conversation in {
            *facts["conversation"],
            *facts["parent"],
        }
        return plain and place and (not match.roles or bool({*match.roles} & {*facts["roles"]}))

    fitting = {number for number, match in enumerate(matches) if fits(match)}
    kept = {number for _, number in router.ranking(inbound)}
    assert kept == fitting
