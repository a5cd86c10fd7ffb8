"""What a trace is made of, and what its verdict and its passages say alike: pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.contracts.admission import Dispatch
from bot.contracts.delivery import Delivery
from bot.contracts.inbound import Inbound
from bot.contracts.ledger import TurnRecord
from bot.contracts.messages import ToolCall
from bot.contracts.trace import Viewer
from bot.contracts.transcript import Recorded
from bot.contracts.turn import Arrival, Outcome, Turn
from bot.kernel.reasons import FAILURES, INTERRUPTIONS, MODEL_FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store has of one message's way."""

    record: TurnRecord
    host: TurnRecord | None = None
    """The turn that it joined."""
    entries: Sequence[Recorded] = ()
    """What the turn that answers it left: its own, or its host's."""
    ahead: Sequence[TurnRecord] = ()
    """What came before it in its session, as far back as something may have been open."""

    @property
    def answering(self) -> TurnRecord:
        """The turn that answers it: its own, or the one it joined."""
        return self.host or self.record


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One message's way, told to one person at one moment."""

    known: Known
    viewer: Viewer
    now: datetime
    summary_of: Callable[[ToolCall], str]
    at: Callable[[datetime], str]
    """Writes a moment."""

    @property
    def record(self) -> TurnRecord:
        """What is known of the message's own turn."""
        return self.known.record

    @property
    def turn(self) -> Turn:
        """The message's own turn."""
        return self.known.record.turn

    @property
    def arrival(self) -> Arrival:
        """What was frozen when it came."""
        return self.known.record.turn.arrival

    @property
    def inbound(self) -> Inbound:
        """The message."""
        return self.known.record.turn.arrival.inbound

    @property
    def sees_host(self) -> bool:
        """Whether the one who asks may see the message whose turn answers this one."""
        return self.viewer.may_see(self.known.answering.turn.arrival.inbound)

    def behind(self) -> Sequence[TurnRecord]:
        """Return what was open in its session when it came, the latest first."""
        came = self.arrival.received_at
        return [
            one
            for one in self.known.ahead
            if isinstance(one.turn.arrival.admission, Dispatch)
            and (one.ended_at is None or one.ended_at > came)
        ]

    def deliveries(self) -> Sequence[Delivery]:
        """Return what tells of it, also where another turn answered it.

        What went elsewhere, such as to the owner, is told to admins alone.
        """
        own, host = self.record.deliveries, self.known.host
        every = own if host is None else (*own, *host.deliveries)
        here = self.arrival.target.conversation_key
        return [one for one in every if self.viewer.sees_all or one.target.conversation_key == here]

    def failed(self, outcome: Outcome) -> tuple[str, str]:
        """Say why it failed and what to do; of somebody else's turn only that it did."""
        if not self.sees_host:
            return "the message that it joined could not be answered", ""
        words = None if outcome.failure is None else FAILURES.get(outcome.failure)
        reason = outcome.reason.rstrip(".")
        if words is None:
            return f"the model gave no answer: {reason}", MODEL_FAILED
        return f"{words.why} ({reason})" if reason else words.why, words.fix

    def interrupted(self, outcome: Outcome) -> str:
        """Say what ended it."""
        return INTERRUPTIONS.get(
            outcome.reason,
            "Somebody stopped it while it was being answered (/stop, a stop word or the button).",
        )

    def lasted(self, since: datetime) -> str:
        """Say how long something lasts by now."""
        return span(since, self.now)


def span(begin: datetime, end: datetime) -> str:
    """Write how long something took, to the digits that matter (pure)."""
    seconds = max(0.0, (end - begin).total_seconds())
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def count(number: int, one: str, several: str = "") -> str:
    """Write a number of things (pure)."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
