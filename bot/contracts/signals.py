"""What a store tells whoever works on its queue."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from bot.contracts.turn import Lane, Turn, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkWaiting:
    """A hint: some turn may be taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAsked:
    """A hint: somebody asked this running turn to stop."""

    turn_id: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """No hint: this turn was taken for the listener, in the commit that opened it."""

    turn: Turn


Signal = WorkWaiting | StopAsked | Taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A listener's word that it would begin turns of these lanes at once."""

    worker: str
    lanes: Collection[Lane]
    places: Callable[[], int]
    """How many more it would begin now. Asked in the moment a turn is opened."""
