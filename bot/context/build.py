"""Builds what a model gets to see: the system prompt, the session as messages, the tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import lru_cache
from typing import Any, Final

from bot.context.fold import Fold
from bot.context.prompt import system_prompt
from bot.contracts.model import ModelRequest, SystemPrompt, ToolOffer
from bot.contracts.tool import Tool
from bot.contracts.transcript import Recorded
from bot.contracts.turn import Rank
from bot.workspace.files import PromptFile, WorkspaceFiles

_KEPT: Final = 64
"""Prompts and lists of tools that are kept: one for each rank and place that somebody uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBuilder:
    """What goes into every request of one agent."""

    files: WorkspaceFiles
    fold: Fold
    sandbox_note: str

    async def build(
        self,
        recorded: Sequence[Recorded],
        tools: Sequence[Tool[Any]],
        *,
        rank: Rank,
        private: bool,
        history: int,
        max_output: int,
    ) -> ModelRequest:
        """Return the request for the next model call.

        Its beginning stays the same, byte for byte, from turn to turn, as long
        as the workspace's files and the tools do: what changes (the time, the
        place) stands in the message it belongs to. *private* says that the owner alone
        reads along.
        """
        files = await self.files.read(private=private)
        offered = tuple(sorted(tools, key=lambda tool: tool.name))
        return ModelRequest(
            system=_system(files, offered, self.fold.zone, self.sandbox_note, rank),
            messages=self.fold.messages(recorded, history=history),
            tools=_offers(offered),
            max_output=max_output,
        )


@lru_cache(maxsize=_KEPT)
def _system(
    files: tuple[PromptFile, ...],
    tools: tuple[Tool[Any], ...],
    zone: tzinfo,
    sandbox_note: str,
    rank: Rank,
) -> SystemPrompt:
    return system_prompt(files=files, tools=tools, zone=zone, sandbox_note=sandbox_note, rank=rank)


@lru_cache(maxsize=_KEPT)
def _offers(tools: tuple[Tool[Any], ...]) -> tuple[ToolOffer, ...]:
    return tuple(
        ToolOffer(name=tool.name, description=tool.description, schema=tool.parameters.schema())
        for tool in tools
    )
