"""No two conversations share a session, but by a scope that says so."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.inbound import Conversation, ConversationKind, Inbound, Sender
from bot.contracts.route import DirectScope
from bot.contracts.session import AgentId
from bot.contracts.session_key import KeyKind, KeyParts, format_key, parse_key
from bot.contracts.turn import Rank
from bot.kernel.session_key import session_key
from tests.doubles.arrivals import an_inbound

MAIN = AgentId("main")
PRINTABLE = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
IDS = st.text(PRINTABLE, min_size=1, max_size=12) | st.sampled_from(
    ["a", "b", "main", "child", "thread", "person", "room", "direct", "a:thread:b", "%3A", ":"]
)
PLACES = st.builds(
    lambda channel, account, kind, id_, thread, sender: replace(
        an_inbound("hi"),
        channel=channel,
        account=account,
        conversation=Conversation(kind=kind, id=id_, thread_id=thread),
        sender=Sender(id=sender),
    ),
    IDS,
    IDS,
    st.sampled_from(ConversationKind),
    IDS,
    st.none() | IDS,
    IDS,
)


def place(inbound: Inbound, scope: DirectScope) -> tuple[object, ...]:
    """What a session is of, for somebody who is neither the owner nor linked."""
    where = inbound.conversation
    direct = where.kind is ConversationKind.DIRECT
    account: object = inbound.account
    if not direct or where.thread_id is not None:
        return (inbound.channel, account, direct, where.id, where.thread_id)
    if scope is DirectScope.MAIN:
        return ()
    if scope in {DirectScope.PER_PEER, DirectScope.PER_CHANNEL_PEER}:
        account = "any"
    return (inbound.channel, account, "person", inbound.sender.id)


@given(PLACES, PLACES, st.sampled_from(DirectScope))
def test_two_conversations_share_a_key_only_if_their_scope_says_so(
    one: Inbound, other: Inbound, scope: DirectScope
) -> None:
    same = session_key(MAIN, one, Rank.GUEST, scope=scope) == session_key(
        MAIN, other, Rank.GUEST, scope=scope
    )

    assert same == (place(one, scope) == place(other, scope))


@given(PLACES, st.sampled_from(DirectScope), st.none() | IDS, IDS, IDS)
def test_an_agent_and_a_person_that_was_linked_are_never_somebody_else(
    inbound: Inbound, scope: DirectScope, person: str | None, agent: str, other: str
) -> None:
    def key(agent: str, person: str | None) -> str:
        return session_key(AgentId(agent), inbound, Rank.GUEST, scope=scope, person=person)

    assert (key(agent, person) == key(other, person)) == (agent == other)
    at_home = inbound.conversation.kind is ConversationKind.DIRECT and (
        inbound.conversation.thread_id is None and scope is not DirectScope.MAIN
    )
    assert (key(agent, person) == key(agent, None)) == (person is None or not at_home)


@given(PLACES, st.sampled_from(DirectScope), st.none() | IDS, st.sampled_from(Rank))
def test_a_key_is_read_as_it_was_written(
    inbound: Inbound, scope: DirectScope, person: str | None, rank: Rank
) -> None:
    key = session_key(MAIN, inbound, rank, scope=scope, person=person)

    assert format_key(parse_key(key)) == key


@given(
    st.builds(
        KeyParts,
        agent_id=IDS.map(AgentId),
        kind=st.sampled_from([KeyKind.DIRECT, KeyKind.ROOM]),
        id=IDS,
        channel=IDS,
        account=IDS,
        thread=st.none() | IDS,
        children=st.lists(IDS, max_size=3).map(tuple),
    )
    | st.builds(
        KeyParts,
        agent_id=IDS.map(AgentId),
        kind=st.sampled_from([KeyKind.PERSON, KeyKind.JOB, KeyKind.HOOK]),
        id=IDS,
        children=st.lists(IDS, max_size=3).map(tuple),
    )
    | st.builds(KeyParts, agent_id=IDS.map(AgentId), kind=st.just(KeyKind.MAIN))
)
def test_the_parts_of_a_key_come_back(parts: KeyParts) -> None:
    assert parse_key(format_key(parts)) == parts


@pytest.mark.parametrize(
    "written",
    [
        *("", "main", "agent:main", "agent:main:", "agent:main:x:y", "x:main:main"),
        *("agent:a:b:c:roam:1", "agent:a:b:room:1", "agent:a:b:c:person:1:thread:2"),
        *("agent:ma in:main", "agent:a:job:%7a"),
    ],
)
def test_what_is_no_key_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="no session key"):
        parse_key(written)


def test_the_owners_direct_chats_are_one_session_on_every_channel() -> None:
    here = an_inbound("hi", conversation="here")
    there = an_inbound("hi", conversation="there", channel="elsewhere")

    assert session_key(MAIN, here, Rank.OWNER) == "agent:main:main"
    assert session_key(MAIN, there, Rank.OWNER) == "agent:main:main"


def test_the_owners_words_in_a_room_or_a_thread_stay_there() -> None:
    room = an_inbound("hi")
    room = replace(room, conversation=replace(room.conversation, kind=ConversationKind.ROOM))
    thread = an_inbound("hi", thread="7")

    assert session_key(MAIN, room, Rank.OWNER) == "agent:main:page:default:room:alice"
    assert session_key(MAIN, thread, Rank.OWNER).endswith(":direct:alice:thread:7")


def test_a_room_that_is_called_a_group_for_once_is_the_same_room() -> None:
    room = Conversation(kind=ConversationKind.ROOM, id="C9")
    written = replace(an_inbound("hi"), conversation=room)
    called_otherwise = replace(written, conversation=replace(room, kind=ConversationKind.GROUP))

    assert session_key(MAIN, written, Rank.MEMBER) == session_key(
        MAIN, called_otherwise, Rank.MEMBER
    )


def test_a_person_is_known_by_their_own_id_whatever_the_id_of_the_direct_chat() -> None:
    one = replace(an_inbound("hi", conversation="D111"), sender=Sender(id="U1"))
    other = replace(an_inbound("hi", conversation="U1"), sender=Sender(id="U1"))

    assert session_key(MAIN, one, Rank.MEMBER) == "agent:main:page:default:direct:U1"
    assert session_key(MAIN, other, Rank.MEMBER) == session_key(MAIN, one, Rank.MEMBER)


@pytest.mark.parametrize(
    ("scope", "rank", "person", "key"),
    [
        (DirectScope.AUTO, Rank.OWNER, None, "agent:main:main"),
        (DirectScope.AUTO, Rank.OWNER, "ana", "agent:main:main"),
        (DirectScope.AUTO, Rank.MEMBER, None, "agent:main:page:default:direct:alice"),
        (DirectScope.AUTO, Rank.MEMBER, "ana", "agent:main:person:ana"),
        (DirectScope.MAIN, Rank.GUEST, "ana", "agent:main:main"),
        (DirectScope.PER_PEER, Rank.OWNER, None, "agent:main:page:direct:alice"),
        (DirectScope.PER_PEER, Rank.MEMBER, "ana", "agent:main:person:ana"),
        (DirectScope.PER_CHANNEL_PEER, Rank.MEMBER, None, "agent:main:page:direct:alice"),
        (DirectScope.PER_CHANNEL_PEER, Rank.MEMBER, "ana", "agent:main:page:person:ana"),
        (
            DirectScope.PER_ACCOUNT_CHANNEL_PEER,
            Rank.OWNER,
            None,
            "agent:main:page:default:direct:alice",
        ),
        (
            DirectScope.PER_ACCOUNT_CHANNEL_PEER,
            Rank.MEMBER,
            "ana",
            "agent:main:page:default:person:ana",
        ),
    ],
)
def test_a_scope_says_which_direct_chats_are_one(
    scope: DirectScope, rank: Rank, person: str | None, key: str
) -> None:
    assert session_key(MAIN, an_inbound("hi"), rank, scope=scope, person=person) == key
