"""Who may use the page: a link that works once, and the login it is exchanged for.

Codes and logins are 192 and 256 random bits; only their SHA-256 is remembered,
and it is the name they are looked up by, so that neither a copy of the database
nor the time a comparison takes tells anything about them.
"""

import hashlib
import secrets
from collections import deque
from datetime import datetime, timedelta
from typing import Final

from bot.contracts.clock import Clock
from bot.contracts.store import Records

_CODES: Final = "webchat:code:"
_LOGINS: Final = "webchat:login:"
_CODE_LASTS: Final = timedelta(minutes=10)
LOGIN_LASTS: Final = timedelta(days=90)
_RENEW_AFTER: Final = timedelta(days=1)
"""A login in use is prolonged, but written at most once a day."""

_MOST_FAILURES: Final = 10
_WINDOW_SECONDS: Final = 60.0


class Logins:
    """Codes and logins, kept among the records so that they survive a restart."""

    def __init__(self, records: Records, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def new_code(self) -> str:
        """Make a code that can be exchanged once, within ten minutes."""
        await self._sweep()
        code = secrets.token_urlsafe(24)
        expires = self._clock.now() + _CODE_LASTS
        await self._records.swap(_CODES + _digest(code), _encode(expires), version=0)
        return code

    async def redeem(self, code: str) -> str | None:
        """Exchange a code for a login, or return None for one that is wrong, old or used.

        The swap decides: of two at the same moment, one gets the login.
        """
        record = await self._records.get(_CODES + _digest(code))
        if record is None or _decode(record.value) <= self._clock.now():
            return None
        used = _encode(self._clock.now())
        if not await self._records.swap(record.key, used, version=record.version):
            return None
        login = secrets.token_urlsafe(32)
        expires = self._clock.now() + LOGIN_LASTS
        await self._records.swap(_LOGINS + _digest(login), _encode(expires), version=0)
        return login

    async def knows(self, login: str) -> bool:
        """Whether *login* is one of ours and has not run out; using it prolongs it."""
        record = await self._records.get(_LOGINS + _digest(login))
        now = self._clock.now()
        if record is None or _decode(record.value) <= now:
            return False
        if _decode(record.value) - now < LOGIN_LASTS - _RENEW_AFTER:
            renewed = _encode(now + LOGIN_LASTS)
            await self._records.swap(record.key, renewed, version=record.version)
        return True

    async def _sweep(self) -> None:
        """Forget what ran out."""
        for prefix in (_CODES, _LOGINS):
            for record in await self._records.scan(prefix):
                if _decode(record.value) <= self._clock.now():
                    await self._records.delete(record.key)


class Lockout:
    """Counts failed tries of whoever has no login, all together: ten a minute, then none."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: deque[float] = deque(maxlen=_MOST_FAILURES)

    def note_failure(self) -> None:
        """Count one."""
        self._failures.append(self._clock.monotonic())

    def remaining(self) -> float:
        """Return how many seconds nobody may try, 0 if one may."""
        if len(self._failures) < _MOST_FAILURES:
            return 0.0
        return max(0.0, self._failures[0] + _WINDOW_SECONDS - self._clock.monotonic())


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


def _encode(moment: datetime) -> bytes:
    return moment.isoformat().encode()


def _decode(value: bytes) -> datetime:
    return datetime.fromisoformat(value.decode())
