"""Stage 1: what kind of event it is."""

from typing import Final

from bot.contracts.inbound import EventClass, Inbound

STOP_WORDS: Final = frozenset({"/stop", "stop", "停", "停止", "停下"})
"""Small and exact: a word that could begin an ordinary sentence is not among them."""
_ENDS: Final = ".!。！"
_LONGEST: Final = 20
"""Characters: what is longer asks for more than to stop, and is not looked at."""


def classify(inbound: Inbound) -> EventClass:
    """Tell a command in a message's text from a message (pure)."""
    if inbound.event is EventClass.MESSAGE and is_stop(inbound.text):
        return EventClass.COMMAND
    return inbound.event


def is_stop(text: str) -> bool:
    """Whether the whole text asks to stop, a final full stop or exclamation mark aside (pure)."""
    words = text.strip()
    return len(words) <= _LONGEST and words.rstrip(_ENDS).casefold() in STOP_WORDS
