"""A room that has a new id: Telegram gives one to a group that becomes a supergroup."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from bot.contracts.inbound import EventClass, Inbound, Lifecycle

MOVED: Final = "moved:"
"""What the key of every record of a move begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A room of one account was called *before* and is called *now*."""

    channel: str
    account: str
    before: str
    now: str


def move_of(inbound: Inbound) -> Move | None:
    """Return the move that *inbound* reports, or None (pure).

    Only an event that the platform itself made can report one, never what somebody wrote.
    """
    is_moved = inbound.event is EventClass.LIFECYCLE and inbound.lifecycle is Lifecycle.MOVED
    if not is_moved or inbound.former_id is None:
        return None
    return Move(
        channel=inbound.channel,
        account=inbound.account,
        before=inbound.former_id,
        now=inbound.conversation.id,
    )


def record_key(move: Move) -> str:
    """Return the key of the record of *move*; its value is the id of before (pure)."""
    steps = (move.channel, move.account, move.now)
    return MOVED + ":".join(quote(step, safe="") for step in steps)


def read_record(key: str, value: bytes) -> Move:
    """Read a record of a move (pure)."""
    channel, account, now = (unquote(step) for step in key.removeprefix(MOVED).split(":"))
    return Move(channel=channel, account=account, before=value.decode(), now=now)
