"""`Setup` of a running bot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.agent.failover import Candidate
from bot.agent.lineup import Lineup
from bot.contracts.clock import Clock
from bot.contracts.ledger import Ledger
from bot.contracts.session import AgentId
from bot.contracts.setup import Overview
from bot.contracts.tool import Sandbox
from bot.sandbox import NoSandbox
from bot.settings import Settings
from bot.settings.choice import CHOSEN
from bot.setup.candidates import open_candidates
from bot.setup.changes import Changes
from bot.setup.overview import Look, overview


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What of the running bot is looked at and changed."""

    ledger: Ledger
    sandbox: Sandbox | NoSandbox
    clock: Clock
    lineups: Sequence[Lineup]
    """One for each list of models that some agent has."""
    page_agent: AgentId
    """Who answers the owner on the page."""
    introduce: Callable[[Settings], None]
    """Tell the page who answers from now on."""


class LiveSetup(Changes):
    """What the owner may ask about the bot, and change, while it runs."""

    def __init__(self, settings: Settings, running: Running) -> None:
        super().__init__(settings, running.clock, self._take_over)
        self._running: Final = running

    async def overview(self) -> Overview:
        """Tell how things are, without asking anybody outside."""
        return await overview(
            self._settings,
            Look(
                ledger=self._running.ledger,
                sandbox=self._running.sandbox,
                now=self._clock.now(),
                troubles=[error for one in self._running.lineups for error in one.troubles],
                windows=self._windows,
                page_agent=self._running.page_agent,
            ),
        )

    def _take_over(self, settings: Settings, candidates: Sequence[Candidate]) -> None:
        """Let the next turn begin with *candidates*; a running one keeps what it has."""
        first, *others = self._running.lineups
        first.replace(candidates)
        for lineup in others:
            lineup.replace(open_candidates(settings.models[CHOSEN], self._clock))
        self._running.introduce(settings)
