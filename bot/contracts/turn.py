"""One admitted message on its way to an outcome."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import NewType

from bot.contracts.admission import Admission
from bot.contracts.budget import Allowance, Cost, LimitMet
from bot.contracts.chapters import BackTo, NewChapter
from bot.contracts.decision import Decides
from bot.contracts.inbound import Inbound
from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.session import ChapterKey, Route, SessionKey, chapter_key

TurnId = NewType("TurnId", str)
"""The id of a turn, made by the store's caller and never reused."""


class Rank(IntEnum):
    """What a sender may do here. A higher number may do more."""

    STRANGER = 0
    GUEST = 1
    MEMBER = 2
    ADMIN = 3
    OWNER = 4


class QueueMode(StrEnum):
    """What a message does to the turn that runs when it arrives."""

    STEER = "steer"
    FOLLOWUP = "followup"
    COLLECT = "collect"
    INTERRUPT = "interrupt"


class DropPolicy(StrEnum):
    """What gives way when a message finds its session's queue full."""

    NEW = "new"
    """The message itself: it is refused with a notice."""
    OLD = "old"
    """What waited longest: it ends with a notice."""
    SUMMARIZE = "summarize"
    """What waited longest but the first: it joins that one, told in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How long a message waits for more of the same, and at most how long."""

    quiet_seconds: float = 0.0
    """Until its sender has said nothing for so long. What the session chose counts instead."""
    part_seconds: float = 0.0
    """For a part that is missing for certain or in all likelihood; nobody can choose that away."""
    longest_seconds: float = 30.0
    """However much comes, what came first waits no longer than this."""


class ThinkingLevel(StrEnum):
    """How long a model thinks before it speaks, as far as it can."""

    OFF = "off"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    ADAPTIVE = "adaptive"
    """The model decides for itself."""


class Verbosity(StrEnum):
    """How much is shown of what a turn does on its way."""

    OFF = "off"
    ON = "on"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChoices:
    """What somebody chose for a session, or for one message; None is: not chosen."""

    queue_mode: QueueMode | None = None
    debounce_seconds: float | None = None
    model: str | None = None
    """The name of a model in the settings."""
    thinking: ThinkingLevel | None = None
    verbosity: Verbosity | None = None
    history_turns: int | None = None
    """How many turns of the past a model sees at most."""
    tools_profile: str | None = None

    def under(self, above: "SessionChoices") -> "SessionChoices":
        """Return *above*, filled up with these where it has not chosen."""
        chosen = {one.name: getattr(above, one.name) for one in fields(above)}
        return replace(self, **{name: value for name, value in chosen.items() if value is not None})

    def without(self, names: Collection[str]) -> "SessionChoices":
        """Return these, with none of *names* chosen any more."""
        return replace(self, **dict.fromkeys(names))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """What a command changes in its session, in the commit of its own claim."""

    chosen: SessionChoices = SessionChoices()
    """Chosen from now on, each that is not None."""
    dropped: tuple[str, ...] = ()
    """The names of choices that are no longer made, such as ``model``."""
    turns_to: NewChapter | BackTo | None = None
    """What runs in the session is asked to stop, and what waits ends, before it turns there."""

    def of(self, before: SessionChoices) -> SessionChoices:
        """Return what is chosen after the change."""
        return before.without(self.dropped).under(self.chosen)


class Lane(StrEnum):
    """Who is waiting: a person, or work nobody watches."""

    PEOPLE = "people"
    BACKGROUND = "background"


class TurnState(StrEnum):
    """How far a turn got. ABSORBED and FINISHED are final."""

    WAITING = "waiting"
    RUNNING = "running"
    ABSORBED = "absorbed"
    FINISHED = "finished"


class OutcomeKind(StrEnum):
    """How a turn ended."""

    ANSWERED = "answered"
    SILENT = "silent"
    ASKED = "asked"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class Failure(StrEnum):
    """Why a turn failed, where the bot has a sentence of its own for it."""

    MODEL_CALLS = "model_calls"
    """It made as many model calls as it may."""
    TOOL_CALLS = "tool_calls"
    """It made as many tool calls as it may."""
    SPENDING = "spending"
    """The next model call would go beyond a limit on money or tokens (`Outcome.ended_by`)."""
    REPETITION = "repetition"
    """It kept asking for the same thing."""
    EMPTY = "empty"
    """The model said nothing that could be shown, and did nothing."""
    UNFINISHED = "unfinished"
    """The model stopped before it was done, after it had used tools."""
    NOT_RECORDED = "not_recorded"
    """The store could not write while it ran."""
    THREE_CRASHES = "three_crashes"
    """It ended the process three times."""
    TOO_LATE = "too_late"
    """It was found too late to begin, or to go on."""
    ROLLED_BACK = "rolled_back"
    """The store was rolled back while it ran."""
    UNKNOWN_EFFECT = "unknown_effect"
    """A call has an unknown end and nobody was there to judge it."""
    REFUSED_TWICE = "refused_twice"
    """A person said no to it twice."""
    AGENT_GONE = "agent_gone"
    """Its agent was taken out of the configuration before it began."""
    BROKEN = "broken"
    """A fault of the bot itself; the log has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a turn used: tokens as the provider counted them, calls as the transcript does.

    Input includes what was cached. What it cost was reckoned when it was used: a price that
    changes later changes nothing. A call whose figures never came has its cost, estimated, and
    no tokens.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    kept_tokens: int = 0
    """Of the input, what the provider keeps for the next request, where it says so."""
    model_calls: int = 0
    tool_calls: int = 0
    micro_usd: int = 0
    unpriced_tokens: int = 0
    """Tokens of calls whose price was not known."""

    @property
    def cost(self) -> Cost:
        """What it cost."""
        return Cost(micro_usd=self.micro_usd, unpriced_tokens=self.unpriced_tokens)

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            kept_tokens=self.kept_tokens + other.kept_tokens,
            model_calls=self.model_calls + other.model_calls,
            tool_calls=self.tool_calls + other.tool_calls,
            micro_usd=self.micro_usd + other.micro_usd,
            unpriced_tokens=self.unpriced_tokens + other.unpriced_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a turn ended. It says nothing about delivery."""

    kind: OutcomeKind
    text: str = ""
    """The model's last words, for ANSWERED and ASKED; for INTERRUPTED those people had seen."""
    reason: str = ""
    """Why, in one sentence, for every other kind."""
    failure: Failure | None = None
    """For FAILED, if the bot has a sentence of its own; else the reason is told."""
    reference: str = ""
    """What it points at: a question, a job, a child session."""
    steps: tuple[str, ...] = ()
    """What was done on the way, where somebody asked to see it; in order, each for people."""
    usage: Usage = Usage()
    ended_by: LimitMet | None = None
    """For a failure of SPENDING: the limit."""
    warnings: tuple[LimitMet, ...] = ()
    """Limits that this turn brought near their end, told of once beside whatever it ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Everything `Turns.open` writes for one inbound, in one commit."""

    turn_id: TurnId
    inbound: Inbound
    admission: Admission
    route: Route
    rank: Rank
    mode: QueueMode
    lane: Lane
    target: Target
    received_at: datetime
    fresh_until: datetime
    """A turn that has not begun by then ends with a notice instead."""
    not_before: datetime | None = None
    pacing: Pacing | None = None
    """How it waits for what its sender is still writing; None: it does not, nor does what waits
    for it."""
    cap: int | None = None
    """How many may wait in its session; None: as many as the store lets."""
    drop: DropPolicy = DropPolicy.NEW
    """What gives way where so many wait."""
    replies: tuple[ReplyPayload, ...] = ()
    """What is answered at the door, committed with the claim (`Handled` and `Drop` only)."""
    stopped_notice: ReplyPayload | None = None
    """What each waiting turn is told that this arrival ends (a stop)."""
    displaced_notice: ReplyPayload | None = None
    """What the turn is told that gives way to it (`DropPolicy.OLD`)."""
    change: SessionChange | None = None
    """What it changes in its session, in the same commit: once, however often it comes."""
    unused_since: datetime | None = None
    """A session in which nobody said anything since then begins a chapter with it."""
    anew_notice: ReplyPayload | None = None
    """What is said if it does."""
    directives: SessionChoices = SessionChoices()
    """What was chosen for this message alone."""
    allowances: tuple[Allowance, ...] = ()
    """What the owner allows beyond limits with it, in the same commit."""
    told: str | None = None
    """What the model is told instead of the text: the text without its directives."""
    decides: Decides | None = None
    """The decision that is made with its claim, once, by whoever is first (`Handled` only)."""
    decided: "Arrival | None" = None
    """The turn that its decision opens in the session that asked."""
    settles: str = ""
    """The code of the question whose decision is carried out in this turn; else nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One admitted message on its way to an outcome."""

    id: TurnId
    seq: int
    """Its place among the lines of its conversation; rises over the whole store."""
    arrival: Arrival
    state: TurnState
    attempt: int = 0
    """How often a worker took it: the fence of every write in its name."""
    crashes: int = 0
    """How many of its attempts ended with their process; a graceful stop is none."""
    epoch: int = 0
    """The store's epoch when it was first taken; another one now means that history was rolled
    back since."""
    cancel_asked: bool = False
    chapter: int = 0
    """The chapter of its session that it began in, and writes to."""
    choices: SessionChoices = SessionChoices()
    """What was chosen when it was taken: by its own directives, else by its session."""

    @property
    def session_key(self) -> SessionKey:
        """The session it runs in."""
        return self.arrival.route.session_key

    @property
    def chapter_key(self) -> ChapterKey:
        """Where it reads and writes what its session remembers."""
        return chapter_key(self.session_key, self.chapter)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopMade:
    """What a stop found, and what became of it."""

    running: int = 0
    """How many turns it asked to stop: one or none."""
    cancelled: int = 0
    """How many it ended that waited in its own conversation."""
    elsewhere: int = 0
    """How many it ended that waited elsewhere in its session; each is told there."""
    not_theirs: int = 0
    """How many run or wait that are others', and go on."""


TellStop = Callable[[Inbound, StopMade], Sequence[ReplyPayload]]
"""Says what a stop is answered, in the commit that makes it: pure and quick."""
