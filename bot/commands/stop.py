"""``/stop``: ends what runs and what waits. The word alone is known to `classify`, too."""

from typing import Final

from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.turn import QueueMode, Rank
from bot.reply import notices


async def _stop(context: CommandContext, _rest: str) -> CommandAnswer:
    """Stop; the commit that does it says what was stopped, and this if nothing was."""
    nothing = notices.nothing_to_stop(notices.language_of(context.inbound.text))
    return CommandAnswer(mode=QueueMode.INTERRUPT, replies=(nothing,))


stop: Final = Command(
    name="stop",
    aliases=("停止",),
    summary="stop what I am doing, and what waits",
    arguments="",
    least_rank=Rank.GUEST,
    run=_stop,
)
