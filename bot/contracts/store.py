"""What a store must be: each verb is one transaction and says what it means.

A worker that lost its lease gets `LeaseLost` from every verb that takes a turn or a delivery, and
nothing is written. Every verb may raise `StoreUnavailable`, and then nothing is written either.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.contracts.approval import Approvals
from bot.contracts.delivery import Delivery, GivenUp, Receipt
from bot.contracts.inbound import ConversationKey, Source
from bot.contracts.ledger import Conversations, Ledger, Session
from bot.contracts.messages import AssistantMessage
from bot.contracts.session import SessionKey
from bot.contracts.signals import Offer, Signal
from bot.contracts.transcript import Ending, Entry, Recorded, Unanswered
from bot.contracts.turn import Arrival, Lane, QueueMode, TellStop, Turn, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a channel has listened, moved in the commit that records what it heard."""

    key: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A new row: the claim, and the turn if it was dispatched."""

    turn: Turn
    decided: Turn | None = None
    """The turn that its decision opened, if it was the first (`Arrival.decides`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """The source was claimed before, by this turn."""

    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Full:
    """Too many turns wait (in the session, or in all); nothing was written for this arrival."""

    waiting: int


class Renewal(StrEnum):
    """What became of a lease when it was renewed."""

    HELD = "held"
    STOP_ASKED = "stop_asked"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a turn took with it when it ended."""

    absorbed: tuple[TurnId, ...] = ()
    """Whom it had absorbed, in order: they ended with it."""
    arrived: Mapping[str, int] = field(default_factory=dict)
    """The deliveries that became lines in the same commit, with their seq."""


class Turns(Protocol):
    """The queue, which is also the session lane."""

    async def open(
        self,
        *arrivals: Arrival,
        cursor: Cursor | None = None,
        tell_stop: TellStop | None = None,
    ) -> Sequence[Opened | Duplicate | Full]:
        """Claim every arrival, in order, and move the cursor, in one commit.

        The cursor is kept as the record ``cursor:<key>``, in decimal digits. It stays where it was
        when an arrival is `Full`, so that this one comes again.

        A `Dispatch` waits, in the mode its session chose, else in its own. Where as many wait in
        its session as its `cap` allows (20), its `drop` says what gives way, never a higher rank;
        where nothing may, and where the store is full (2,000), it is `Full`. With a `pacing` it is
        due when its sender was quiet for so long, with all they said meanwhile.

        `Observe` is told with the next turn of its conversation. A `Handled` EDIT or DELETION does
        what it asks, if its sender wrote the message (or, to delete, is an admin). Every other
        admission is finished at once: `answered` when it has replies, which become deliveries
        ``<turn id>!door:<n>`` in the same commit, else `silent`, both with the admission's reason.

        A `Dispatch` in mode INTERRUPT asks the session's running turn to stop, if that is its
        sender's own or they are an admin. A `Handled` in mode INTERRUPT does that and also ends
        what waits in the same session, in the same bounds, as `interrupted` (reason ``stopped``),
        each with the arrival's `stopped_notice` as its delivery ``<that turn>!stopped``; the
        handled row itself then is `silent` without its replies. Where nothing ran and nothing
        waited, its replies are its answer as usual. *tell_stop* says the answer instead, also for
        what waited in the stop's conversation.

        A `Handled` that `decides` a question does that, too (`Approvals`).

        A `Handled` that reports the move of a room is one of `Ledger.moves` with this commit.
        """
        ...

    async def amend(self, conversation: ConversationKey, source: Source, text: str | None) -> bool:
        """Replace the text of a turn that still waits, or end it as `interrupted` (None)."""
        ...

    async def forget(self, conversation: ConversationKey) -> Sequence[TurnId]:
        """Delete what was said in *conversation*; return the turns that this ended.

        What waits or runs ends as `interrupted` (reason ``deleted``), and who runs it has lost the
        lease and is told as of a stop. The lines, the deliveries, the title and what sessions
        remember of its turns are gone. The turns' rows stay without their words: a source that was
        claimed stays claimed. What is heard later begins the conversation anew.
        """
        ...

    async def forget_session(
        self, session_key: SessionKey, *, unused_since: datetime | None = None
    ) -> Sequence[TurnId] | None:
        """Delete a session in all its chapters, its lines and deliveries; return what it ended.

        None, and nothing is done, if there is none or if somebody spoke in it since
        *unused_since*. The turns' rows stay, as with `forget`. What is heard later begins the
        session anew.
        """
        ...

    async def forget_observed(self, before: datetime) -> int:
        """Forget what was overheard *before* and is not told yet; return how many that were."""
        ...

    async def take(self, worker: str, lanes: Collection[Lane]) -> Turn | None:
        """Give out the oldest due turn of the session that has been ready for longest.

        A session is ready while something waits in it and nothing runs, and becomes so anew
        whenever a turn of it ends: whoever floods one session delays no other. People come before
        background. The attempt is counted, the store's epoch noted, and on the first attempt its
        words become `Received`, all in one commit. A turn whose worker is gone is given out again,
        first of all.
        """
        ...

    async def absorb(self, turn: Turn, modes: Collection[QueueMode]) -> Sequence[Recorded]:
        """Let waiting turns of *modes* join *turn*, recorded as `Received`, in order.

        Only those of the same session and conversation, due, and of at least its rank; and none
        once it was asked to stop. With them comes, whatever its mode, what was said in one burst
        with *turn*, as `Observed` what was overheard before them, and as `Corrected` what was
        edited of what it is about.
        """
        ...

    async def renew(self, turn: Turn) -> Renewal:
        """Keep the lease, and learn whether a stop was asked for."""
        ...

    async def release(self, turn: Turn) -> None:
        """Put a running turn back, to be taken again: a graceful stop, which is no crash."""
        ...

    async def finish(self, turn: Turn, ending: Ending, deliveries: Sequence[Delivery]) -> Finished:
        """End *turn*, record its last words and queue what tells of it, in one commit.

        A delivery that is `sent` from birth (a channel whose readers read the store) becomes a
        line in this commit, unless an earlier one of its conversation is not final: then it waits
        for the courier like any other. The ending's questions wait from then on.
        """
        ...

    def signals(self, offer: Offer | None = None) -> AsyncGenerator[Signal, None]:
        """Hints about work; a lost one costs a second.

        Who offers places is also given turns: one that `open` could take at once, because its
        session has none that runs or waits and no other turn is due, is taken in that very commit,
        as `take` would, and comes as `Taken`. What was taken for a listener that has gone is put
        back.
        """
        ...


class Transcripts(Protocol):
    """What each session remembers."""

    async def append(self, turn: Turn, *entries: Entry) -> Sequence[Recorded]:
        """Record entries in the turn's name, in order, in one commit.

        Raises:
            LeaseLost: the turn is somebody else's by now, or over.
        """
        ...

    async def charge(self, turn: Turn, paid: AssistantMessage | Unanswered) -> None:
        """Count what a call of *turn* cost, or may have cost, whoever has the turn by now.

        It is in the spending and in no transcript: the turn is over, or somebody else's.
        """
        ...

    async def read(self, session_key: SessionKey, *, after: int = 0) -> Sequence[Recorded]:
        """Return the session's entries after *after*, in order."""
        ...

    async def recent(self, session_key: SessionKey) -> Sequence[Recorded]:
        """Return the session's latest entries, in order, from the beginning of some turn.

        They are the whole turns among the latest 4,000 to 5,000 entries: far more than one turn
        can make. The beginning moves once in 1,000 entries, so that requests that follow each
        other begin alike.
        """
        ...


class Sessions(Protocol):
    """The choices of each session."""

    async def get(self, session_key: SessionKey) -> Session | None:
        """Return it, or None before its first turn."""
        ...

    async def put(self, session: Session, *, version: int) -> bool:
        """Replace it if it still has *version*; say whether it did."""
        ...


class Outbox(Protocol):
    """What waits to be brought to a platform."""

    async def lease(self, channel: str, account: str) -> Delivery | None:
        """Give out the next due delivery of an account, marked as being sent.

        In order per conversation, one at a time: a later part waits until the earlier one is
        final. Attempt and `started_at` are set in that commit. A delivery left being sent by a
        process that is gone is given out as `unknown`, and so is one that was put off as
        `unknown`.
        """
        ...

    async def repeat(self, delivery: Delivery) -> Delivery:
        """Mark an `unknown` delivery as being sent again.

        Raises:
            LeaseLost: it is no longer ours.
            ValueError: it was sent again before, and its rule allows once.
        """
        ...

    async def settle(self, delivery: Delivery, receipt: Receipt) -> int:
        """Record that it arrived; return its seq among the lines of the conversation."""
        ...

    async def retry(self, delivery: Delivery, *, after: datetime, reason: str) -> None:
        """Put it off: proven not sent."""
        ...

    async def doubt(self, delivery: Delivery, *, after: datetime, reason: str) -> None:
        """Put it off as `unknown`: it may have been sent."""
        ...

    async def give_up(
        self, delivery: Delivery, state: GivenUp, reason: str, *, notices: Sequence[Delivery] = ()
    ) -> None:
        """End it; later parts of the same turn are cancelled; queue *notices*, in one commit."""
        ...

    async def wait(self, channel: str, account: str) -> None:
        """Return when a delivery of the account may be due (a hint; at most a second late)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A small fact under a name."""

    key: str
    value: bytes
    version: int


class Records(Protocol):
    """Small facts: cursors, page logins, budgets."""

    async def get(self, key: str) -> Record | None:
        """Return it, or None."""
        ...

    async def swap(self, key: str, value: bytes, *, version: int) -> bool:
        """Write it if it still has *version* (0: it does not exist yet); say whether it did."""
        ...

    async def delete(self, key: str) -> None:
        """Forget it."""
        ...

    async def scan(self, prefix: str) -> Sequence[Record]:
        """Return all whose key begins with *prefix*, sorted."""
        ...


class Store(Protocol):
    """The whole of what is remembered."""

    turns: Turns
    transcripts: Transcripts
    sessions: Sessions
    outbox: Outbox
    records: Records
    ledger: Ledger
    conversations: Conversations
    approvals: Approvals

    @property
    def epoch(self) -> int:
        """Rises when history was rolled back (a restored backup), never otherwise."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of the file."""
        ...
