"""What a language must be able to say: every sentence of the bot's own, as one table.

A further language is one more file with such a table and one line in
`notices`; the type checker says what is missing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Cap(StrEnum):
    """What a turn may only use so much of."""

    MODEL_CALLS = "model_calls"
    TOOL_CALLS = "tool_calls"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """The bot's own sentences in one language. A reason comes without its full stop."""

    interrupted: str
    """The turn was stopped, as somebody asked."""
    failed: Callable[[str], str]
    """The turn ended without an answer, for a reason."""
    no_answer: str
    """The model said nothing where something must be said."""
    unfinished: str
    """The model stopped before it was done, and tools may have changed something."""
    three_crashes: str
    """The message brought the bot down three times and is not tried again."""
    budget: Callable[[Cap, int], str]
    """The turn used up what it may."""
    unknown_effect: Callable[[str, datetime], str]
    """A call, in one line, was begun at that time, and nobody knows how it ended."""
    queue_full: Callable[[int], str]
    """So many messages wait already that this one was not taken."""
    nothing_to_stop: str
    """Somebody asked to stop, and nothing runs."""
    not_started: str
    """The message was stopped before its turn came."""
    too_old: Callable[[timedelta], str]
    """The message was found so late that answering would surprise."""
    was_offline: Callable[[timedelta], str]
    """The line that opens a late answer: for how long nobody was here."""
    not_delivered: Callable[[str], str]
    """An answer was made and could not be brought, for a reason."""
    stranger: str
    """Somebody wrote who may not talk to the bot."""
