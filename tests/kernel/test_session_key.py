from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.inbound import Conversation, ConversationKind, Inbound
from bot.contracts.session import AgentId
from bot.contracts.turn import Rank
from bot.kernel.session_key import session_key
from tests.doubles.arrivals import an_inbound

MAIN = AgentId("main")
PRINTABLE = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
IDS = st.text(PRINTABLE, min_size=1, max_size=12)
PLACES = st.builds(
    lambda channel, account, kind, id_, thread: replace(
        an_inbound("hi"),
        channel=channel,
        account=account,
        conversation=Conversation(kind=kind, id=id_, thread_id=thread),
    ),
    IDS,
    IDS,
    st.sampled_from(ConversationKind),
    IDS | st.sampled_from(["a:thread:b", "a", "b", "main", "%3A", ":"]),
    st.none() | IDS | st.sampled_from(["b", "a:thread:b"]),
)


def place(inbound: Inbound) -> tuple[object, ...]:
    conversation = inbound.conversation
    return (
        inbound.channel,
        inbound.account,
        conversation.kind,
        conversation.id,
        conversation.thread_id,
    )


@given(PLACES, PLACES)
def test_no_two_conversations_share_a_key(one: Inbound, other: Inbound) -> None:
    same = session_key(MAIN, one, Rank.GUEST) == session_key(MAIN, other, Rank.GUEST)

    assert same == (place(one) == place(other))


def test_the_owners_direct_chats_are_one_session() -> None:
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
