"""The demo model: three things it can do, carried out through the tools like any model's."""

import re
from collections.abc import AsyncIterator

from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.model import ModelEvent, ModelRequest, TextDelta
from bot.models.demo.notes import asked_of
from bot.models.demo.turn import Turn
from bot.models.demo.words import words


class DemoModel:
    """Answers by plain rules, offline."""

    name = "demo"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Say word by word what there is to say, or what is looked at first."""
        message = answer(request)
        for word in re.findall(r"\S+\s*", message.text):
            yield TextDelta(text=word)
        yield message

    async def close(self) -> None:
        """Nothing was opened."""


def answer(request: ModelRequest) -> AssistantMessage:
    """Answer what was said since the last answer, or ask for what must be looked at (pure)."""
    turn = Turn(request)
    parts: list[str] = []
    if words("ask", "skills").search(turn.said) and not words("file", "name").search(turn.said):
        parts.append(turn.say("skills"))
    elif words("ask", "tasks").search(turn.said) and not _only_unseen(turn):
        parts += asked_of(turn)
    if words("ask", "time").search(turn.said):
        parts.append(_time(turn))
    if turn.attached and not parts and not turn.wanted:
        parts += asked_of(turn)
    if turn.unseen:
        parts.append(turn.say("unseen", names=", ".join(turn.unseen)))
    text = turn.say("looking") if turn.wanted else "\n\n".join(parts) or turn.say("demo")
    stop = StopReason.TOOL_USE if turn.wanted else StopReason.END
    return AssistantMessage(text=text, stop=stop, tool_calls=tuple(turn.wanted), model="demo")


def _only_unseen(turn: Turn) -> bool:
    """Whether the question is about nothing but files in which the demo sees nothing."""
    named = words("file", "name").search(turn.said)
    return bool(turn.unseen) and not turn.attached and not named


def _time(turn: Turn) -> str:
    """Tell when the latest message was written: the only clock there is here."""
    if not turn.stamp:
        return turn.say("no_time")
    day, moment, zone = turn.stamp.groups()
    return turn.say("time", day=turn.say(day), moment=moment, zone=zone)
