"""A bot that tells of itself what a test says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.contracts.budget import Caps, Scope
from bot.contracts.command import ModelOffer
from bot.contracts.messages import ToolCall
from bot.contracts.queue import QueueRule
from bot.contracts.session import AgentId
from bot.contracts.turn import QueueMode, Rank


@dataclass(frozen=True, kw_only=True)
class AnAbout:
    """Two models and two tools."""

    version: str = "1.2.3"
    limits: Caps = field(
        default_factory=lambda: Caps(
            money={Scope.TURN: 500_000, Scope.PERSON: 500_000, Scope.DAY: 2_000_000},
            tokens={Scope.DAY: 1_000_000},
        )
    )
    folder: Path = Path("/nowhere")
    offers: tuple[ModelOffer, ...] = (
        ModelOffer(name="quick", model="gpt-4.1-mini", provider="openai"),
        ModelOffer(name="deep", model="claude-opus-4-7", provider="anthropic"),
    )

    def models(self, _agent_id: AgentId) -> Sequence[ModelOffer]:
        return self.offers

    def tools(self, _agent_id: AgentId, rank: Rank) -> Sequence[str]:
        return ("read_file", "shell") if rank >= Rank.ADMIN else ()

    def summary_of(self, call: ToolCall) -> str:
        return call.arguments

    def queue(self, channel: str) -> QueueRule:
        return QueueRule(mode=QueueMode.COLLECT) if channel == "busy" else QueueRule()

    def caps(self) -> Caps:
        return self.limits

    def workspace(self, _agent_id: AgentId) -> Path:
        return self.folder

    def approvers(self) -> Sequence[str]:
        return ("owner", "admin")

    def sandbox(self) -> str:
        return "bubblewrap"
