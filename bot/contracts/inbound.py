"""What a channel reports: one platform event, reduced to facts."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

Source = NewType("Source", str)
"""The identity of an inbound, the same for every redelivery.

It is unique inside its channel, account and conversation, such as ``c:<uuid>``
on the page or ``m:<message id>`` on Telegram.
"""


class EventClass(StrEnum):
    """What kind of event a platform reported."""

    MESSAGE = "message"
    COMMAND = "command"
    INTERACTION = "interaction"
    EDIT = "edit"
    DELETION = "deletion"
    REACTION = "reaction"
    LIFECYCLE = "lifecycle"


class Lifecycle(StrEnum):
    """What became of a conversation, or of our place in it."""

    JOINED = "joined"
    """We were taken in."""
    LEFT = "left"
    """We were put out, or blocked."""
    MOVED = "moved"
    """It has another id from now on; `Inbound.former_id` is the one it had."""
    DELETED = "deleted"
    """It, or the thread that is named, is gone: nothing can be said there any more."""


class ConversationKind(StrEnum):
    """How many people read a conversation."""

    DIRECT = "direct"
    GROUP = "group"
    ROOM = "room"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Where something was written.

    The id is that of one place: no group and no room of an account share one. In a direct
    chat the sender is the person it is with, whatever the event.
    """

    kind: ConversationKind
    id: str
    thread_id: str | None = None
    parent_id: str | None = None
    space_id: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationKey:
    """The address of a conversation: what a reply needs in order to arrive."""

    channel: str
    account: str
    conversation_id: str
    thread_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who wrote. The id is the platform's own and never changes; a name may."""

    id: str
    display_name: str = ""
    is_bot: bool = False
    is_me: bool = False
    """It is the account we speak through: the platform shows us what we said ourselves."""
    role_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came with a message. What a model is told of it is recorded with it."""

    id: str
    name: str
    """As the sender called it, cleaned: never a path."""
    media_type: str
    """What its bytes look like, such as ``image/png``; the name only tells texts apart."""
    size: int
    """Bytes."""
    path: str = ""
    """Where tools find it, from the workspace's root; empty if nowhere."""
    text: str | None = None
    """Its beginning, if it is a text."""
    note: str = ""
    """What the text leaves out or was guessed, in one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """One platform event, reduced to facts. It decides nothing."""

    source: Source
    event: EventClass
    channel: str
    account: str
    conversation: Conversation
    sender: Sender
    text: str
    sent_at: datetime
    native_id: str
    """The platform's own message id: what a reply or an edit refers to."""
    reply_to: str | None = None
    mentions_me: bool = False
    """It names us in the platform's own way, or, as a command, is addressed to us."""
    replies_to_me: bool = False
    """The message in `reply_to` is one of ours, as the platform says."""
    album_id: str | None = None
    """The group that the platform cut into several events, one file each."""
    cut_at: int | None = None
    """Where the platform cuts what a person pastes into several messages, in characters."""
    attachments: tuple[Attachment, ...] = ()
    edited_source: Source | None = None
    """The message that this one replaces. A MESSAGE with it is said anew: it gets a turn of its
    own, and the model no longer sees the exchange that it takes the place of. An EDIT and a
    DELETION name the message that was changed; a REACTION names its in `reply_to`."""
    lifecycle: Lifecycle | None = None
    """For LIFECYCLE: what happened."""
    former_id: str | None = None
    """For MOVED: the conversation's id until now."""

    @property
    def conversation_key(self) -> ConversationKey:
        """The address of the conversation this was written in."""
        return ConversationKey(
            channel=self.channel,
            account=self.account,
            conversation_id=self.conversation.id,
            thread_id=self.conversation.thread_id,
        )
