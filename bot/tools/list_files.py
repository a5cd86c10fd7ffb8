"""See which files there are."""

from dataclasses import dataclass
from typing import Final

from bot.contracts.tool import Effect, FileEntry, Tool, ToolContext
from bot.contracts.turn import Rank
from bot.tools.arguments import Arguments
from bot.tools.excerpt import cut_middle

_MOST: Final = 300
"""Names of one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFiles(Arguments):
    """List a folder of the workspace: names, and the sizes of files in bytes."""

    path: str = "."
    """Path of the folder, from the workspace's root."""
    deep: bool = False
    """Whether to list the folders inside, too."""


async def _list(context: ToolContext, args: ListFiles) -> str:
    entries = await context.workspace.entries(args.path, deep=args.deep)
    if not entries:
        return f"({args.path!r} is empty)"
    lines = [_line(entry) for entry in entries[:_MOST]]
    if len(entries) > _MOST:
        lines.append(f"[{len(entries) - _MOST:,} more; name a folder to see what is in it]")
    return cut_middle("\n".join(lines))


def _line(entry: FileEntry) -> str:
    return f"{entry.path}/" if entry.is_folder else f"{entry.path}  {entry.size:,}"


list_files = Tool(
    name="list_files",
    description=ListFiles.purpose(),
    guidance=(
        "Use it when you do not know the exact path of a file. "
        "Not for finding words inside files (search_files)."
    ),
    effect=Effect.PURE,
    least_rank=Rank.MEMBER,
    parameters=ListFiles,
    run=_list,
    summarise=lambda args: args.path,
)
