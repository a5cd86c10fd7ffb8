"""What is read of the store, by eyes and by lists: turns, lines, sessions, conversations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from bot.contracts.budget import Allowance
from bot.contracts.delivery import Delivery, DeliveryState
from bot.contracts.inbound import Attachment, ConversationKey, Source
from bot.contracts.moved import Move
from bot.contracts.reply import ReplyPayload
from bot.contracts.session import AgentId, ChapterKey, SessionKey
from bot.contracts.transcript import Recorded
from bot.contracts.turn import (
    Lane,
    Outcome,
    Rank,
    SessionChoices,
    Turn,
    TurnId,
    TurnState,
    Usage,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One taking of a turn by a worker."""

    number: int
    worker: str
    started_at: datetime
    ended_at: datetime | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """All that is known of one turn. The outcome of an absorbed one is its host's."""

    turn: Turn
    outcome: Outcome | None
    absorbed_by: TurnId | None
    ended_at: datetime | None
    attempts: tuple[Attempt, ...] = ()
    deliveries: tuple[Delivery, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one person's turns used of one model, in one session, on one day."""

    day: date
    """By the operator's clock, when it was recorded."""
    person: str
    """Channel and sender id, such as ``webchat:owner``."""
    rank: Rank
    agent_id: AgentId
    session_key: SessionKey
    model: str
    """The provider's name for it."""
    lane: Lane
    turns: int
    """Turns in which it answered; one that several models answered counts with each."""
    usage: Usage


class Direction(StrEnum):
    """Who said a line."""

    HEARD = "heard"
    SAID = "said"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a conversation as a person sees it."""

    seq: int
    direction: Direction
    turn_id: TurnId
    at: datetime
    text: str
    """What was heard, or what was said as plain text."""
    source: Source | None = None
    """Of a line that was heard."""
    edited_source: Source | None = None
    """The line that this one was heard instead of."""
    attachments: tuple[Attachment, ...] = ()
    """Of a line that was heard."""
    tool_calls: int = 0
    """How many calls its turn made, of a line that was said."""
    delivery_id: str | None = None
    payload: ReplyPayload | None = None
    """Of a line that was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a conversation line has chosen and spent."""

    key: SessionKey
    agent_id: AgentId
    choices: SessionChoices = field(default_factory=SessionChoices)
    chapter: int = 0
    """Which chapter it is in; a chapter begins with `/new` or after a long silence."""
    chapters: int = 1
    """How many it has begun."""
    started_at: datetime
    last_interaction_at: datetime
    usage: Usage = Usage()
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A stretch of a session between two beginnings, in which something was said."""

    number: int
    opening: str
    """What was heard in it first, up to 200 characters."""
    last_at: datetime
    """When something was last recorded in it."""
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuery:
    """Which turns; None means any."""

    session_key: SessionKey | None = None
    conversation: ConversationKey | None = None
    source: Source | None = None
    """The one whose claim it was, in `conversation`."""
    states: Collection[TurnState] | None = None
    before: int | None = None
    """Only those that came before this line."""
    limit: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryQuery:
    """Which deliveries; None means any."""

    states: Collection[DeliveryState] | None = None
    turn_id: TurnId | None = None
    limit: int = 100


class Ledger(Protocol):
    """Read-only, for eyes: lists, traces, the page."""

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        """Return all that is known of one turn."""
        ...

    async def turns(self, query: TurnQuery) -> Sequence[TurnRecord]:
        """Return turns, newest first, without attempts and deliveries."""
        ...

    async def find(self, name: str, *, limit: int = 5) -> Sequence[TurnRecord]:
        """Return the turns that *name* may mean, newest first, without attempts and deliveries.

        It is the beginning of a turn's id or, of the latest 50,000 events, the source of one or
        the platform's own id of its message.
        """
        ...

    async def deliveries(self, query: DeliveryQuery) -> Sequence[Delivery]:
        """Return deliveries, newest first."""
        ...

    async def sessions(
        self, *, limit: int = 100, unused_since: datetime | None = None
    ) -> Sequence[Session]:
        """Return sessions, latest interaction first; only those that nobody used since then."""
        ...

    async def session(self, session_key: SessionKey) -> Session | None:
        """Return one session, or None before its first turn."""
        ...

    async def chapter(self, key: ChapterKey) -> Sequence[Recorded]:
        """Return all that is recorded in a chapter, in order."""
        ...

    async def chapters(self, session_key: SessionKey, *, limit: int = 100) -> Sequence[Chapter]:
        """Return the chapters of a session in which something was said, what came last first."""
        ...

    async def after(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines after *seq*, in order.

        Heard: inbound messages and commands, not interactions (buttons). Said:
        deliveries that arrived.
        """
        ...

    async def before(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines before *seq*, in order, of the kinds of `after`."""
        ...

    async def entries(self, turn_id: TurnId) -> Sequence[Recorded]:
        """Return what a session remembers of one turn, in order."""
        ...

    async def spending(self, since: date) -> Sequence[Spending]:
        """Return what was used on *since* and on every day after it, the oldest first.

        It was added up in the commits that recorded the answers, and stays when a conversation
        is deleted.
        """
        ...

    async def moves(self) -> Sequence[Move]:
        """Return every move of a room that was reported, once each."""
        ...

    async def allowances(self, since: date) -> Sequence[tuple[date, Allowance]]:
        """Return what the owner allowed beyond limits on *since* and after it, with its day."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Return how many turns and deliveries are in each state: ``turns.waiting`` and so on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One conversation in which something was said."""

    key: ConversationKey
    title: str | None
    """The name a person gave it."""
    opening: str
    """What was heard in it first, up to 200 characters; a file's name, if there were no words."""
    first_seq: int
    """Its first line. A conversation that was forgotten and used again begins anew."""
    last_at: datetime
    """When somebody last said something to us in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A line that a search found, and where."""

    conversation: ConversationKey
    line: Line


class Conversations(Protocol):
    """Lists, names and searches. A place is the key of its first conversation."""

    async def latest(self, place: ConversationKey, *, limit: int = 200) -> Sequence[Listed]:
        """Return the first conversation and its threads, what was last used first."""
        ...

    async def get(self, conversation: ConversationKey) -> Listed | None:
        """Return one, or None if nothing stands in it."""
        ...

    async def search(
        self, place: ConversationKey, words: Sequence[str], *, limit: int = 50
    ) -> Sequence[Found]:
        """Return lines that hold every one of *words*, newest first.

        A word is any run of characters, and upper and lower case are the same.
        The names of attached files count as words of their line.
        """
        ...

    async def rename(self, conversation: ConversationKey, title: str | None) -> bool:
        """Name it, or take its name away; say whether there is such a conversation."""
        ...
