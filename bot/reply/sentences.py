"""What a language must be able to say: every sentence of the bot's own, as one table.

A further language is one more file with such a table and one line in
`notices`; the type checker says what is missing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.contracts.budget import LimitMet
from bot.contracts.decision import Decision
from bot.contracts.turn import Failure, Rank


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSentences:
    """What is said when a person has to decide about a call."""

    may_i: str
    because: Callable[[str], str]
    """Why it has to be asked for."""
    hidden: str
    """Characters that do not show stand there by their numbers."""
    open_for: Callable[[str, int, str], str]
    """Who asked, for how many minutes it stays open, and until when."""
    or_write: str
    """Before the commands that do the same as the buttons."""
    choices: Mapping[Decision, str]
    """What the buttons say."""
    expired: Callable[[str], str]
    """Nobody decided in time; the question's code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """The bot's own sentences in one language. A reason comes without its full stop."""

    interrupted: str
    """The turn was stopped, as somebody asked."""
    failed: Callable[[str], str]
    """The turn ended without an answer, for a reason."""
    no_answer: str
    """The model said nothing where something must be said."""
    failures: Mapping[Failure, str]
    """The turn ended without an answer, for a reason that has a sentence of its own."""
    spent: Callable[[LimitMet], str]
    """The turn ended because its next model call would go beyond a limit: which, how much, until
    when, and what goes on."""
    nearly_spent: Callable[[LimitMet], str]
    """A limit is near its end."""
    nearly_spent_by: Callable[[LimitMet, str], str]
    """The same to the owner, of somebody else, who is named."""
    queue_full: Callable[[int], str]
    """So many messages wait already that this one was not taken."""
    nothing_to_stop: str
    """Somebody asked to stop, and nothing runs."""
    not_yours_to_stop: str
    """Somebody asked to stop, and all that runs and waits is others'."""
    cancelled: Callable[[int, int], str]
    """A stop ended so many messages that waited, and so many turns that ran (one or none)."""
    displaced: str
    """The message gave way to a newer one, because too many waited."""
    not_started: str
    """The message was stopped before its turn came."""
    not_delivered: Callable[[str], str]
    """An answer was made and could not be brought, for a reason."""
    not_paired: Callable[[str, str], str]
    """A stranger wrote: their code, and the command by which whoever runs the bot lets them in."""
    owner_made: str
    """Somebody told the code that makes them owner."""
    wrong_code: str
    """Somebody told a code that is not the one."""
    too_long: Callable[[int], str]
    """A message has more characters than this many."""
    too_fast: str
    """Somebody writes faster than it is read."""
    gates: Mapping[str, Callable[[str, str], str]]
    """A rule kept a message of the owner back: where it was written, and what to change in the
    settings. By the admission's reason."""
    anew: Callable[[int], str]
    """Nobody said anything for so many days that the conversation begins anew."""
    not_permitted: Callable[[str, Rank], str]
    """What was asked for is for a higher rank."""
    command_failed: Callable[[str], str]
    """A command could not do what it is for, for a reason."""
    command_broke: str
    """A command failed by a fault of ours."""
    question: QuestionSentences
