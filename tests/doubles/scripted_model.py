"""A model that says what the test wrote, and keeps every request."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from bot.contracts.errors import ModelError
from bot.contracts.messages import AssistantMessage, StopReason, ToolCall
from bot.contracts.model import ModelEvent, ModelRequest, TextDelta
from bot.contracts.turn import Usage

Step = AssistantMessage | ModelError | Callable[[ModelRequest], AssistantMessage]
SPENT = Usage(input_tokens=10, output_tokens=5)


def words(text: str, *, stop: StopReason = StopReason.END) -> AssistantMessage:
    return AssistantMessage(text=text, stop=stop, model="scripted", usage=SPENT)


def call(name: str, *, text: str = "", id: str = "", **arguments: object) -> AssistantMessage:  # noqa: A002 - the field's own name
    return calls((name, arguments, id), text=text)


def calls(
    *wanted: tuple[str, Mapping[str, object], str],
    text: str = "",
    stop: StopReason = StopReason.TOOL_USE,
) -> AssistantMessage:
    return AssistantMessage(
        text=text,
        stop=stop,
        model="scripted",
        usage=SPENT,
        tool_calls=tuple(
            ToolCall(id=id_, name=name, arguments=json.dumps(arguments, ensure_ascii=False))
            for name, arguments, id_ in wanted
        ),
    )


class ScriptedModel:
    """Each call takes the next step; a step that is an error is raised after half its words."""

    def __init__(self, *steps: Step, name: str = "scripted") -> None:
        self._steps = list(steps)
        self._name = name
        self.requests: list[ModelRequest] = []
        self.asked = asyncio.Event()
        self.holding: asyncio.Event | None = None
        """While set and not signalled, a call waits before its first word."""

        self.hesitates = False
        """Whether it lets others run between its words."""
        self.pausing: asyncio.Event | None = None
        """While set and not signalled, a call waits after its first words."""
        self.spoke = asyncio.Event()

    @property
    def name(self) -> str:
        return self._name

    def then(self, *steps: Step) -> None:
        self._steps += steps

    @property
    def left(self) -> Sequence[Step]:
        return self._steps

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        self.asked.set()
        if self.holding is not None:
            await self.holding.wait()
        step = self._steps.pop(0)
        if isinstance(step, ModelError):
            yield TextDelta(text="half a wo")
            raise step
        message = step if isinstance(step, AssistantMessage) else step(request)
        for piece in _pieces(message.text):
            yield TextDelta(text=piece)
            self.spoke.set()
            if self.hesitates:
                await asyncio.sleep(0)
            if self.pausing is not None:
                await self.pausing.wait()
        yield message

    async def close(self) -> None:
        pass


def _pieces(text: str) -> list[str]:
    return [text[i : i + 7] for i in range(0, len(text), 7)]
