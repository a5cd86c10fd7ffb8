"""``/pair CODE``: the owner lets in a stranger who was told that code."""

from typing import Final

from bot.commands.say import points, said, sentences, text
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.document import Span
from bot.contracts.people import Pairs
from bot.contracts.reply import ReplyPayload
from bot.contracts.turn import Rank


async def _pair(context: CommandContext, rest: str) -> CommandAnswer:
    """Let in who has the code, as a guest and into direct chats; without one, list who waits."""
    words = sentences(context)
    if context.pairs is None:
        return CommandAnswer(replies=(said(words.pair_closed),))
    if not rest:
        return CommandAnswer(replies=(await _waiting(context, context.pairs),))
    by = f"{context.inbound.channel}:{context.inbound.sender.id}"
    channel, person = await context.pairs.approve(rest, by=by, rank=Rank.GUEST)
    return CommandAnswer(replies=(said(words.paired(f"{channel}:{person.id}", person.name)),))


async def _waiting(context: CommandContext, pairs: Pairs) -> ReplyPayload:
    words = sentences(context)
    waiting = await pairs.waiting()
    if not waiting:
        return said(words.pair_nobody)
    rows = ([Span(text=f"{one.channel}:{one.id} ({one.name})")] for one in waiting)
    return said(text(words.pair_waiting), points(rows))


pair: Final = Command(
    name="pair",
    aliases=("配对",),
    summary="let in somebody who was told a code",
    arguments="[code]",
    least_rank=Rank.OWNER,
    run=_pair,
)
