"""The bot's own sentences in English."""

from datetime import timedelta
from typing import Final

from bot.reply.sentences import Cap, Sentences

_CAPS: Final = {
    Cap.MODEL_CALLS: "model calls",
    Cap.TOOL_CALLS: "tool calls",
    Cap.SECONDS: "seconds",
}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _lasting(span: timedelta) -> str:
    """A span of time in its largest fitting unit, never zero."""
    minutes = max(1, round(span.total_seconds() / 60))
    if minutes < 60:
        return _count(minutes, "minute")
    hours = round(minutes / 60)
    return _count(hours, "hour") if hours < 48 else _count(round(hours / 24), "day")


ENGLISH: Final = Sentences(
    interrupted="Stopped.",
    failed=lambda reason: f"I could not finish this: {reason}.",
    no_answer="I have no answer to this: the model said nothing. Please ask again.",
    unfinished=(
        "I stopped before I was done. Some of the work may have happened already, "
        "so please check before you ask for it again."
    ),
    three_crashes=(
        "This message stopped me three times, so I will not try it again. "
        "Please ask in another way."
    ),
    budget=lambda cap, limit: (
        f"I stopped because this used up its limit of {limit:,} {_CAPS[cap]}. "
        "Write again and I will go on from here."
    ),
    unknown_effect=lambda what, at: (
        f"I was interrupted while running {what} ({at:%H:%M} UTC). I cannot tell whether it "
        "finished, and I did not run it again. Please check before you ask for it once more."
    ),
    queue_full=lambda waiting: (
        f"I did not take this message, because {_count(waiting, 'message')} already "
        f"{'waits' if waiting == 1 else 'wait'} here. Please send it again later, or write /stop."
    ),
    nothing_to_stop="There is nothing to stop.",
    not_started="Stopped before I had begun with it.",
    too_old=lambda late: (
        f"I found this message {_lasting(late)} late and left it alone. "
        "Please send it again if it still matters."
    ),
    was_offline=lambda away: f"I was offline for {_lasting(away)}.",
    not_delivered=lambda reason: (
        f"I had an answer and could not bring it to you: {reason}. Please ask again."
    ),
    stranger="I only talk to people my owner has let in. Please ask them.",
)
