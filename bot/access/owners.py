"""The owners on each channel: whoever the terminal named, or who told the bot a code from it.

Nobody becomes owner by being approved, and none by a setting. The records are few and kept in
memory, since every message asks for them; only one process has a store open.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.access.codes import Guesses, digest, is_code
from bot.contracts.clock import Clock, Codes
from bot.contracts.inbound import ConversationKind, EventClass, Inbound
from bot.contracts.store import Records

_OWNER: Final = "owner:"
_CODE: Final = "ownercode:"
CODE_LASTS: Final = timedelta(minutes=10)
_LENGTH: Final = 16
"""Characters: 80 bits, since a stranger may try."""

_SAID: Final = re.compile(r"\s*/(?:owner|start)(?:@\S+)?\s+([2-9A-Za-z-]{16,24})\s*")
"""How a code is told: typed, or by a link that makes the platform send ``/start <code>``."""


class Redeemed(StrEnum):
    """What became of a code that somebody told."""

    MADE = "made"
    """They are owner now."""
    WRONG = "wrong"
    """It is not the one that was offered."""
    UNHEARD = "unheard"
    """It was not looked at: none is offered, or too many wrong ones were told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """An owner's account on a channel."""

    channel: str
    id: str
    name: str = ""
    since: datetime
    place: str | None = None
    """Their direct chat with the bot, once they wrote there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offered:
    """A code that makes whoever tells it owner of a channel, once."""

    digest: str
    until: datetime


@cache
def _kept() -> TypeAdapter[Owner]:
    return TypeAdapter(Owner)


@cache
def _offered_code() -> TypeAdapter[_Offered]:
    return TypeAdapter(_Offered)


class Owners:
    """Who is owner where. ``"<channel>:<id>" in owners`` asks for one."""

    def __init__(
        self, records: Records, clock: Clock, codes: Codes, always: frozenset[str] = frozenset()
    ) -> None:
        self._records = records
        self._clock = clock
        self._codes = codes
        self._always = always
        self._owners: dict[str, Owner] = {}
        self._offered: dict[str, _Offered] = {}
        self._guesses = Guesses(clock)

    async def load(self) -> None:
        """Read what is recorded. What cannot be read makes nobody owner."""
        for record in await self._records.scan(_OWNER):
            try:
                owner = _kept().validate_json(record.value)
            except ValidationError:
                continue
            self._owners[f"{owner.channel}:{owner.id}"] = owner
        for record in await self._records.scan(_CODE):
            try:
                offered = _offered_code().validate_json(record.value)
            except ValidationError:
                continue
            self._offered[record.key.removeprefix(_CODE)] = offered

    def __contains__(self, key: object) -> bool:
        return key in self._owners or key in self._always

    def every(self) -> Sequence[Owner]:
        """Return everybody who was made owner, oldest first."""
        return sorted(self._owners.values(), key=lambda owner: owner.since)

    def place_of(self, channel: str, sender_id: str) -> str | None:
        """Return the direct chat of an owner, if they have written in it."""
        owner = self._owners.get(f"{channel}:{sender_id}")
        return owner.place if owner else None

    async def add(self, channel: str, sender_id: str, name: str = "") -> Owner:
        """Make somebody owner; who is one already stays so."""
        before = self._owners.get(f"{channel}:{sender_id}")
        if before is not None:
            return before
        owner = Owner(channel=channel, id=sender_id, name=name[:40], since=self._clock.now())
        await self._keep(owner)
        return owner

    async def remove(self, channel: str, sender_id: str) -> Owner | None:
        """Make somebody owner no more; return who that was, or None if they were not."""
        owner = self._owners.get(f"{channel}:{sender_id}")
        if owner is not None:
            await self._records.delete(f"{_OWNER}{channel}:{sender_id}")
            del self._owners[f"{channel}:{sender_id}"]
        return owner

    async def offer(self, channel: str) -> str:
        """Make a code for *channel* that works once, within ten minutes; the last one counts."""
        code = self._codes.new(_LENGTH)
        offered = _Offered(digest=digest(code), until=self._clock.now() + CODE_LASTS)
        self._offered[channel] = offered
        await self._write(f"{_CODE}{channel}", _offered_code().dump_json(offered))
        return "-".join(code[at : at + 4] for at in range(0, _LENGTH, 4))

    async def saw(self, inbound: Inbound) -> None:
        """Remember the direct chat of an owner, where they can be told of what a room kept back."""
        owner = self._owners.get(f"{inbound.channel}:{inbound.sender.id}")
        where = inbound.conversation
        if owner is None or where.kind is not ConversationKind.DIRECT or owner.place == where.id:
            return
        await self._keep(replace(owner, place=where.id))

    async def redeem(self, inbound: Inbound) -> Redeemed | None:
        """Take a code that somebody tells in a direct chat; None if none was told.

        Of several at the same time one gets it. Wrong ones are counted: five an hour by one
        person, twenty by all.
        """
        told = said_code(inbound)
        if told is None:
            return None
        offered = self._offered.get(inbound.channel)
        who = f"{inbound.channel}:{inbound.sender.id}"
        is_offered = offered is not None and self._clock.now() < offered.until
        if offered is None or not is_offered or not self._guesses.may_guess(who):
            return Redeemed.UNHEARD
        if not is_code(told, offered.digest):
            self._guesses.was_wrong(who)
            return Redeemed.WRONG
        del self._offered[inbound.channel]
        await self._records.delete(f"{_CODE}{inbound.channel}")
        await self.add(inbound.channel, inbound.sender.id, inbound.sender.display_name)
        return Redeemed.MADE

    async def _keep(self, owner: Owner) -> None:
        await self._write(f"{_OWNER}{owner.channel}:{owner.id}", _kept().dump_json(owner))
        self._owners[f"{owner.channel}:{owner.id}"] = owner

    async def _write(self, key: str, value: bytes) -> None:
        record = await self._records.get(key)
        await self._records.swap(key, value, version=record.version if record else 0)


def said_code(inbound: Inbound) -> str | None:
    """Return the code that somebody tells the bot to become owner, if it is one (pure)."""
    is_told = inbound.event in {EventClass.MESSAGE, EventClass.COMMAND}
    if not is_told or inbound.conversation.kind is not ConversationKind.DIRECT:
        return None
    found = _SAID.fullmatch(inbound.text[:200])
    return found.group(1) if found else None
