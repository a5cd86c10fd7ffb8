"""What somebody learns who waits for a turn. An expired wait says nothing about the turn."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.contracts.delivery import DeliveryState, Receipt
from bot.contracts.turn import OutcomeKind, TurnId, TurnState, Usage


class WaitFor(StrEnum):
    """What is waited for."""

    ENDED = "ended"
    """The outcome."""
    DELIVERED = "delivered"
    """Also the end of every delivery that tells of it, whether it arrived or not."""


class WaitState(StrEnum):
    """How a wait ended."""

    PENDING = "pending"
    """Nobody waited: it is not over yet."""
    WAIT_EXPIRED = "wait_expired"
    """The wait is over and what was waited for is not. It goes on; it may be waited for again."""
    ENDED = "ended"
    """What was waited for has come."""
    NOT_FOUND = "not_found"
    """There is no turn with this id, and there will be none: ids are given by what was accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySeen:
    """One message that tells of a turn, and whether the platform has it."""

    id: str
    state: DeliveryState
    receipt: Receipt | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """What is known of a turn when a wait for it is over."""

    turn_id: TurnId
    wait: WaitState
    state: TurnState | None = None
    """How far the turn is; None for an id that is none."""
    absorbed_by: TurnId | None = None
    """The turn it joined: outcome, text and deliveries are that one's."""
    outcome: OutcomeKind | None = None
    """How it ended; stands here also where only its deliveries were still waited for."""
    reason: str = ""
    text: str = ""
    """The final text, as the model ended with it."""
    usage: Usage = Usage()
    ended_at: datetime | None = None
    deliveries: tuple[DeliverySeen, ...] = ()

    @property
    def is_delivered(self) -> bool:
        """Whether it has ended and everything that tells of it has arrived."""
        return self.outcome is not None and all(
            one.state is DeliveryState.SENT for one in self.deliveries
        )
