"""``/new``: begin anew; what was before stays."""

from typing import Final

from bot.commands.say import said, sentences
from bot.contracts.chapters import NewChapter
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.turn import Rank, SessionChange


async def _new(context: CommandContext, rest: str) -> CommandAnswer:
    """Begin a chapter. What runs is stopped first; a text behind it is the first to be said."""
    change = SessionChange(turns_to=NewChapter(reason="asked"))
    if rest or context.inbound.attachments:
        return CommandAnswer(change=change, goes_on=rest)
    return CommandAnswer(replies=(said(sentences(context).new),), change=change)


new: Final = Command(
    name="new",
    aliases=("reset", "新对话"),
    summary="begin anew; what was before stays",
    arguments="[first message]",
    least_rank=Rank.MEMBER,
    run=_new,
)
