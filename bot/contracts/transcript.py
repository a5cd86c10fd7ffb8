"""What a session remembers: facts in order, never rewritten."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.contracts.approval import Question
from bot.contracts.decision import Decision
from bot.contracts.inbound import Inbound, Sender
from bot.contracts.messages import AssistantMessage, ToolCall, ToolResult
from bot.contracts.tool import Effect
from bot.contracts.turn import Outcome, Rank, TurnId, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """Said to us: an inbound whose turn was taken, or that joined a running one."""

    inbound: Inbound
    rank: Rank
    turn_id: TurnId | None = None
    """The turn that was waiting with it, if it joined another."""
    kind: Literal["received"] = "received"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """A call is about to have an effect. Committed before the effect."""

    call_id: str
    name: str
    effect: Effect
    arguments: str | None = None
    """The JSON it is carried out with, where a hook changed what the model asked for."""
    settles: str = ""
    """The code of the question with which a person approved it; it is used up by this record."""
    kind: Literal["call_started"] = "call_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """What the kernel told the model when it stopped without an answer."""

    text: str
    kind: Literal["nudge"] = "nudge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A model call that brought no answer and may have cost something all the same.

    Its cost is what it may have been at most: missing evidence never permits more.
    """

    model: str
    usage: Usage
    lost_attempt: int | None = None
    """The attempt whose process ended during the call; None if this one saw it end."""
    kind: Literal["unanswered"] = "unanswered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """A chapter begins, with nothing in mind. What was before stays, under its own number."""

    before: int
    """The chapter that the session was in."""
    reason: str
    """Why, in one word: ``asked``, ``idle``."""
    kind: Literal["reset"] = "reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A person decided about a call of an earlier turn. Approved, it is carried out in this one."""

    code: str
    call: ToolCall
    decision: Decision
    by: str
    """Their name."""
    noes: int = 0
    """How many noes there were to its plan, this one included."""
    kind: Literal["decided"] = "decided"

    @property
    def is_approved(self) -> bool:
        """Whether the call is to be carried out."""
        return self.decision is not Decision.NO


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A message that is told as a quotation: who said what, when; its files by name only."""

    sender: Sender
    at: datetime
    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Said where we listen and not to us, since we were last told; the latest, in order."""

    messages: tuple[Quoted, ...]
    left_out: int = 0
    """How many earlier ones are not told."""
    kind: Literal["observed"] = "observed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarized:
    """Said to us while the queue was full, and told in one line each; the latest, in order."""

    messages: tuple[Quoted, ...]
    left_out: int = 0
    """How many earlier ones are not told."""
    kind: Literal["summarized"] = "summarized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """Its sender edited what they had said to us before."""

    was: str
    """How it began before."""
    now: Quoted
    kind: Literal["corrected"] = "corrected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Somebody stopped the turn here."""

    said: str = ""
    """The words of an unfinished message that people had seen by then."""
    kind: Literal["stopped"] = "stopped"


Entry = (
    Received
    | Observed
    | Summarized
    | Corrected
    | AssistantMessage
    | CallStarted
    | ToolResult
    | Nudge
    | Reset
    | Stopped
    | Unanswered
    | Decided
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An entry with its place in the session."""

    seq: int
    turn_id: TurnId
    attempt: int
    at: datetime
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ends, with the last words that are not recorded yet.

    They are recorded in the commit that ends it, so that an answer needs no commit of its own.
    """

    outcome: Outcome
    words: tuple[Entry, ...] = ()
    questions: tuple[Question, ...] = ()
    """What a person is asked; for ASKED. Written in the same commit."""
