"""The demo model: three things it can do, carried out through the tools like any model's."""

import re
from collections.abc import AsyncIterator
from typing import Final

from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.model import ModelEvent, ModelRequest, TextDelta
from bot.models.demo.notes import asked_of
from bot.models.demo.turn import Turn
from bot.models.demo.words import words

_NOW: Final = re.compile(
    r"^Now: (?P<weekday>\w+), (?P<moment>\S+ \S+) \((?P<zone>.+)\)$", re.MULTILINE
)


class DemoModel:
    """Answers by plain rules, offline, and always the same to the same request."""

    name = "demo"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Say word by word what there is to say, or what is looked at first."""
        message = answer(request)
        for word in re.findall(r"\s*\S+\s*$|\s*\S+", message.text):
            yield TextDelta(text=word)
        yield message

    async def close(self) -> None:
        """Nothing was opened."""


def answer(request: ModelRequest) -> AssistantMessage:
    """Answer what was said since the last answer, or ask for what must be looked at (pure)."""
    turn = Turn(request)
    parts: list[str] = []
    if words("ask_skills").search(turn.said) and not words("file").search(turn.said):
        parts.append(turn.say("skills"))
    elif words("ask_tasks").search(turn.said):
        parts += asked_of(turn)
    if words("ask_time").search(turn.said):
        now = _NOW.search(request.system.volatile)
        parts.append(turn.say("time", **now.groupdict()) if now else turn.say("no_time"))
    if turn.wanted:
        stop, text = StopReason.TOOL_USE, turn.say("looking")
    else:
        stop, text = StopReason.END, "\n\n".join(parts) or turn.say("demo")
    return AssistantMessage(text=text, stop=stop, tool_calls=tuple(turn.wanted), model="demo")
