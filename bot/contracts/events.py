"""The news in four streams: for eyes and logs. Losing one makes a screen stale, no fact wrong."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from bot.contracts.delivery import GivenUp
from bot.contracts.inbound import ConversationKey
from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId


class Stream(StrEnum):
    """What an event is about. Whoever listens may take one and leave the others."""

    ASSISTANT = "assistant"
    """What the model is saying."""
    TOOL = "tool"
    """What it does."""
    LIFECYCLE = "lifecycle"
    """How far the turn got."""
    DELIVERY = "delivery"
    """Whether what tells of it arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something happened to a turn. `conversation` is where its reply goes."""

    stream: ClassVar[Stream]

    conversation: ConversationKey
    turn_id: TurnId


class AssistantEvent(Event):
    """One of the stream of what the model is saying."""

    __slots__ = ()
    stream = Stream.ASSISTANT


class ToolEvent(Event):
    """One of the stream of what the turn does."""

    __slots__ = ()
    stream = Stream.TOOL


class LifecycleEvent(Event):
    """One of the stream of how far the turn got."""

    __slots__ = ()
    stream = Stream.LIFECYCLE


class DeliveryEvent(Event):
    """One of the stream of what became of its deliveries."""

    __slots__ = ()
    stream = Stream.DELIVERY


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsCame(AssistantEvent):
    """Some more visible words of the message the model is writing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageMade(AssistantEvent):
    """The model finished a message. With `final` false its words were progress, not the answer."""

    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDropped(AssistantEvent):
    """The message being written was cut off; its words so far count for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(ToolEvent):
    """A call began; `summary` is one line for people, such as ``notes/meeting.md``."""

    call_id: str
    name: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded(ToolEvent):
    """A call ended."""

    call_id: str
    name: str
    state: ResultState


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQueued(LifecycleEvent):
    """A message was accepted and waits for its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(LifecycleEvent):
    """A worker took the turn."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAbsorbed(LifecycleEvent):
    """A waiting message joined the running turn `into`."""

    into: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailed(LifecycleEvent):
    """A model call failed and something else is tried; `reason` is one sentence."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinishing(LifecycleEvent):
    """The loop is over; the outcome is not yet committed. It may come again, after a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(LifecycleEvent):
    """The outcome is committed: once for each turn, however it ended, and after its last word."""

    outcome: OutcomeKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered(DeliveryEvent):
    """A delivery arrived and is line `seq` of its conversation."""

    delivery_id: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryGivenUp(DeliveryEvent):
    """A delivery will not arrive, or nobody can tell; `reason` is one sentence."""

    delivery_id: str
    state: GivenUp
    reason: str


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
