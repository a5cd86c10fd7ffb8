"""Of every binding it is said why it did not get a message; an expectation that fails says what."""

from bot.contracts.inbound import ConversationKind
from bot.contracts.route import Binding, Expectation, Match, Routing, asked
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Rank
from bot.kernel.explain import broken_expectations, explain
from bot.kernel.route import Router

SPACE = Binding(match=Match(channel="slack", space="T1"), agent_id=AgentId("team"))
ROOM = Binding(match=Match(channel="slack", conversation="C1"), agent_id=AgentId("ops"))
ELSEWHERE = Binding(
    match=Match(channel="slack", account="shop", space="T2", roles=("a", "b"), parent="C0"),
    agent_id=AgentId("shop"),
)
ROUTER = Router(Routing(bindings=(SPACE, ELSEWHERE, ROOM)))
_UNFIT = (
    "the account is default, not shop; there is no parent, and it asks for C0;"
    " the space is T1, not T2; the role is c, not a or b"
)
HERE = Match(channel="slack", space="T1", conversation="C1", sender="U1", roles=("c",))


def test_the_winner_comes_first_and_every_other_has_its_reason() -> None:
    explained = explain(ROUTER, asked(HERE), Rank.MEMBER)

    assert [(one.number, one.fits, one.why) for one in explained.judged] == [
        (2, True, ""),
        (0, True, "a space counts less than the conversation of bindings[2]"),
        (
            1,
            False,
            _UNFIT,
        ),
    ]


def test_without_a_winner_all_others_have_their_reason() -> None:
    when = Match(channel="teams", kind=ConversationKind.DIRECT, sender="U1")
    explained = explain(ROUTER, asked(when), Rank.MEMBER)

    assert explained.route.matched_by == "default"
    assert all(one.why.startswith("the channel is teams, not slack") for one in explained.judged)


def test_a_thread_of_a_room_is_not_said_to_be_elsewhere() -> None:
    thread = Match(channel="slack", conversation="C7", parent="C1", space="T9")
    judged = explain(ROUTER, asked(thread), Rank.MEMBER).judged

    assert judged[0].binding is ROOM
    assert judged[1].why == "the space is T9, not T1"


def test_an_expectation_that_does_not_hold_says_what_is() -> None:
    def expected(agent: str, session: str | None = None) -> Expectation:
        key = None if session is None else SessionKey(session)
        return Expectation(when=HERE, rank=Rank.MEMBER, agent_id=AgentId(agent), session_key=key)

    told = broken_expectations(
        ROUTER,
        (
            expected("ops"),
            expected("team"),
            expected("ops", "agent:ops:slack:default:room:C1"),
            expected("ops", "agent:ops:main"),
        ),
    )

    assert [*told] == [
        (1, "goes to ops by bindings[2] (conversation), not to team"),
        (3, "is in the session agent:ops:slack:default:room:C1, not agent:ops:main"),
    ]
