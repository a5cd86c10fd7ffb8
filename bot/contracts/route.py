"""Whose conversation is whose: what the configuration says of it, and what may be asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from bot.contracts.inbound import (
    Conversation,
    ConversationKey,
    ConversationKind,
    EventClass,
    Inbound,
    Sender,
    Source,
)
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Rank

MAIN: Final = AgentId("main")
"""The agent that always exists, and that answers wherever no binding names another."""

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


class DirectScope(StrEnum):
    """Which direct chats are one session."""

    AUTO = "auto"
    """Those of the owner are one, on all channels; everybody else's are apart."""
    MAIN = "main"
    """All of them, whoever writes."""
    PER_PEER = "per-peer"
    """One for each person, on all channels where identity links say that it is one person."""
    PER_CHANNEL_PEER = "per-channel-peer"
    """One for each person on each channel, whichever of its accounts they write to."""
    PER_ACCOUNT_CHANNEL_PEER = "per-account-channel-peer"
    """One for each person on each account of each channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a binding asks for: all that is not None, all at once; of the roles, any one.

    GROUP is never here: a group and a room are both a place where several people read.
    """

    channel: str
    account: str | None = None
    kind: ConversationKind | None = None
    conversation: str | None = None
    thread: str | None = None
    parent: str | None = None
    space: str | None = None
    roles: tuple[str, ...] = ()
    sender: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Where *match* holds, *agent_id* answers."""

    match: Match
    agent_id: AgentId
    direct: DirectScope | None = None
    """Which direct chats are one session, if it is not as everywhere else."""
    where: str = ""
    """File and line, for eyes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A test of the routes: a message of *when* goes to *agent_id*, maybe in that session."""

    when: Match
    rank: Rank
    agent_id: AgentId
    session_key: SessionKey | None = None
    where: str = ""
    """File and line, for eyes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """All that the configuration says of whose conversation is whose."""

    bindings: tuple[Binding, ...] = ()
    direct: DirectScope = DirectScope.AUTO
    links: Mapping[str, str] = field(default_factory=dict)
    """The person's name by ``<channel>:<sender id>``, each id exactly as its platform has it."""
    targets: Mapping[str, ConversationKey] = field(default_factory=dict)
    """Places by the names they were given."""
    expectations: tuple[Expectation, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    """File and line of each target and each link, for eyes: by ``targets.<name>`` and so on."""


def asked(when: Match) -> Inbound:
    """Make the inbound of a question: where would a message of *when* go (pure).

    What is left out is what is usual: the account ``default``; a direct chat, unless a
    conversation, a room or roles are named. A direct chat without an id has its sender's.
    """
    in_a_room = when.conversation or when.parent or when.space or when.roles
    direct = when.kind is ConversationKind.DIRECT or (when.kind is None and not in_a_room)
    sender = when.sender or (when.conversation if direct else None) or ""
    return Inbound(
        source=Source("question"),
        event=EventClass.MESSAGE,
        channel=when.channel,
        account=when.account or "default",
        conversation=Conversation(
            kind=ConversationKind.DIRECT if direct else ConversationKind.ROOM,
            id=when.conversation or sender,
            thread_id=when.thread,
            parent_id=when.parent,
            space_id=when.space,
        ),
        sender=Sender(id=sender, role_ids=when.roles),
        text="",
        sent_at=_NEVER,
        native_id="question",
        mentions_me=True,
    )
