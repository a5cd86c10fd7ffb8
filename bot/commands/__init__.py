"""The commands there are, in the order in which help shows them; one file each."""

from typing import Final

from bot.commands.help import commands_, help_
from bot.commands.status import status
from bot.commands.trace import trace
from bot.contracts.command import Command

BUILTIN: Final[tuple[Command, ...]] = (
    help_,
    commands_,
    status,
    trace,
)
"""To add one: a file beside this one, a line here, and its summary in every language's file."""
