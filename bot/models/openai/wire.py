"""Chat completions on the wire: `ModelRequest` to bytes, chunks to one message (pure).

The shapes are those of https://platform.openai.com/docs/api-reference/chat and,
where servers that only claim to be compatible differ, of what they send.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final, assert_never

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

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
from bot.contracts.model import (
    Delta,
    ModelRequest,
    SystemPrompt,
    TextDelta,
    ThinkingDelta,
    ToolOffer,
)
from bot.contracts.turn import ThinkingLevel, Usage
from bot.models.failure import garbled
from bot.models.kept import KeptBytes, KeptOne
from bot.models.legal import arguments_text, dumps, finished, groups, legal_name
from bot.models.server import Server
from bot.models.thinking import openai_effort

_PREFIX: Final[Mapping[ResultState, str]] = {
    ResultState.OK: "",
    ResultState.ERROR: "Error: ",
    ResultState.DENIED: "Denied: ",
    ResultState.ASKED: "Not carried out yet: ",
    ResultState.KILLED: "Ended from outside: ",
    ResultState.UNKNOWN: "Outcome unknown: ",
}
"""This API has no mark for a call that failed, so the words carry it."""

_NEW_LIMIT: Final = (".openai.com", ".openai.azure.com")
"""Hosts that want ``max_completion_tokens``: newer models there refuse ``max_tokens``
(https://platform.openai.com/docs/api-reference/chat/create), while compatible servers
may read only the old name (https://github.com/ollama/ollama/issues/7125)."""

_STOPS: Final[Mapping[str, StopReason]] = {
    "stop": StopReason.END,
    "end_turn": StopReason.END,
    "eos_token": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_calls": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
}


class Encoder:
    """Writes the bodies of requests to one server; what comes again is encoded once.

    Messages come last, so that the body of a longer conversation begins with
    the bytes of the shorter one and the provider's cache holds.
    """

    def __init__(self, server: Server, *, max_output: int | None = None) -> None:
        self._server: Final = server
        self._max_output: Final = max_output
        self._head: Final = KeptOne(self._write_head)
        self._system: Final = KeptOne(_system)
        self._message: Final = KeptBytes(lambda message: dumps(_message(message)))

    def __call__(self, request: ModelRequest) -> bytes:
        """Write the body of *request*."""
        limit = min(request.max_output, self._max_output or request.max_output)
        said = (self._message(message) for group in groups(request.messages) for message in group)
        messages = b",".join((self._system(request.system), *said))
        return (
            self._head((limit, request.tools, request.thinking))
            + b',"messages":['
            + messages
            + b"]}"
        )

    def _write_head(self, of: tuple[int, tuple[ToolOffer, ...], ThinkingLevel | None]) -> bytes:
        limit, tools, thinking = of
        is_new = f".{self._server.host}".endswith(_NEW_LIMIT)
        head: dict[str, object] = {
            "model": self._server.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_completion_tokens" if is_new else "max_tokens": limit,
        }
        if effort := openai_effort(thinking, self._server.model, self._server.host):
            head["reasoning_effort"] = effort
        if tools:
            head["tools"] = [_tool(offer) for offer in tools]
        return dumps(head)[:-1]


def _system(prompt: SystemPrompt) -> bytes:
    parts = (prompt.stable, prompt.volatile)
    return dumps({"role": "system", "content": "\n\n".join(part for part in parts if part)})


def _message(message: Message) -> dict[str, object]:
    match message:
        case UserMessage():
            return {"role": "user", "content": message.text or "(no text)"}
        case ToolResult():
            return {
                "role": "tool",
                "tool_call_id": message.call_id,
                "content": _PREFIX[message.state] + (message.text or "(no output)"),
            }
        case AssistantMessage(tool_calls=()):
            return {"role": "assistant", "content": message.text}
        case AssistantMessage():
            return {
                "role": "assistant",
                "content": message.text or None,
                "tool_calls": [_call(call) for call in message.tool_calls],
            }
        case _:
            assert_never(message)


def _call(call: ToolCall) -> dict[str, object]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": legal_name(call.name), "arguments": arguments_text(call)},
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


def _as_text(value: object) -> object:
    """Content may be a list of parts, and null stands for nothing."""
    if value is None:
        return ""
    if isinstance(value, list):
        parts = (part.get("text") for part in value if isinstance(part, dict))
        return "".join(text for text in parts if isinstance(text, str))
    return value


def _as_json_text(value: object) -> object:
    """Arguments may be an object instead of its text."""
    return dumps(value).decode() if isinstance(value, dict) else _as_text(value)


def _or_empty(value: object) -> object:
    return {} if value is None else value


def _or_none_of(value: object) -> object:
    return [] if value is None else value


_Text = Annotated[str, BeforeValidator(_as_text)]
_Count = Annotated[int, BeforeValidator(lambda value: value or 0)]


class _Shape(BaseModel):
    """A part of a chunk. Frozen: a default that could change, pydantic copies each time."""

    model_config = ConfigDict(frozen=True)


class _Function(_Shape):
    name: _Text = ""
    arguments: Annotated[str, BeforeValidator(_as_json_text)] = ""


class _Piece(_Shape):
    index: int | None = None
    id: _Text = ""
    function: Annotated[_Function, BeforeValidator(_or_empty)] = _Function()


class _Delta(_Shape):
    content: _Text = ""
    refusal: _Text = ""
    reasoning_content: _Text = ""
    reasoning: _Text = ""
    tool_calls: Annotated[list[_Piece], BeforeValidator(_or_none_of)] = Field(default_factory=list)


class _Choice(_Shape):
    delta: Annotated[_Delta, BeforeValidator(_or_empty)] = _Delta()
    finish_reason: str | None = None


class _Cached(_Shape):
    cached_tokens: _Count = 0


class _Usage(_Shape):
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    prompt_tokens_details: Annotated[_Cached, BeforeValidator(_or_empty)] = _Cached()


class _Chunk(_Shape):
    choices: Annotated[list[_Choice], BeforeValidator(_or_none_of)] = Field(default_factory=list)
    usage: _Usage | None = None


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


class ChunkReader:
    """Puts chunks together. Ids and names stay as they came, blank and doubled ones too."""

    def __init__(self, server: Server) -> None:
        self._server: Final = server
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}
        self._refused = False
        self._stop: str | None = None
        self._usage = _Usage()

    @property
    def complete(self) -> bool:
        """Whether a finish reason has come; usage and ``[DONE]`` may be missing."""
        return self._stop is not None

    def feed(self, event: object) -> Iterator[Delta]:
        """Take one chunk; see `Reader.feed`."""
        try:
            chunk = _Chunk.model_validate(event)
        except ValidationError as error:
            raise garbled(self._server) from error
        self._usage = chunk.usage or self._usage
        for choice in chunk.choices[:1]:
            yield from self._take(choice.delta)
            self._stop = choice.finish_reason or self._stop

    def message(self) -> AssistantMessage:
        """Return the whole message; see `Reader.message`."""
        if self._stop is None:
            raise ModelDisconnected(f"{self._server} ended its answer without a finish reason")
        stop = self._reason(self._stop)
        thought = "".join(self._thinking)
        return AssistantMessage(
            text="".join(self._text),
            stop=stop,
            tool_calls=tuple(
                ToolCall(id=call.id, name=call.name, arguments=finished(call.arguments, stop))
                for call in self._calls
            ),
            thinking=(Thinking(text=thought),) if thought else (),
            model=self._server.model,
            usage=Usage(
                input_tokens=self._usage.prompt_tokens,
                output_tokens=self._usage.completion_tokens,
                cached_tokens=self._usage.prompt_tokens_details.cached_tokens,
            ),
        )

    def _reason(self, said: str) -> StopReason:
        stop = _STOPS.get(said)
        if stop is None:
            raise ModelDisconnected(f"{self._server} stopped for an unknown reason: {said!r}")
        if stop is StopReason.END and self._calls:
            return StopReason.TOOL_USE
        if stop is StopReason.END and self._refused:
            return StopReason.REFUSAL
        return stop

    def _take(self, delta: _Delta) -> Iterator[Delta]:
        if thought := delta.reasoning_content or delta.reasoning:
            self._thinking.append(thought)
            yield ThinkingDelta(text=thought)
        if text := delta.content + delta.refusal:
            self._refused = self._refused or bool(delta.refusal)
            self._text.append(text)
            yield TextDelta(text=text)
        for piece in delta.tool_calls:
            call = self._call_of(piece)
            call.id = call.id or piece.id
            call.name = call.name or piece.function.name
            call.arguments += piece.function.arguments

    def _call_of(self, piece: _Piece) -> _Call:
        """A piece belongs to the call at its index, or, without one, to the latest.

        Some servers number every call 0, some not at all; then a new id, or a
        name where the latest call has one, begins a new call.
        """
        call = self._at.get(piece.index) if piece.index is not None else self._latest(piece)
        if call is None or (piece.id and call.id and piece.id != call.id):
            call = _Call()
            self._calls.append(call)
        if piece.index is not None:
            self._at[piece.index] = call
        return call

    def _latest(self, piece: _Piece) -> _Call | None:
        if not self._calls:
            return None
        call = self._calls[-1]
        is_same = bool(piece.id) and piece.id == call.id
        return None if piece.function.name and call.name and not is_same else call
