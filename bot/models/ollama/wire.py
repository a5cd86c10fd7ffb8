"""Ollama's chat on the wire: `ModelRequest` to bytes, lines of JSON to one message (pure).

The shapes are those of https://docs.ollama.com/api/chat and, for ``truncate`` and ``shift``,
of ``ChatRequest`` in https://github.com/ollama/ollama/blob/main/api/types.go.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Final, assert_never

from pydantic import BaseModel, BeforeValidator, ValidationError

from bot.contracts.errors import ModelDisconnected
from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.model import ModelRequest, TextDelta, ThinkingDelta, ToolOffer
from bot.contracts.turn import Usage
from bot.models.failure import garbled
from bot.models.legal import arguments_of, dumps, groups, legal_name
from bot.models.server import Server

_PREFIX: Final[Mapping[ResultState, str]] = {
    ResultState.OK: "",
    ResultState.ERROR: "Error: ",
    ResultState.DENIED: "Denied: ",
    ResultState.ASKED: "Not carried out yet: ",
    ResultState.KILLED: "Ended from outside: ",
    ResultState.UNKNOWN: "Outcome unknown: ",
}
"""This API has no mark for a call that failed, so the words carry it."""

_STOPS: Final[Mapping[str, StopReason]] = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
}


def encode(
    request: ModelRequest,
    server: Server,
    *,
    window: int,
    max_output: int | None = None,
    each: Callable[[Message], bytes] | None = None,
) -> bytes:
    """Write the request's body; *each* is `encode_message`, or what keeps its results.

    *window* is the same with every request: another one would make Ollama load the
    model again. What does not fit into it shall be refused and neither cut at the
    front nor thinned in the middle, both of which Ollama does silently if not told.
    Half of the window at most is for the answer.
    """
    each = each or encode_message
    limit = min(request.max_output, max_output or request.max_output, max(window // 2, 1))
    head: dict[str, object] = {
        "model": server.model,
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": window, "num_predict": limit},
    }
    if request.tools:
        head["tools"] = [_tool(offer) for offer in request.tools]
    said = (each(message) for group in groups(request.messages) for message in group)
    messages = [_system(request), *said]
    return dumps(head)[:-1] + b',"messages":[' + b",".join(messages) + b"]}"


def _system(request: ModelRequest) -> bytes:
    parts = (request.system.stable, request.system.volatile)
    return dumps({"role": "system", "content": "\n\n".join(part for part in parts if part)})


def encode_message(message: Message) -> bytes:
    """Write one message of the history."""
    return dumps(_message(message))


def _message(message: Message) -> dict[str, object]:
    match message:
        case UserMessage():
            return {"role": "user", "content": message.text or "(no text)"}
        case ToolResult():
            return {
                "role": "tool",
                "tool_name": legal_name(message.name),
                "tool_call_id": message.call_id,
                "content": _PREFIX[message.state] + (message.text or "(no output)"),
            }
        case AssistantMessage(tool_calls=()):
            return {"role": "assistant", "content": message.text}
        case AssistantMessage():
            calls = [_call(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.text, "tool_calls": calls}
        case _:
            assert_never(message)


def _call(call: ToolCall) -> dict[str, object]:
    return {
        "id": call.id,
        "function": {"name": legal_name(call.name), "arguments": arguments_of(call)},
    }


def _tool(offer: ToolOffer) -> dict[str, object]:
    return {
        "type": "function",
        "function": {
            "name": offer.name,
            "description": offer.description,
            "parameters": offer.schema,
        },
    }


_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
_Count = Annotated[int, BeforeValidator(lambda value: value or 0)]


class _Function(BaseModel):
    name: _Text = ""
    arguments: object = None


class _Call(BaseModel):
    id: _Text = ""
    function: _Function = _Function()


class _Said(BaseModel):
    content: _Text = ""
    thinking: _Text = ""
    tool_calls: Annotated[list[_Call], BeforeValidator(lambda value: value or [])] = []


class _Line(BaseModel):
    message: _Said = _Said()
    done: bool = False
    done_reason: _Text = ""
    prompt_eval_count: _Count = 0
    eval_count: _Count = 0


class LineReader:
    """Puts lines together. A call comes whole, and its arguments as an object."""

    def __init__(self, server: Server) -> None:
        self._server: Final = server
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[ToolCall] = []
        self._last: _Line | None = None

    @property
    def complete(self) -> bool:
        """Whether the last line has come."""
        return self._last is not None

    def feed(self, event: object) -> Iterator[TextDelta | ThinkingDelta]:
        """Take one line; see `Reader.feed`."""
        try:
            line = _Line.model_validate(event)
        except ValidationError as error:
            raise garbled(self._server) from error
        if thought := line.message.thinking:
            self._thinking.append(thought)
            yield ThinkingDelta(text=thought)
        if text := line.message.content:
            self._text.append(text)
            yield TextDelta(text=text)
        self._calls += [_call_of(call) for call in line.message.tool_calls]
        if line.done:
            self._last = line

    def message(self) -> AssistantMessage:
        """Return the whole message; see `Reader.message`."""
        if self._last is None:
            raise ModelDisconnected(f"{self._server} ended its answer without a last line")
        thought = "".join(self._thinking)
        return AssistantMessage(
            text="".join(self._text),
            stop=self._reason(self._last.done_reason),
            tool_calls=tuple(self._calls),
            thinking=(Thinking(text=thought),) if thought else (),
            model=self._server.model,
            usage=Usage(
                input_tokens=self._last.prompt_eval_count, output_tokens=self._last.eval_count
            ),
        )

    def _reason(self, said: str) -> StopReason:
        stop = _STOPS.get(said or "stop")  # older servers give no reason for an ordinary end
        if stop is None:
            raise ModelDisconnected(f"{self._server} stopped for an unknown reason: {said!r}")
        return StopReason.TOOL_USE if stop is StopReason.END and self._calls else stop


def _call_of(call: _Call) -> ToolCall:
    given = call.function.arguments
    arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    return ToolCall(id=call.id, name=call.function.name, arguments=arguments or "{}")
