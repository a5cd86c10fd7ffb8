"""The commands that a reader is offered while they type."""

from collections.abc import Sequence

from bot.contracts.command import Command
from bot.contracts.turn import Rank
from channels.webchat.protocol import CommandOffer


def offers(commands: Sequence[Command], rank: Rank) -> tuple[CommandOffer, ...]:
    """Return those of *commands* that somebody of *rank* may give, in order (pure)."""
    return tuple(
        CommandOffer(
            name=one.name, summary=one.summary, arguments=one.arguments, aliases=one.aliases
        )
        for one in commands
        if one.least_rank <= rank
    )
