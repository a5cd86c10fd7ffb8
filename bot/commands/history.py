"""``/history``: how many turns of the past a model sees in this session."""

from typing import Final

from bot.commands.model import DEFAULT
from bot.commands.say import said, sentences
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.turn import Rank, SessionChange, SessionChoices

_MOST: Final = 1_000
"""What is read of a session for one request ends at about so many turns."""


async def _history(context: CommandContext, rest: str) -> CommandAnswer:
    """Show it, or choose it."""
    words = sentences(context).history
    if not rest:
        now = context.choices.history_turns
        return CommandAnswer(replies=(said(words.now(now) if now else words.by_default),))
    if rest.casefold() in DEFAULT:
        change = SessionChange(dropped=("history_turns",))
        return CommandAnswer(replies=(said(words.back_to_default),), change=change)
    turns = int(rest) if rest.isascii() and rest.isdigit() and len(rest) <= len(str(_MOST)) else 0
    if not 1 <= turns <= _MOST:
        return CommandAnswer(replies=(said(words.no_such(rest, _MOST)),))
    change = SessionChange(chosen=SessionChoices(history_turns=turns))
    return CommandAnswer(replies=(said(words.now(turns)),), change=change)


history: Final = Command(
    name="history",
    aliases=("历史",),
    summary="how much of the past the model sees",
    arguments="[turns] [default]",
    least_rank=Rank.ADMIN,
    run=_history,
)
