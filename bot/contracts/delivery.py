"""A payload on its way to a platform, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.session import SessionKey
from bot.contracts.turn import TurnId


class DeliveryState(StrEnum):
    """How far a delivery got. The last four are final."""

    PENDING = "pending"
    SENDING = "sending"
    UNKNOWN = "unknown"
    SENT = "sent"
    REJECTED = "rejected"
    UNRESOLVED = "unresolved"
    CANCELLED = "cancelled"


class GivenUp(StrEnum):
    """The final states of a delivery that did not arrive."""

    REJECTED = "rejected"
    """The platform said no for good."""
    UNRESOLVED = "unresolved"
    """Nobody knows whether it arrived, and it may not be sent again."""
    CANCELLED = "cancelled"
    """It is no longer wanted: stopped, expired, or an earlier part failed."""


class OnUnknown(StrEnum):
    """What may be done after a send whose end is unknown."""

    REPEAT = "repeat"
    """Send again with the same nonce: the platform recognises it."""
    LOOK_UP = "look_up"
    """Ask the platform for the nonce first."""
    REPEAT_ONCE = "repeat_once"
    """Send again once, while it is young: two copies are better than none."""
    NEVER = "never"
    """Never send again; the owner is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One payload, one target, one row, one platform call.

    Where a channel's readers read the store there is no call: the delivery is `sent` from
    birth, with its receipt, and a line of the conversation by the commit that queues it.
    """

    id: str
    """``<turn id>:<n>`` for an answer, ``<turn id>!<why>`` for a notice, a call id for a tool's."""
    turn_id: TurnId
    session_key: SessionKey
    target: Target
    payload: ReplyPayload
    on_unknown: OnUnknown
    state: DeliveryState = DeliveryState.PENDING
    attempt: int = 0
    """How often it was leased; the fence of `settle`, `retry` and `give_up`."""
    repeats: int = 0
    """How often it was sent again after an unknown end; the store allows one for REPEAT_ONCE."""
    not_before: datetime | None = None
    expires_at: datetime | None = None
    replaces: str | None = None
    """The id of an earlier delivery whose place on the screen this one takes."""
    started_at: datetime | None = None
    """When the latest send began."""
    seq: int | None = None
    """Its place among the lines of the conversation, once it has arrived."""
    receipt: "Receipt | None" = None
    reason: str = ""
    """Why it was given up or put off, for eyes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The platform's word that it has the message."""

    message_ids: tuple[str, ...]
    at: datetime
