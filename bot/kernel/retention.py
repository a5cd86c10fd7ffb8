"""Deletes sessions: one that somebody names, and those that nobody used for long."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.contracts.clock import Clock
from bot.contracts.errors import StoreUnavailable
from bot.contracts.session import SessionKey
from bot.contracts.store import Store

_log = structlog.get_logger(__name__)

NOTICE: Final = timedelta(days=1)
"""How long after it was said that a session will be deleted it is, at the earliest."""

_RECORD: Final = "sessions:announced"
_LOOK_SECONDS: Final = 3600.0
_MOST: Final = 1_000
"""Sessions that are announced at once; the others come later."""
_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Keeps every session, unless it was told how long."""

    store: Store
    clock: Clock
    keep: timedelta | None
    """How long a session is kept in which nobody speaks; None keeps all."""

    async def work(self) -> None:
        """Announce and delete, every hour, until cancelled; one session a commit."""
        while self.keep is not None:
            try:
                await self.sweep(self.keep)
                if sentence := await self.announce(self.keep):
                    _log.warning(sentence)
            except StoreUnavailable as error:
                _log.warning("sessions not looked through", error=str(error))
            await self.clock.sleep(_LOOK_SECONDS)

    async def announce(self, keep: timedelta) -> str:
        """Write down what is to be deleted; say of what is new which ones, and when."""
        now = self.clock.now()
        old = await self.store.ledger.sessions(limit=_MOST, unused_since=now - keep)
        version, known = await self._announced()
        announced = {one.key: known.get(one.key, now) for one in old}
        if announced != known:
            kept = json.dumps({key: at.isoformat() for key, at in announced.items()})
            await self.store.records.swap(_RECORD, kept.encode(), version=version)
        new = sorted(key for key in announced if key not in known)
        return _sentence(new, keep, now + NOTICE) if new else ""

    async def sweep(self, keep: timedelta) -> Sequence[SessionKey]:
        """Delete what was announced long enough ago and is unused still; return it."""
        now = self.clock.now()
        _, announced = await self._announced()
        deleted = []
        for key, at in announced.items():
            if at + NOTICE > now:
                continue
            ended = await self.store.turns.forget_session(key, unused_since=now - keep)
            if ended is not None:
                deleted.append(key)
                _log.info("session deleted", session=key)
            await asyncio.sleep(0)
        return deleted

    async def _announced(self) -> tuple[int, Mapping[SessionKey, datetime]]:
        record = await self.store.records.get(_RECORD)
        if record is None:
            return 0, {}
        kept: dict[str, str] = json.loads(record.value)
        moments = {SessionKey(key): datetime.fromisoformat(at) for key, at in kept.items()}
        return record.version, moments


def _sentence(keys: Sequence[SessionKey], keep: timedelta, due: datetime) -> str:
    more = f" and {len(keys) - _NAMED:,} more" if len(keys) > _NAMED else ""
    return (
        f"nobody spoke for {keep.days} days in {', '.join(keys[:_NAMED])}{more}:"
        f" to be deleted after {due:%Y-%m-%d %H:%M} UTC, unless somebody speaks there"
        " (sessions.retention_days)"
    )
