"""Builds what a model gets to see: the system prompt, the session as messages, the tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.context.fold import Fold
from bot.context.prompt import system_prompt
from bot.contracts.model import ModelRequest, ToolOffer
from bot.contracts.tool import Tool
from bot.contracts.transcript import Recorded
from bot.contracts.turn import Rank
from bot.workspace.files import WorkspaceFiles


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
        offered = sorted(tools, key=lambda tool: tool.name)
        return ModelRequest(
            system=system_prompt(
                files=files,
                tools=offered,
                zone=self.fold.zone,
                sandbox_note=self.sandbox_note,
                rank=rank,
            ),
            messages=self.fold.messages(recorded, history=history),
            tools=tuple(
                ToolOffer(
                    name=tool.name,
                    description=tool.description,
                    schema=tool.parameters.schema(),
                )
                for tool in offered
            ),
            max_output=max_output,
        )
