"""From a frame to an inbound: facts only, nothing decided."""

from datetime import datetime
from typing import assert_never

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
from channels.webchat.protocol import PressFrame, SayFrame, StopFrame


def ingest(
    frame: SayFrame | StopFrame | PressFrame,
    conversation: ConversationKey,
    sender: Sender,
    now: datetime,
    attachments: tuple[Attachment, ...] = (),
) -> Inbound:
    """Say what a client did (pure). *sender* is who holds the login, or runs the bot.

    The client's id is the identity of the message, so that repeating it cannot
    double it. A stop is a pressed button like any other: an interaction, no line.
    """
    replaces: str | None = None
    match frame:
        case SayFrame():
            event, text, replaces = EventClass.MESSAGE, frame.text, frame.replaces
        case StopFrame():
            event, text = EventClass.INTERACTION, "/stop"
        case PressFrame():
            event, text = EventClass.INTERACTION, frame.value
        case _:
            assert_never(frame)
    return Inbound(
        source=source_of(frame.id),
        event=event,
        channel=conversation.channel,
        account=conversation.account,
        conversation=Conversation(
            kind=ConversationKind.DIRECT,
            id=conversation.conversation_id,
            thread_id=conversation.thread_id,
        ),
        sender=sender,
        text=text,
        sent_at=now,
        native_id=frame.id,
        mentions_me=True,
        attachments=attachments,
        edited_source=source_of(replaces) if replaces else None,
    )


def source_of(message_id: str) -> Source:
    """Return what a message of ours is claimed by: the id that its client made (pure)."""
    return Source(f"c:{message_id}")
