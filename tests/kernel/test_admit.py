from dataclasses import replace

import pytest

from bot.contracts.admission import Admission, Dispatch, Drop, Handled
from bot.contracts.inbound import ConversationKind, EventClass, Inbound, Sender
from bot.contracts.turn import Rank
from bot.kernel.admit import admit
from bot.kernel.classify import classify
from tests.doubles.arrivals import an_inbound

DIRECT = an_inbound("hello")
ROOM = replace(DIRECT, conversation=replace(DIRECT.conversation, kind=ConversationKind.ROOM))
BUTTON = an_inbound("/stop", event=EventClass.INTERACTION)


@pytest.mark.parametrize(
    ("inbound", "rank", "expected"),
    [
        pytest.param(DIRECT, Rank.OWNER, Dispatch(reason="direct:listed"), id="the owner writes"),
        pytest.param(
            DIRECT, Rank.STRANGER, Drop(reason="sender:not-listed"), id="a stranger writes"
        ),
        pytest.param(
            replace(DIRECT, sender=Sender(id="alice", is_bot=True)),
            Rank.OWNER,
            Drop(reason="sender:bot"),
            id="a bot writes",
        ),
        pytest.param(ROOM, Rank.OWNER, Drop(reason="room:not-listed"), id="in a room"),
        pytest.param(
            an_inbound(" \n"), Rank.OWNER, Drop(reason="message:empty"), id="nothing is said"
        ),
        pytest.param(
            an_inbound("/stop"), Rank.OWNER, Handled(reason="command:stop"), id="the owner stops"
        ),
        pytest.param(BUTTON, Rank.OWNER, Handled(reason="command:stop"), id="the stop button"),
        pytest.param(
            BUTTON, Rank.STRANGER, Drop(reason="sender:not-listed"), id="a stranger's button"
        ),
        pytest.param(
            an_inbound("press", event=EventClass.INTERACTION),
            Rank.OWNER,
            Handled(reason="command:unknown"),
            id="a button nobody made",
        ),
        pytest.param(
            an_inbound("x", event=EventClass.REACTION),
            Rank.OWNER,
            Handled(reason="event:reaction"),
            id="a reaction starts nothing",
        ),
    ],
)
def test_admit(inbound: Inbound, rank: Rank, expected: Admission) -> None:
    assert admit(inbound, classify(inbound), rank) == expected


@pytest.mark.parametrize("event", EventClass)
def test_a_stranger_reaches_nothing_by_any_kind_of_event(event: EventClass) -> None:
    inbound = an_inbound("/stop", event=event)

    assert isinstance(admit(inbound, event, Rank.STRANGER), Drop)
