"""What a person says to a call that has to be asked for."""

from dataclasses import dataclass
from enum import StrEnum

from bot.contracts.reply import ReplyPayload


class Decision(StrEnum):
    """What a person says to a call that has to be asked for."""

    ONCE = "once"
    ALWAYS = "always"
    """Once, and from now on exactly this is not asked for again."""
    NO = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decides:
    """What a person's decision does, in the commit of the claim that makes it."""

    code: str
    decision: Decision
    by: str
    """Who decides, such as ``telegram:12345``."""
    name: str
    too_late: tuple[ReplyPayload, ...]
    """What is answered instead where the question waits no longer by then."""
