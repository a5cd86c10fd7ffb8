"""``/help`` and ``/commands``: what may be asked of the bot itself."""

from typing import Final

from bot.commands.say import points, said, sentences, text, usage
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.document import Span
from bot.contracts.turn import Rank


async def _help(context: CommandContext, _rest: str) -> CommandAnswer:
    """Show what the sender may give here."""
    words = sentences(context)
    mine = [one for one in context.commands if one.least_rank <= context.rank]
    rows = [(usage(one), Span(text=f": {_summary(one, context)}")) for one in mine]
    return CommandAnswer(replies=(said(text(words.help_opening), points(rows)),))


async def _commands(context: CommandContext, _rest: str) -> CommandAnswer:
    """Show all there are, with their other names and for whom they are."""
    words = sentences(context)
    rows = [(usage(one), Span(text=f": {_line(one, context)}")) for one in context.commands]
    return CommandAnswer(replies=(said(text(words.commands_opening), points(rows)),))


def _line(command: Command, context: CommandContext) -> str:
    others = ", ".join(f"/{alias}" for alias in command.aliases)
    who = sentences(context).ranks.get(command.least_rank, "")
    remarks = "; ".join(part for part in (others, who) if part)
    return _summary(command, context) + (f" ({remarks})" if remarks else "")


def _summary(command: Command, context: CommandContext) -> str:
    return sentences(context).summaries.get(command.name, command.summary)


help_: Final = Command(
    name="help",
    aliases=("start", "帮助"),
    summary="what you may ask of me",
    arguments="",
    least_rank=Rank.GUEST,
    run=_help,
)

commands_: Final = Command(
    name="commands",
    aliases=("命令",),
    summary="every command, and for whom it is",
    arguments="",
    least_rank=Rank.GUEST,
    run=_commands,
)
