"""Every rule of admission, and that the first one that applies wins."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access.policy import CLOSED, AccessPolicy, policy_of
from bot.contracts.admission import Admission, Dispatch, Drop, Handled, Observe
from bot.contracts.inbound import ConversationKind, EventClass, Inbound, Lifecycle, Sender
from bot.contracts.turn import Rank
from bot.kernel.admit import admit
from bot.kernel.classify import classify
from bot.settings.access import DirectSettings, RoomsSettings
from tests.doubles.arrivals import an_inbound

DIRECT = an_inbound("hello")
BUTTON = an_inbound("/stop", event=EventClass.INTERACTION)
BOT = Sender(id="77", is_bot=True)
ME = Sender(id="1", is_bot=True, is_me=True)


def rules(direct: str = "pairing", **rooms: object) -> AccessPolicy:
    allow = ("bob",) if direct == "allowlist" else ()
    return policy_of(
        DirectSettings.model_validate({"policy": direct, "allow": allow}),
        RoomsSettings.model_validate({"allow": {"alice": {}}, **rooms}),
    )


def in_room(inbound: Inbound) -> Inbound:
    room = replace(inbound.conversation, kind=ConversationKind.ROOM)
    return replace(inbound, conversation=room)


ROOM = in_room(DIRECT)
MENTION = replace(ROOM, mentions_me=True)
PAIRING, OPEN, ALLOWLIST, DISABLED = map(rules, ("pairing", "open", "allowlist", "disabled"))


@pytest.mark.parametrize(
    ("inbound", "rank", "policy", "expected"),
    [
        pytest.param(DIRECT, Rank.OWNER, CLOSED, Dispatch(reason="direct:listed"), id="the owner"),
        pytest.param(DIRECT, Rank.GUEST, PAIRING, Dispatch(reason="direct:listed"), id="approved"),
        pytest.param(DIRECT, Rank.GUEST, OPEN, Dispatch(reason="direct:open"), id="open to all"),
        pytest.param(
            DIRECT, Rank.STRANGER, PAIRING, Drop(reason="sender:not-paired"), id="a stranger"
        ),
        pytest.param(
            DIRECT, Rank.STRANGER, ALLOWLIST, Drop(reason="sender:not-listed"), id="not listed"
        ),
        pytest.param(
            DIRECT, Rank.STRANGER, CLOSED, Drop(reason="sender:not-listed"), id="nothing is said"
        ),
        pytest.param(
            DIRECT, Rank.OWNER, DISABLED, Drop(reason="direct:disabled"), id="direct chats are off"
        ),
        pytest.param(
            replace(DIRECT, sender=BOT), Rank.OWNER, OPEN, Drop(reason="sender:bot"), id="a bot"
        ),
        pytest.param(
            replace(DIRECT, sender=ME), Rank.OWNER, OPEN, Drop(reason="sender:me"), id="our echo"
        ),
        pytest.param(ROOM, Rank.OWNER, CLOSED, Drop(reason="rooms:disabled"), id="no rooms"),
        pytest.param(
            ROOM, Rank.OWNER, rules(allow={}), Drop(reason="room:not-listed"), id="another room"
        ),
        pytest.param(
            MENTION,
            Rank.STRANGER,
            PAIRING,
            Drop(reason="room:sender-not-listed"),
            id="who may not speak there",
        ),
        pytest.param(MENTION, Rank.GUEST, PAIRING, Dispatch(reason="room:mentioned"), id="named"),
        pytest.param(
            replace(ROOM, replies_to_me=True),
            Rank.GUEST,
            PAIRING,
            Dispatch(reason="room:replied-to"),
            id="a reply to us",
        ),
        pytest.param(
            ROOM,
            Rank.GUEST,
            rules(patterns=("hel+o",)),
            Dispatch(reason="room:named"),
            id="named by a pattern",
        ),
        pytest.param(
            ROOM,
            Rank.GUEST,
            rules(mention="off"),
            Dispatch(reason="room:listens-to-all"),
            id="no mention is needed",
        ),
        pytest.param(
            ROOM, Rank.GUEST, PAIRING, Observe(reason="room:not-mentioned"), id="not meant for us"
        ),
        pytest.param(
            ROOM,
            Rank.OWNER,
            rules(observe="false"),
            Drop(reason="room:not-mentioned"),
            id="not meant for us, and nothing is written down",
        ),
        pytest.param(
            replace(MENTION, sender=BOT), Rank.GUEST, PAIRING, Drop(reason="sender:bot"), id="bots"
        ),
        pytest.param(
            replace(MENTION, sender=BOT),
            Rank.GUEST,
            rules(allow={"alice": {"bots": "allow"}}),
            Dispatch(reason="room:mentioned"),
            id="a bot that is allowed",
        ),
        pytest.param(
            in_room(replace(BUTTON, sender=BOT)),
            Rank.GUEST,
            rules(allow={"alice": {"bots": "allow"}}),
            Drop(reason="sender:bot"),
            id="a bot gives no command",
        ),
        pytest.param(
            in_room(an_inbound("stop")),
            Rank.GUEST,
            PAIRING,
            Handled(reason="command:stop"),
            id="a stop word passes the gate",
        ),
        pytest.param(
            in_room(an_inbound("stop")),
            Rank.STRANGER,
            PAIRING,
            Drop(reason="room:sender-not-listed"),
            id="but not from whoever may not speak",
        ),
        pytest.param(
            replace(
                in_room(an_inbound("", event=EventClass.LIFECYCLE)), lifecycle=Lifecycle.JOINED
            ),
            Rank.STRANGER,
            PAIRING,
            Handled(reason="event:lifecycle"),
            id="the platform tells of the room",
        ),
        pytest.param(
            an_inbound(" \n"), Rank.OWNER, PAIRING, Drop(reason="message:empty"), id="nothing said"
        ),
        pytest.param(
            an_inbound("/stop"), Rank.OWNER, PAIRING, Handled(reason="command:stop"), id="a stop"
        ),
        pytest.param(BUTTON, Rank.OWNER, PAIRING, Handled(reason="command:stop"), id="the button"),
        pytest.param(
            an_inbound("press", event=EventClass.INTERACTION),
            Rank.OWNER,
            PAIRING,
            Handled(reason="command:unknown"),
            id="a button nobody made",
        ),
        pytest.param(
            an_inbound("x", event=EventClass.REACTION),
            Rank.OWNER,
            PAIRING,
            Handled(reason="event:reaction"),
            id="a reaction starts nothing",
        ),
    ],
)
def test_admit(inbound: Inbound, rank: Rank, policy: AccessPolicy, expected: Admission) -> None:
    assert admit(inbound, classify(inbound), rank, policy) == expected


@pytest.mark.parametrize("event", EventClass)
@pytest.mark.parametrize("policy", [PAIRING, ALLOWLIST, DISABLED, CLOSED])
@pytest.mark.parametrize("is_command", [True, False])
def test_a_stranger_reaches_nothing_by_any_kind_of_event(
    event: EventClass, policy: AccessPolicy, is_command: bool
) -> None:
    inbound = an_inbound("/stop" if is_command else "hi", event=event)

    assert isinstance(admit(inbound, event, Rank.STRANGER, policy), Drop)


@given(
    event=st.sampled_from(EventClass),
    rank=st.sampled_from(Rank),
    kind=st.sampled_from(ConversationKind),
    sender=st.builds(Sender, id=st.just("5"), is_bot=st.booleans(), is_me=st.booleans()),
    mentions=st.booleans(),
    replies=st.booleans(),
    text=st.sampled_from(["hello", "stop", "/stop", "", "/pair X"]),
    policy=st.sampled_from(
        [PAIRING, OPEN, ALLOWLIST, DISABLED, CLOSED, rules(policy="open"), rules(mention="off")]
    ),
)
def test_nothing_starts_a_turn_but_what_may(  # noqa: PLR0917 - one for each fact
    event: EventClass,
    rank: Rank,
    kind: ConversationKind,
    sender: Sender,
    mentions: bool,
    replies: bool,
    text: str,
    policy: AccessPolicy,
) -> None:
    said = an_inbound(text, event=event)
    inbound = replace(
        said,
        conversation=replace(said.conversation, kind=kind),
        sender=sender,
        mentions_me=mentions,
        replies_to_me=replies,
    )

    admission = admit(inbound, classify(inbound), rank, policy)

    assert admission.reason
    if isinstance(admission, Dispatch):
        assert rank > Rank.STRANGER
        assert event is EventClass.MESSAGE
        assert not sender.is_me
        assert not sender.is_bot
        if kind is not ConversationKind.DIRECT:
            rule = policy.rule(inbound.conversation)
            assert rule is not None
            assert mentions or replies or not rule.needs_mention
    if isinstance(admission, Observe):
        assert rank > Rank.STRANGER
        assert kind is not ConversationKind.DIRECT
