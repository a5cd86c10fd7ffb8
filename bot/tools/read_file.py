"""Look into a text file."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from bot.contracts.errors import ToolError
from bot.contracts.tool import Effect, Tool, ToolContext
from bot.contracts.turn import Rank
from bot.tools.arguments import Arguments
from bot.tools.changes import FILE_LIMIT, as_text
from bot.tools.excerpt import OUTPUT_LIMIT, cut_middle

_ROOM = OUTPUT_LIMIT - 500
"""Characters of the file itself; the rest is for the line that says how to read on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile(Arguments):
    """Read a text file of the workspace."""

    path: str
    """Path of the file, from the workspace's root."""
    first_line: Annotated[int, Field(ge=1)] = 1
    """Begin at this line."""
    max_lines: Annotated[int, Field(ge=1, le=2000)] = 400
    """Stop after this many lines."""


async def _read(context: ToolContext, args: ReadFile) -> str:
    path = context.workspace.inside(args.path)
    data = await context.workspace.read(path, limit=FILE_LIMIT)
    text = as_text(data, path)
    context.seen.note(context.session_key, path, data)
    return _page(text, path, args)


def _page(text: str, path: str, args: ReadFile) -> str:
    """Cut out what was asked for, at whole lines, and say what is missing."""
    if not text:
        return f"({path!r} is empty)"
    lines = text.removesuffix("\n").split("\n")
    if args.first_line > len(lines):
        raise ToolError(f"{path!r} has only {len(lines):,} lines")
    begin = args.first_line - 1
    shown: list[str] = []
    room = _ROOM
    for line in lines[begin : begin + args.max_lines]:
        if shown and len(line) + 1 > room:
            break
        shown.append(cut_middle(line, _ROOM))
        room -= len(line) + 1
    end = begin + len(shown)
    body = "\n".join(shown)
    if begin == 0 and end == len(lines):
        return body
    more = f"; read on with first_line={end + 1}" if end < len(lines) else ""
    return f"{body}\n[lines {begin + 1:,} to {end:,} of {len(lines):,}{more}]"


read_file = Tool(
    name="read_file",
    description=ReadFile.purpose(),
    guidance=(
        "Use it before you answer about a file or change it, also when you think you know "
        "what is in it. Not for finding a file (list_files) or a word in many (search_files)."
    ),
    effect=Effect.PURE,
    least_rank=Rank.MEMBER,
    parameters=ReadFile,
    run=_read,
    summarise=lambda args: args.path,
)
