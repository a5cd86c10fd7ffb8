"""What a tool may know and use, over a real folder."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.contracts.session import SessionKey
from bot.contracts.tool import Finished, ToolContext
from bot.contracts.turn import Rank
from bot.workspace.seen import SeenInMemory
from bot.workspace.tree import WorkspaceTree


@dataclass(slots=True)
class TickingClock:
    """Each look at the clock takes *tick* seconds; nobody ever waits."""

    tick: float = 0.0
    seconds: float = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        self.seconds += self.tick
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass(slots=True)
class ScriptedSandbox:
    """Runs nothing: remembers the commands and gives the answers it was told to."""

    answers: Sequence[Finished] = (Finished(exit_code=0, output=""),)
    commands: list[str] = field(default_factory=list)
    roots: list[Path] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    async def run(self, command: str, *, root: Path, timeout_seconds: float) -> Finished:
        del timeout_seconds
        self.commands.append(command)
        self.roots.append(root)
        return self.answers[min(len(self.commands), len(self.answers)) - 1]


def a_tool_context(root: Path, **changes: Any) -> ToolContext:  # noqa: ANN401 - fields of ToolContext
    """The owner's main session, in a real workspace at *root*, without a sandbox."""
    context = ToolContext(
        call_id="call-1",
        session_key=SessionKey("agent:main:main"),
        rank=Rank.OWNER,
        workspace=WorkspaceTree(root),
        sandbox=None,
        seen=SeenInMemory(),
        clock=TickingClock(),
    )
    return replace(context, **changes)
