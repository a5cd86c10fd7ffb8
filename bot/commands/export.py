"""``/export``: this session written down as files in the workspace."""

from typing import Final

from bot.commands.say import said, sentences
from bot.context.written_out import as_json, as_markdown
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.session import chapter_key
from bot.contracts.transcript import Received
from bot.contracts.turn import Rank
from bot.workspace.tree import WorkspaceTree

_FOLDER: Final = "exports"


async def _export(context: CommandContext, _rest: str) -> CommandAnswer:
    """Write what the present chapter holds; the same message writes the same files again."""
    words = sentences(context).export
    if context.session is None:
        return CommandAnswer(replies=(said(words.nothing),))
    key = context.session.key
    chapter = await context.store.transcripts.read(chapter_key(key, context.session.chapter))
    turns = sum(isinstance(one.entry, Received) for one in chapter)
    if not turns:
        return CommandAnswer(replies=(said(words.nothing),))
    stem = f"{_FOLDER}/{context.inbound.sent_at:%Y-%m-%d-%H%M%S}"
    workspace = WorkspaceTree(context.about.workspace(context.route.agent_id))
    async with workspace.writing():
        await workspace.write(f"{stem}.md", as_markdown(key, [chapter]).encode())
        await workspace.write(f"{stem}.json", as_json(key, [chapter]).encode())
    return CommandAnswer(replies=(said(words.written(f"{stem}.md, {stem}.json", turns)),))


export: Final = Command(
    name="export",
    aliases=("导出",),
    summary="write this conversation down as files",
    arguments="",
    least_rank=Rank.ADMIN,
    run=_export,
)
