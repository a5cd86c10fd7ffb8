"""``/whoami``: which account somebody has here, and what they may do."""

from typing import Final

from bot.commands.say import card, said, sentences, text
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.turn import Rank


async def _whoami(context: CommandContext, _rest: str) -> CommandAnswer:
    """Show it: the id is what the operator needs, to list somebody or make them owner."""
    words, inbound = sentences(context).whoami, context.inbound
    where = inbound.conversation
    rows = [
        (words.account, f"{inbound.channel}:{inbound.sender.id}"),
        (words.name, inbound.sender.display_name),
        (words.rank, words.are[context.rank]),
        (words.place, f"{where.kind} {where.id}"),
    ]
    return CommandAnswer(replies=(said(card(rows), text(words.counts)),))


whoami: Final = Command(
    name="whoami",
    aliases=("我是谁",),
    summary="which account you have here, and what you may do",
    arguments="",
    least_rank=Rank.GUEST,
    run=_whoami,
)
