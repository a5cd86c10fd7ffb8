"""``/trace``: what became of a message, told to who sent it; to admins, of anybody's."""

from datetime import datetime
from typing import Final

from bot.commands.say import card, said, sentences, text
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.document import Block
from bot.contracts.inbound import ConversationKind
from bot.contracts.trace import Passage, Trace, Viewer
from bot.contracts.turn import Rank, TurnId


async def _trace(context: CommandContext, rest: str) -> CommandAnswer:
    """Tell the way of the message that is named, or of the last one here.

    Only in a direct chat: what it tells is nobody else's business. Whoever is no admin finds
    their own messages alone; others are not there for them.
    """
    words = sentences(context).trace
    inbound = context.inbound
    if inbound.conversation.kind is not ConversationKind.DIRECT:
        return CommandAnswer(replies=(said(words.only_direct),))
    viewer = Viewer(rank=context.rank, channel=inbound.channel, sender_id=inbound.sender.id)
    turn_id = await _meant(context, rest, viewer)
    told = turn_id and await context.traces.tell(turn_id, viewer, context.now, _moment)
    if not told:
        return CommandAnswer(replies=(said(words.no_such if rest else words.nothing_yet),))
    return CommandAnswer(replies=(said(*_page(told, words.what_to_do)),))


async def _meant(context: CommandContext, name: str, viewer: Viewer) -> TurnId | None:
    """Return the newest that *name* may mean, or the last message in this conversation."""
    if name:
        found = await context.traces.find(name, viewer)
        return found[0].turn.id if found else None
    latest = await context.traces.latest(viewer, context.inbound.conversation_key)
    return None if latest is None else latest.turn.id


def _page(told: Trace, what_to_do: str) -> list[Block]:
    blocks: list[Block] = [text(told.verdict)]
    if told.fix:
        blocks.append(text(f"{what_to_do} {told.fix}"))
    blocks.append(card((one.part, _row(one)) for one in told.passages))
    return blocks


def _row(passage: Passage) -> str:
    return "; ".join((passage.text, *passage.details))


def _moment(moment: datetime) -> str:
    """Write a moment in the time of the bot's machine."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


trace: Final = Command(
    name="trace",
    aliases=("why",),
    summary="what became of your last message, and why there was no reply",
    arguments="[message]",
    least_rank=Rank.GUEST,
    run=_trace,
)
