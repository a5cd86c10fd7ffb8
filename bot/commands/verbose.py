"""``/verbose``: how much is shown of what a turn did on its way."""

from typing import Final

from bot.commands.model import DEFAULT
from bot.commands.say import said, sentences
from bot.contracts.command import Command, CommandAnswer, CommandContext, Inlined
from bot.contracts.turn import Rank, SessionChange, SessionChoices, Verbosity

LEVELS: Final = ", ".join(Verbosity)


async def _verbose(context: CommandContext, rest: str) -> CommandAnswer:
    """Show it, or choose it."""
    words = sentences(context).verbose
    if not rest:
        now = context.choices.verbosity or Verbosity.OFF
        return CommandAnswer(replies=(said(words.now(now, LEVELS)),))
    if rest.casefold() in DEFAULT:
        change = SessionChange(dropped=("verbosity",))
        return CommandAnswer(replies=(said(words.set_to[Verbosity.OFF]),), change=change)
    level = _level_of(rest)
    if level is None:
        return CommandAnswer(replies=(said(words.no_such(rest, LEVELS)),))
    change = SessionChange(chosen=SessionChoices(verbosity=level))
    return CommandAnswer(replies=(said(words.set_to[level]),), change=change)


def _inline(_context: CommandContext, rest: str) -> Inlined | None:
    word, _, message = rest.partition(" ")
    level = _level_of(word)
    if level is None:
        return None
    return Inlined(chosen=SessionChoices(verbosity=level), rest=message.strip())


def _level_of(word: str) -> Verbosity | None:
    wanted = word.casefold()
    return Verbosity(wanted) if wanted in list(Verbosity) else None


verbose: Final = Command(
    name="verbose",
    aliases=("v", "详细"),
    summary="whether I show what I did on the way",
    arguments="[on] [full] [off]",
    least_rank=Rank.MEMBER,
    run=_verbose,
    inline=_inline,
)
