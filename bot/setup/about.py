"""What the running bot tells of itself when it is asked in a chat."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bot import __version__
from bot.contracts.budget import Caps
from bot.contracts.command import ModelOffer
from bot.contracts.messages import ToolCall
from bot.contracts.queue import QueueRule
from bot.contracts.session import AgentId
from bot.contracts.turn import Rank
from bot.models.thinking import levels
from bot.settings.root import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveAbout:
    """The `About` of the settings of now."""

    settings: Callable[[], Settings]
    tools_of: Callable[[AgentId, Rank], Sequence[str]]
    summary: Callable[[ToolCall], str]
    where_programs_run: str
    queue_of: Callable[[str], QueueRule]

    @property
    def version(self) -> str:
        """The version that runs."""
        return __version__

    def models(self, agent_id: AgentId) -> Sequence[ModelOffer]:
        """Return the models of an agent in the order in which they are tried."""
        settings = self.settings()
        chosen = {name: settings.models[name] for name in settings.agents[agent_id].models}
        return [
            ModelOffer(
                name=name,
                model=one.model,
                provider=one.provider,
                thinking=levels(one.provider, one.model, host=_host(one.base_url)),
            )
            for name, one in chosen.items()
        ]

    def tools(self, agent_id: AgentId, rank: Rank) -> Sequence[str]:
        """Return the names of the tools an agent has for senders of *rank*."""
        return self.tools_of(agent_id, rank)

    def queue(self, channel: str) -> QueueRule:
        """Return how messages queue in a channel, where nothing was chosen."""
        return self.queue_of(channel)

    def caps(self) -> Caps:
        """Return the limits on spending, as they are configured."""
        return self.settings().limits.caps()

    def workspace(self, agent_id: AgentId) -> Path:
        """Return the folder of an agent's files."""
        return Path(self.settings().agents[agent_id].workspace)

    def approvers(self) -> Sequence[str]:
        """Return who may decide about calls that are asked for."""
        return self.settings().approvals.approvers

    def summary_of(self, call: ToolCall) -> str:
        """Say in one line what a call is about, or nothing of a tool that is not known."""
        return self.summary(call)

    def sandbox(self) -> str:
        """Say in a few words where programs run, or why nowhere."""
        return self.where_programs_run


def _host(base_url: str | None) -> str | None:
    return None if base_url is None else urlsplit(base_url).hostname or ""
