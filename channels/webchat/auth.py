"""Who may use the page: a link that works once, and the login it is exchanged for.

Codes and logins are 192 and 256 random bits; only their SHA-256 is remembered,
and it is the name they are looked up by, so that neither a copy of the database
nor the time a comparison takes tells anything about them.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.contracts.clock import Clock
from bot.contracts.inbound import ConversationKey, Sender
from bot.contracts.store import Record, Records
from bot.contracts.turn import Rank
from channels.webchat.places import OWNER_ID, place_of

_CODES: Final = "webchat:code:"
_LOGINS: Final = "webchat:login:"
CODE_LASTS: Final = timedelta(minutes=10)
INVITATION_LASTS: Final = timedelta(hours=24)
"""The owner opens a link at once; who was invited has to be told of it first."""

LOGIN_LASTS: Final = timedelta(days=90)
_RENEW_AFTER: Final = timedelta(days=1)
"""A login in use is prolonged, but written at most once a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """Who asks: found by a cookie that is good, or by the control socket's user."""

    person_id: str
    rank: Rank
    name: str = ""
    """What the owner called them; empty for the owner."""

    @property
    def sender(self) -> Sender:
        """Who this is to the bot."""
        return Sender(id=self.person_id, display_name=self.name)

    @property
    def place(self) -> ConversationKey:
        """Their first conversation; nothing outside of this place is shown to them."""
        return place_of(self.person_id)

    @property
    def is_owner(self) -> bool:
        """Whether it is the one operator."""
        return self.rank is Rank.OWNER


OWNER: Final = Login(person_id=OWNER_ID, rank=Rank.OWNER)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What is remembered of a code or a login: whose it is, and until when it is good.

    `v` rises when an older bot would misread it. Until there were other people, a bare
    moment was kept, and it was the owner's.
    """

    until: datetime
    person: str
    v: int = 1


@cache
def _kept() -> TypeAdapter[_Kept]:
    return TypeAdapter(_Kept)


class Logins:
    """Codes and logins, kept among the records so that they survive a restart."""

    def __init__(self, records: Records, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def new_code(self, person_id: str = OWNER_ID, *, lasts: timedelta = CODE_LASTS) -> str:
        """Make a code that *person_id* can exchange once, as long as it lasts."""
        await self._sweep()
        code = secrets.token_urlsafe(24)
        await self._keep(_CODES + _digest(code), person_id, self._clock.now() + lasts)
        return code

    async def redeem(self, code: str) -> str | None:
        """Exchange a code for a login, or return None for one that is wrong, old or used.

        The swap decides: of two at the same moment, one gets the login.
        """
        record = await self._records.get(_CODES + _digest(code))
        if record is None or (kept := self._good(record)) is None:
            return None
        now = self._clock.now()
        if not await self._keep(record.key, kept.person, now, version=record.version):
            return None
        login = secrets.token_urlsafe(32)
        await self._keep(_LOGINS + _digest(login), kept.person, now + LOGIN_LASTS)
        return login

    async def whose(self, login: str) -> str | None:
        """Return who holds *login*; None if it is not ours or has run out. Use prolongs it."""
        record = await self._records.get(_LOGINS + _digest(login))
        if record is None or (kept := self._good(record)) is None:
            return None
        now = self._clock.now()
        if kept.until - now < LOGIN_LASTS - _RENEW_AFTER:
            await self._keep(record.key, kept.person, now + LOGIN_LASTS, version=record.version)
        return kept.person

    async def end_codes(self, person_id: str) -> None:
        """Make every link worthless that *person_id* was given and has not used."""
        await self._end(_CODES, person_id)

    async def end(self, person_id: str) -> None:
        """Make every login and every link of *person_id* worthless."""
        await self._end(_CODES, person_id)
        await self._end(_LOGINS, person_id)

    async def _end(self, prefix: str, person_id: str) -> None:
        for record in await self._records.scan(prefix):
            kept = _read(record)
            if kept is not None and kept.person == person_id:
                await self._records.delete(record.key)

    async def _keep(self, key: str, person_id: str, until: datetime, *, version: int = 0) -> bool:
        value = _kept().dump_json(_Kept(until=until, person=person_id))
        return await self._records.swap(key, value, version=version)

    def _good(self, record: Record) -> _Kept | None:
        kept = _read(record)
        return kept if kept is not None and kept.until > self._clock.now() else None

    async def _sweep(self) -> None:
        """Forget what ran out."""
        for prefix in (_CODES, _LOGINS):
            for record in await self._records.scan(prefix):
                kept = _read(record)
                if kept is not None and kept.until <= self._clock.now():
                    await self._records.delete(record.key)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


def _read(record: Record) -> _Kept | None:
    """Read a record; None for one that says what this bot does not understand."""
    if not record.value.startswith(b"{"):
        try:
            until = datetime.fromisoformat(record.value.decode())
        except ValueError:
            return None
        return _Kept(until=until, person=OWNER_ID) if until.tzinfo is not None else None
    try:
        kept = _kept().validate_json(record.value)
    except ValidationError:
        return None
    return kept if kept.v == 1 else None
