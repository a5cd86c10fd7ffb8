"""What a command must be, what it may know, and what becomes of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.contracts.approval import Approval
from bot.contracts.budget import Allowance, Caps
from bot.contracts.decision import Decision
from bot.contracts.inbound import Inbound
from bot.contracts.ledger import Session
from bot.contracts.messages import ToolCall
from bot.contracts.people import Pairs, People
from bot.contracts.queue import QueueRule
from bot.contracts.reply import ReplyPayload
from bot.contracts.session import AgentId, Route
from bot.contracts.store import Store
from bot.contracts.trace import Traces
from bot.contracts.turn import QueueMode, Rank, SessionChange, SessionChoices, ThinkingLevel, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffer:
    """A model that may be chosen."""

    name: str
    """Its name in the settings."""
    model: str
    """The provider's name for it."""
    provider: str
    thinking: tuple[ThinkingLevel, ...] = ()
    """The levels that it has beside `off`; none if it cannot be told how long to think."""


class About(Protocol):
    """What the running bot may tell of itself."""

    @property
    def version(self) -> str:
        """The version that runs."""
        ...

    def models(self, agent_id: AgentId) -> Sequence[ModelOffer]:
        """Return the models of an agent in the order in which they are tried."""
        ...

    def tools(self, agent_id: AgentId, rank: Rank) -> Sequence[str]:
        """Return the names of the tools an agent has for senders of *rank*."""
        ...

    def summary_of(self, call: ToolCall) -> str:
        """Say in one line what a call is about, or nothing of a tool that is not known."""
        ...

    def queue(self, channel: str) -> QueueRule:
        """Return how messages queue in a channel, where nothing was chosen."""
        ...

    def caps(self) -> Caps:
        """Return the limits on spending, as they are configured."""
        ...

    def workspace(self, agent_id: AgentId) -> Path:
        """Return the folder of an agent's files."""
        ...

    def approvers(self) -> Sequence[str]:
        """Return who may decide about calls that are asked for: ranks, and people by their id."""
        ...

    def sandbox(self) -> str:
        """Say in a few words where programs run, or why nowhere."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """What a command may know. It reads; whatever it changes stands in its answer."""

    inbound: Inbound
    turn_id: TurnId
    route: Route
    rank: Rank
    now: datetime
    session: Session | None
    """As it stands, or None before its first turn."""
    store: Store
    people: People
    pairs: Pairs | None
    """Who waits to be let in; None where nobody is let in for now."""
    about: About
    traces: Traces
    commands: tuple["Command", ...]
    """All there are."""

    @property
    def choices(self) -> SessionChoices:
        """What is chosen in the session."""
        return self.session.choices if self.session else SessionChoices()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What somebody who may decided about a question that waits."""

    approval: Approval
    decision: Decision
    too_late: tuple[ReplyPayload, ...]
    """What is answered if somebody else was quicker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswer:
    """What becomes of a command: committed with its claim, so that it happens once."""

    replies: tuple[ReplyPayload, ...] = ()
    change: SessionChange | None = None
    mode: QueueMode = QueueMode.STEER
    """INTERRUPT: it ends what runs and waits in its session, and that is answered by the stop."""
    allowances: tuple[Allowance, ...] = ()
    """What is allowed beyond limits on spending."""
    ruling: Ruling | None = None
    """A decision, made with the claim; it opens a turn of its own in the session that asked."""
    goes_on: str | None = None
    """The text of the turn that it becomes. None: it is answered with its *replies*, at the door;
    else it has none, because its turn answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlined:
    """A directive that was found before a message: it holds for this message alone."""

    chosen: SessionChoices
    rest: str
    """The message, untouched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something that is asked of the bot itself, in text or by a platform's own menu."""

    name: str
    """Small letters; said as ``/name``."""
    summary: str
    """One line of help, in English; other languages say it in their own file."""
    arguments: str
    """How the rest is written, such as ``[name]``; empty if it takes nothing."""
    least_rank: Rank
    run: Callable[[CommandContext, str], Awaitable[CommandAnswer]]
    aliases: tuple[str, ...] = ()
    jumps: bool = True
    """It is answered at the door, while its session is busy. Else it waits for its turn."""
    inline: Callable[[CommandContext, str], Inlined | None] | None = None
    """Reads it as a directive before a message; None where what follows is no value of it."""
