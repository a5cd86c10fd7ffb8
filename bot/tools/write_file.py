"""Write a whole text file."""

from dataclasses import dataclass

from bot.contracts.errors import ToolError
from bot.contracts.tool import Effect, Tool, ToolContext
from bot.tools.arguments import Arguments
from bot.tools.changes import (
    FILE_LIMIT,
    WAIT_SECONDS,
    as_text,
    check_may_change,
    check_unchanged,
    content,
    difference,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile(Arguments):
    """Write a text file of the workspace, whole; folders on the way are made."""

    path: str
    """Path of the file, from the workspace's root."""
    content: str
    """All that the file shall hold."""


async def _write(context: ToolContext, args: WriteFile) -> str:
    path = context.workspace.inside(args.path)
    check_may_change(context, path)
    data = args.content.encode()
    if len(data) > FILE_LIMIT:
        raise ToolError(f"that is {len(data):,} bytes, and a file may have {FILE_LIMIT:,}")
    async with context.workspace.writing():
        now = await content(context, path)
        if now == data:
            context.seen.note(context.session_key, path, data)
            return f"{path} holds exactly this already"
        if now:
            _check_was_read(context, path, now, args.content)
        await context.workspace.write(path, data)
        context.seen.note(context.session_key, path, data)
    if now is None:
        return f"{path} is written, a new file of {len(data):,} bytes"
    return f"{path} is written:\n{difference(as_text(now, path), args.content)}"


def _check_was_read(context: ToolContext, path: str, now: bytes, wanted: str) -> None:
    """Refuse to overwrite words that this session does not know."""
    standing = as_text(now, path)
    if context.seen.last(context.session_key, path) is None:
        raise ToolError(
            f"{path!r} exists and you have not read it; read it first. "
            f"Your text would change it so:\n{difference(standing, wanted)}"
        )
    check_unchanged(context, path, now)


write_file = Tool(
    name="write_file",
    description=WriteFile.purpose(),
    guidance=(
        "Use it for a new file, or to replace one you have read whole. "
        "Not for a small change (edit_file): what you leave out is gone."
    ),
    effect=Effect.IDEMPOTENT,
    parameters=WriteFile,
    run=_write,
    timeout_seconds=WAIT_SECONDS,
    summarise=lambda args: args.path,
)
