"""When no answer is an answer, and when it is a fault."""

from collections.abc import Sequence
from enum import StrEnum

from bot.reply.directives import Directive, Silent


class Silence(StrEnum):
    """What it means that there are, or are no, words."""

    BROKEN = "broken"
    """There are words, so it is none."""
    CHOSEN = "chosen"
    """The model asked for it, where it may."""
    FAULT = "fault"
    """Somebody waits for an answer and there is none."""


def silence(words: str, found: Sequence[Directive], *, direct: bool) -> Silence:
    """Judge a message by its visible *words* and its directives (pure).

    In a room the model may choose to say nothing. In a direct chat somebody
    looks at the screen: there silence is no outcome, whatever the model asked for.
    """
    if words.strip():
        return Silence.BROKEN
    asked = any(isinstance(directive, Silent) for directive in found)
    return Silence.CHOSEN if asked and not direct else Silence.FAULT
