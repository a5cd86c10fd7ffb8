"""Who may talk to the bot beside its owner, and what the bot knows of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.contracts.turn import Rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who was let in. The id is made once and never changes; the name is for eyes."""

    id: str
    name: str
    rank: Rank
    since: datetime
    revoked_at: datetime | None = None
    """When they were shut out again; they keep their id, in case they come back."""

    @property
    def may_enter(self) -> bool:
        """Whether they are let in at present."""
        return self.revoked_at is None


class People(Protocol):
    """The people of each channel, by the channel's own sender ids."""

    async def rank_of(self, channel: str, sender_id: str) -> Rank:
        """Return what they may do: STRANGER for whoever is not let in, and never OWNER."""
        ...

    async def get(self, channel: str, sender_id: str) -> Person | None:
        """Return who that is, if they are let in."""
        ...

    async def every(self, channel: str) -> Sequence[Person]:
        """Return everybody who was ever let in, also who was shut out again, oldest first."""
        ...

    async def invite(self, channel: str, name: str, rank: Rank) -> Person:
        """Let somebody in, or change the rank of who has that name already.

        Raises:
            NotInvited: the name or the rank cannot be, or there are too many people.
        """
        ...

    async def find(self, channel: str, name: str) -> Person:
        """Return who has that name.

        Raises:
            NotInvited: nobody who is let in has it.
        """
        ...

    async def revoke(self, channel: str, name: str) -> Person:
        """Shut out who has that name.

        Raises:
            NotInvited: nobody who is let in has it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Somebody unknown who wrote, and waits to be let in."""

    channel: str
    account: str
    id: str
    name: str
    """What they call themselves: anybody's name, perhaps."""
    digest: str
    """The SHA-256 of their code, in hexadecimal."""
    asked_at: datetime
    told: bool = False
    """Whether their code is on its way to them; until it is, they are given another."""


class Pairs(Protocol):
    """The strangers who wait to be let in, and the codes they were told."""

    async def waiting(self) -> Sequence[Request]:
        """Return every request that waits, oldest first."""
        ...

    async def approve(self, written: str, *, by: str, rank: Rank) -> tuple[str, Person]:
        """Let in who has that code; return on which channel, and whom.

        Raises:
            AccessRefused: nobody who waits has it, or too many wrong ones were tried.
            NotInvited: the rank cannot be, or there are too many people.
        """
        ...
