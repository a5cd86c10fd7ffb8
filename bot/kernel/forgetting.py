"""Forgets what was overheard once it is too old."""

from datetime import timedelta
from typing import Final

import structlog

from bot.contracts.clock import Clock
from bot.contracts.errors import StoreUnavailable
from bot.contracts.store import Turns

_log = structlog.get_logger(__name__)

_LOOK_SECONDS: Final = 3_600.0


class Forgetting:
    """Looks at the start and once an hour."""

    def __init__(self, turns: Turns, clock: Clock, keep_for: timedelta) -> None:
        self._turns = turns
        self._clock = clock
        self._keep_for = keep_for

    async def work(self) -> None:
        """Forget until cancelled."""
        while True:
            try:
                gone = await self._turns.forget_observed(self._clock.now() - self._keep_for)
            except StoreUnavailable as error:
                _log.error("what was overheard is not forgotten yet", error=str(error))
            else:
                if gone:
                    _log.info("overheard messages forgotten", count=gone)
            await self._clock.sleep(_LOOK_SECONDS)
