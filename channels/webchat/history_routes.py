"""The addresses of what was before: earlier lines, and what a turn did on its way."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from aiohttp import web
from pydantic import TypeAdapter

from bot.contracts.channel import CallMade, Gateway, Mount, Remark, RouteSpec
from bot.contracts.turn import TurnId
from channels.webchat.auth import Login
from channels.webchat.entrance import NO_CONVERSATION, Answer, Entrance
from channels.webchat.places import conversation_in
from channels.webchat.protocol import LineFrame, ToolWord
from channels.webchat.questions import Questions

MOST_LINES: Final = 100
"""Lines of one answer: a screen or ten."""

_NO_TURN: Final = "There is no such turn in this conversation."


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierLines:
    """What ``GET /conversations/<id>/before/<seq>`` answers, in order."""

    lines: tuple[LineFrame, ...]
    earlier: bool
    """Whether there are lines before these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One step: words that were no answer, or a call with its `name` and how it ended."""

    text: str
    name: str = ""
    state: ToolWord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepList:
    """What ``GET /conversations/<id>/steps/<turn>`` answers, in order."""

    steps: tuple[StepRow, ...]


@cache
def _earlier() -> TypeAdapter[EarlierLines]:
    return TypeAdapter(EarlierLines)


@cache
def _steps() -> TypeAdapter[StepList]:
    return TypeAdapter(StepList)


class HistoryRoutes:
    """Answers requests about what a conversation was, of whoever holds a login."""

    def __init__(self, entrance: Entrance) -> None:
        self._entrance = entrance

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        routes: list[tuple[str, Answer]] = [
            ("/conversations/{name}/before/{seq:[0-9]{1,15}}", self.show_lines),
            ("/conversations/{name}/steps/{turn}", self.show_steps),
        ]
        return [
            RouteSpec(
                mount=Mount.WEB, method="GET", path=path, handler=self._entrance.guarded(answer)
            )
            for path, answer in routes
        ]

    async def show_lines(
        self, gateway: Gateway, login: Login, request: web.Request
    ) -> web.Response:
        """Show the lines before one."""
        conversation = conversation_in(login.place, request.match_info["name"])
        if conversation is None:
            return web.Response(status=404, text=NO_CONVERSATION)
        seq = int(request.match_info["seq"])
        lines = await gateway.lines_before(conversation, seq, limit=MOST_LINES + 1)
        questions = Questions(gateway)
        shown = tuple([await questions.line(line) for line in lines[-MOST_LINES:]])
        earlier = EarlierLines(lines=shown, earlier=len(lines) > MOST_LINES)
        return _json(_earlier().dump_json(earlier, exclude_none=True))

    async def show_steps(
        self, gateway: Gateway, login: Login, request: web.Request
    ) -> web.Response:
        """Show what a turn of the conversation did on its way."""
        turn_id = TurnId(request.match_info["turn"])
        record = await gateway.turn(turn_id)
        conversation = conversation_in(login.place, request.match_info["name"])
        if record is None or record.turn.arrival.target.conversation_key != conversation:
            return web.Response(status=404, text=_NO_TURN)
        steps = StepList(steps=tuple(_row(step) for step in await gateway.steps(turn_id)))
        return _json(_steps().dump_json(steps, exclude_none=True))


def _row(step: Remark | CallMade) -> StepRow:
    match step:
        case Remark(text=text):
            return StepRow(text=text)
        case CallMade():
            return StepRow(text=step.summary, name=step.name, state=step.state.value)


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")
