"""What a language must be able to say of the commands: every sentence of theirs, as one table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.contracts.turn import Rank


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSentences:
    """The commands' sentences in one language."""

    summaries: Mapping[str, str]
    """One line of help for each command, by its name. A command that is missing shows its own."""
    ranks: Mapping[Rank, str]
    """Who may give a command, such as ``for admins``; nothing for everybody."""
    help_opening: str
    commands_opening: str
    status: "StatusSentences"
    trace: "TraceSentences"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSentences:
    """The labels of `/status`, and the words in it."""

    version: str
    model: str
    session: str
    chosen: str
    queue: str
    waiting: Callable[[int, bool], str]
    """How many messages wait, and whether one is being answered."""
    sandbox: str
    tools: str
    tokens: str
    spent: Callable[[int, int, int], str]
    """Input, output and calls."""
    by_default: str
    messages: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSentences:
    """What `/trace` says around the trace itself."""

    what_to_do: str
    only_direct: str
    no_such: str
    nothing_yet: str
