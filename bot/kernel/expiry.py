"""Refuses the questions that nobody decided in time, and tells who asked, once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from bot.contracts import faults
from bot.contracts.approval import Approval, Approvals
from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery
from bot.contracts.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

_LOOK_SECONDS: Final = 2.0
"""How late the person may hear of it. The decision itself looks at the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """Looks for questions whose time is over, also those of before a restart."""

    approvals: Approvals
    told: Callable[[Approval], Sequence[Delivery]]
    """What tells of one that it expired."""
    clock: Clock

    async def work(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreUnavailable as error:
                _log.warning("questions not looked through", error=str(error))
            await self.clock.sleep(_LOOK_SECONDS)

    async def sweep(self) -> None:
        """Refuse what is over by now; one question a commit.

        Raises:
            StoreUnavailable: the rest is refused the next time.
        """
        for approval in await self.approvals.expired(self.clock.now()):
            with faults.commit("approval.expire"):
                done = await self.approvals.expire(approval.question.code, self.told(approval))
            if done:
                _log.info("question expired", code=approval.question.code)
