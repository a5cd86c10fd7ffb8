"""What one process knows of its queue without asking: who runs, and where somebody may wait.

True because one process holds the file, and all it commits is told here in the order of
the commits. It may say that somebody waits where nobody does any more, which costs a look;
it never says that nobody waits where somebody does.
"""

from collections.abc import Collection, Iterable

from bot.contracts.session import SessionKey
from bot.contracts.turn import Lane, Turn, TurnId


class KnownQueue:
    """The sessions of a queue. Lives in the event loop's thread."""

    def __init__(self) -> None:
        self._running: dict[SessionKey, tuple[TurnId, int]] = {}
        self._waiting: set[SessionKey] = set()
        self._has_looked = False
        """Until then an earlier process may have left something anywhere."""
        self._returning: dict[TurnId, Turn] = {}
        self._due: set[Lane] = set(Lane)
        """The lanes of which a turn may be taken now, for all that is known."""

    @property
    def may_be_due(self) -> bool:
        """Whether a turn may be taken now, for all that is known."""
        return bool(self._due)

    def may_be_due_in(self, lane: Lane) -> bool:
        """Whether a turn of *lane* may be taken now."""
        return lane in self._due

    def anything_may_be_due(self) -> None:
        """Take in that some time has passed: what was not due may be by now."""
        self._due = set(Lane)

    @property
    def returning(self) -> Collection[Turn]:
        """Turns that nobody runs and that are not put back yet: on their way, or they failed."""
        return tuple(self._returning.values())

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits, and nothing was left behind or is about to be."""
        return not (self.may_be_due or self._waiting or self._returning)

    def is_held(self, turn: Turn) -> bool:
        """Whether *turn* runs here, in this attempt."""
        return self._running.get(turn.session_key) == (turn.id, turn.attempt)

    def nobody_waits_beside(self, turn: Turn) -> bool:
        """Whether *turn* runs here and nothing waits in its session."""
        return self._has_looked and self.is_held(turn) and turn.session_key not in self._waiting

    def waits(self, turn: Turn) -> None:
        """Take in that *turn* waits."""
        self._waiting.add(turn.session_key)
        if turn.session_key not in self._running:
            self._due.add(turn.arrival.lane)

    def is_corrected(self, session_key: SessionKey) -> None:
        """Take in that what runs in a session is to be told something."""
        self._waiting.add(session_key)

    def runs(self, turn: Turn) -> None:
        """Take in that *turn* was given out."""
        self._running[turn.session_key] = (turn.id, turn.attempt)

    def ended(self, turn: Turn) -> None:
        """Take in that *turn* is over."""
        if self.is_held(turn):
            del self._running[turn.session_key]
        if turn.session_key in self._waiting or not self._has_looked:
            self.anything_may_be_due()

    def is_returning(self, turn: Turn) -> None:
        """Take in that *turn* will be put back as soon as something can be written."""
        self._returning[turn.id] = turn

    def put_back(self, turn: Turn) -> None:
        """Take in that *turn* is run by nobody."""
        self._returning.pop(turn.id, None)
        self.ended(turn)
        self.anything_may_be_due()

    def forgot(self, turn_ids: Collection[TurnId]) -> None:
        """Take in that these turns were ended, whoever ran them."""
        self._running = {
            key: held for key, held in self._running.items() if held[0] not in turn_ids
        }
        self.anything_may_be_due()

    def found_nothing_due(
        self, lanes: Collection[Lane], waiting: Iterable[SessionKey] | None
    ) -> None:
        """Take in a look that found nothing to take in *lanes*; *waiting* is where something waits.

        None says that not every lane was looked at.
        """
        self._due -= set(lanes)
        if waiting is not None:
            self._has_looked = True
            self._waiting = set(waiting)

    def found_nobody_beside(self, turn: Turn) -> None:
        """Take in a look that found nothing waiting in the session of *turn*."""
        self._waiting.discard(turn.session_key)
