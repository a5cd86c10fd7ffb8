"""Small builders of what a store is given: an arrival, a payload, a delivery."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.contracts.admission import Admission, Dispatch
from bot.contracts.delivery import Delivery, OnUnknown
from bot.contracts.document import Document, Paragraph, Span
from bot.contracts.inbound import (
    Attachment,
    Conversation,
    ConversationKey,
    ConversationKind,
    EventClass,
    Inbound,
    Sender,
    Source,
)
from bot.contracts.reply import ReplyKind, ReplyPayload, Target
from bot.contracts.session import AgentId, Route, SessionKey
from bot.contracts.turn import Arrival, Lane, QueueMode, Rank, Turn, TurnId

NOON: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
"""When everything here was said."""

A_FILE: Final = Attachment(
    id="06f7m3x1q8s5t0v2w4y6z8a1c3",
    name="Sums.csv",
    media_type="text/csv",
    size=8,
    path="attachments/y6z8a1c3/Sums.csv",
    text="a,b\n1,2\n",
)
"""Something Alice may send along."""

_numbers: Final = itertools.count(1)


def an_inbound(
    text: str,
    *,
    source: str | None = None,
    event: EventClass = EventClass.MESSAGE,
    conversation: str = "alice",
    thread: str | None = None,
    channel: str = "page",
) -> Inbound:
    """Something Alice wrote; its source is its text unless told otherwise."""
    return Inbound(
        source=Source(f"m:{text}" if source is None else source),
        event=event,
        channel=channel,
        account="default",
        conversation=Conversation(
            kind=ConversationKind.DIRECT, id=conversation, thread_id=thread, title="Alice"
        ),
        sender=Sender(id="alice", display_name="Alice"),
        text=text,
        sent_at=NOON,
        native_id=f"native {text}",
    )


def an_arrival(
    text: str,
    *,
    session: str | None = None,
    mode: QueueMode = QueueMode.STEER,
    rank: Rank = Rank.OWNER,
    lane: Lane = Lane.PEOPLE,
    admission: Admission | None = None,
    not_before: datetime | None = None,
    replies: tuple[ReplyPayload, ...] = (),
    stopped_notice: ReplyPayload | None = None,
    inbound: Inbound | None = None,
    turn_id: str | None = None,
    conversation: str = "alice",
    thread: str | None = None,
) -> Arrival:
    """An arrival of *text*, with an id nobody had before; one session per conversation."""
    said = inbound or an_inbound(text, conversation=conversation, thread=thread)
    here = said.conversation_key
    return Arrival(
        turn_id=TurnId(turn_id or f"turn-{next(_numbers):06}"),
        inbound=said,
        admission=admission or Dispatch(reason="direct"),
        route=Route(
            agent_id=AgentId("main"),
            session_key=SessionKey(session or f"agent:main:{here.conversation_id}"),
            matched_by="default",
        ),
        rank=rank,
        mode=mode,
        lane=lane,
        target=a_target(here),
        received_at=NOON,
        fresh_until=NOON + timedelta(hours=24),
        not_before=not_before,
        replies=replies,
        stopped_notice=stopped_notice,
    )


def a_target(conversation: ConversationKey) -> Target:
    """Where a reply to *conversation* goes."""
    return Target(
        channel=conversation.channel,
        account=conversation.account,
        conversation_id=conversation.conversation_id,
        thread_id=conversation.thread_id,
    )


def a_payload(text: str, *, kind: ReplyKind = ReplyKind.ANSWER) -> ReplyPayload:
    """One paragraph of *text*."""
    body = Document(blocks=(Paragraph(spans=(Span(text=text),)),))
    return ReplyPayload(kind=kind, body=body, fallback=text)


def a_delivery(
    turn: Turn,
    text: str,
    *,
    part: int = 0,
    why: str | None = None,
    on_unknown: OnUnknown = OnUnknown.REPEAT_ONCE,
    not_before: datetime | None = None,
) -> Delivery:
    """Part *part* of the answer to *turn*, or with *why* a notice about it."""
    return Delivery(
        id=f"{turn.id}:{part}" if why is None else f"{turn.id}!{why}",
        turn_id=turn.id,
        session_key=turn.session_key,
        target=replace(turn.arrival.target),
        payload=a_payload(text, kind=ReplyKind.ANSWER if why is None else ReplyKind.NOTICE),
        on_unknown=on_unknown,
        not_before=not_before,
    )
