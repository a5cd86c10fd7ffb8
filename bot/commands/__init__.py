"""The commands there are, in the order in which help shows them; one file each."""

from typing import Final

from bot.commands.allow import allow
from bot.commands.approve import approve
from bot.commands.export import export
from bot.commands.help import commands_, help_
from bot.commands.history import history
from bot.commands.model import model
from bot.commands.new import new
from bot.commands.pair import pair
from bot.commands.queue import queue
from bot.commands.resume import resume
from bot.commands.status import status
from bot.commands.stop import stop
from bot.commands.think import think
from bot.commands.trace import trace
from bot.commands.usage import usage
from bot.commands.verbose import verbose
from bot.commands.whoami import whoami
from bot.contracts.command import Command

BUILTIN: Final[tuple[Command, ...]] = (
    help_,
    commands_,
    status,
    trace,
    stop,
    whoami,
    pair,
    usage,
    allow,
    approve,
    new,
    resume,
    model,
    think,
    verbose,
    queue,
    history,
    export,
)
"""To add one: a file beside this one, a line here, and its summary in every language's file."""
