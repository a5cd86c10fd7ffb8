"""The news: for eyes and logs. Losing one may leave a screen stale, never a fact wrong."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from bot.contracts.inbound import ConversationKey
from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something happened to a turn. `conversation` is where its reply goes."""

    conversation: ConversationKey
    turn_id: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsCame(Event):
    """Some more visible words of the message the model is writing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageMade(Event):
    """The model finished a message. With `final` false its words were progress, not the answer."""

    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped(Event):
    """The message being written was cut off; its words so far count for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(Event):
    """A call began; `summary` is one line for people, such as ``notes/meeting.md``."""

    call_id: str
    name: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded(Event):
    """A call ended."""

    call_id: str
    name: str
    state: ResultState


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQueued(Event):
    """A message was accepted and waits for its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A worker took the turn."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAbsorbed(Event):
    """A waiting message joined the running turn `into`."""

    into: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailed(Event):
    """A model call failed and something else is tried; `reason` is one sentence."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinishing(Event):
    """The loop is over; the outcome is not yet committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """The outcome is committed."""

    outcome: OutcomeKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered(Event):
    """A delivery arrived and is line `seq` of its conversation."""

    delivery_id: str
    seq: int


class Bus(Protocol):
    """Carries the news. Lossy by contract, ordered per turn."""

    def publish(self, event: Event) -> None:
        """Tell whoever listens. Never waits, never fails."""
        ...

    def follow(self, conversation: ConversationKey) -> AbstractContextManager[AsyncIterator[Event]]:
        """Listen to one conversation from the moment the context is entered.

        A listener that falls more than 1,000 events behind loses the oldest. Words that come
        while earlier ones of their turn are unheard are one event with them.
        """
        ...
