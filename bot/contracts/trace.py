"""What became of one message, in the words of a person who asks why there is no reply."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.contracts.inbound import ConversationKey, Inbound
from bot.contracts.ledger import TurnRecord
from bot.contracts.turn import Rank, TurnId


class Part(StrEnum):
    """A part of a message's way, in the order in which it is told."""

    RECEIVED = "received"
    ADMITTED = "admitted"
    ROUTED = "routed"
    WAITED = "waited"
    ANSWERED_BY = "model"
    CALLS = "tools"
    OUTCOME = "outcome"
    DELIVERED = "delivery"


class Sign(StrEnum):
    """How a part went."""

    DONE = "done"
    OPEN = "open"
    """It is not over yet."""
    ENDED = "ended"
    """Here the message's way ended without the answer that was asked for."""
    PLAIN = "plain"
    """Neither good nor bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One part of the way: a sentence, and what else is worth knowing, a line each."""

    part: Part
    sign: Sign
    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The way of one message, from where it came from to where its answer is."""

    turn_id: TurnId
    verdict: str
    """The one sentence that answers: what became of it, or why there is no reply."""
    sign: Sign
    fix: str
    """What to do, and where, if something is to be done; else empty."""
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who asks. Nobody is shown another person's words, or what admins alone may know."""

    rank: Rank
    channel: str = ""
    sender_id: str = ""

    @property
    def sees_all(self) -> bool:
        """Whether they may see everybody's messages, and the rules."""
        return self.rank >= Rank.ADMIN

    def sent(self, inbound: Inbound) -> bool:
        """Whether it is a message of theirs."""
        return (self.channel, self.sender_id) == (inbound.channel, inbound.sender.id)

    def may_see(self, inbound: Inbound) -> bool:
        """Whether they may be told what became of it, and what was said in it."""
        return self.sees_all or self.sent(inbound)


class Traces(Protocol):
    """Finds messages and tells their way, to each person what they may see."""

    async def find(self, name: str, viewer: Viewer) -> Sequence[TurnRecord]:
        """Return the messages that *name* may mean, newest first."""
        ...

    async def latest(
        self, viewer: Viewer, conversation: ConversationKey | None = None
    ) -> TurnRecord | None:
        """Return the last message said to us, maybe in *conversation*."""
        ...

    async def tell(
        self, turn_id: TurnId, viewer: Viewer, now: datetime, at: Callable[[datetime], str]
    ) -> Trace | None:
        """Return the trace of a message, or None if there is none; *at* writes a moment."""
        ...


OPERATOR = Viewer(rank=Rank.OWNER)
"""Whoever sits at the terminal of the user the bot runs under."""
