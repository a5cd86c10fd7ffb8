"""The messages API on the wire: `ModelRequest` to bytes, events to one message (pure).

The shapes are those of https://docs.anthropic.com/en/api/messages and
https://docs.anthropic.com/en/docs/build-with-claude/streaming.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Final, assert_never

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from bot.contracts.errors import ContextOverflow, ModelDisconnected
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
from bot.models.legal import arguments_of, dumps, finished, groups, legal_name
from bot.models.server import Server
from bot.models.thinking import anthropic_thinking

_CACHED: Final = {"type": "ephemeral"}
_WINDOW_FULL: Final = "model_context_window_exceeded"

_STOPS: Final[Mapping[str, StopReason]] = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.LENGTH,
    _WINDOW_FULL: StopReason.LENGTH,
    # Only tools that run on their side pause a turn, and we offer none: not an end, at any rate.
    "pause_turn": StopReason.LENGTH,
    "refusal": StopReason.REFUSAL,
}

_Block = dict[str, object]


class Encoder:
    """Writes the bodies of requests to one server; what comes again is encoded once.

    Messages come last, so that the body of a longer conversation begins with
    the bytes of the shorter one. What may be cached is marked at the stable
    system prompt and, by the mark at the top, at whatever block is the last:
    a mark inside a message would change its bytes with the next one.
    """

    def __init__(self, server: Server, *, max_output: int | None = None) -> None:
        self._server: Final = server
        self._max_output: Final = max_output
        self._head: Final = KeptOne(self._write_head)
        self._message: Final = KeptBytes(self._write_message)

    def __call__(self, request: ModelRequest) -> bytes:
        """Write the body of *request*."""
        limit = min(request.max_output, self._max_output or request.max_output)
        head = self._head((limit, request.system, request.tools, request.thinking))
        return head + b',"messages":[' + b",".join(self._messages(request)) + b"]}"

    def _write_head(
        self, of: tuple[int, SystemPrompt, tuple[ToolOffer, ...], ThinkingLevel | None]
    ) -> bytes:
        limit, prompt, tools, thinking = of
        head: dict[str, object] = {
            "model": self._server.model,
            "max_tokens": limit,
            "stream": True,
            "cache_control": _CACHED,
            **anthropic_thinking(thinking, self._server.model, self._server.host),
        }
        if system := list(_system(prompt)):
            head["system"] = system
        if tools:
            head["tools"] = [_tool(offer) for offer in tools]
        return dumps(head)[:-1]

    def _messages(self, request: ModelRequest) -> Iterator[bytes]:
        """One for all that stands between two changes of role: the API wants them in turns."""
        said = ((_role(m), m) for group in groups(request.messages) for m in group)
        for role, run in groupby(said, key=itemgetter(0)):
            blocks = b",".join(filter(None, (self._message(message) for _, message in run)))
            yield b'{"role":"' + role + b'","content":[' + blocks + b"]}"

    def _write_message(self, message: Message) -> bytes:
        return b",".join(dumps(block) for block in _blocks(message, self._server))


def _system(prompt: SystemPrompt) -> Iterator[_Block]:
    if prompt.stable:
        yield {"type": "text", "text": prompt.stable, "cache_control": _CACHED}
    if prompt.volatile:
        yield {"type": "text", "text": prompt.volatile}


def _role(message: Message) -> bytes:
    return b"assistant" if isinstance(message, AssistantMessage) else b"user"


def _blocks(message: Message, server: Server) -> Iterator[_Block]:
    match message:
        case UserMessage():
            yield {"type": "text", "text": message.text if message.text.strip() else "(no text)"}
        case ToolResult():
            result: _Block = {
                "type": "tool_result",
                "tool_use_id": message.call_id,
                "content": message.text if message.text.strip() else "(no output)",
            }
            yield result if message.state is ResultState.OK else {**result, "is_error": True}
        case AssistantMessage():
            if message.model == server.model:
                yield from _thinking(message.thinking)
            if message.text.strip():
                yield {"type": "text", "text": message.text}
            for call in message.tool_calls:
                yield {
                    "type": "tool_use",
                    "id": call.id,
                    "name": legal_name(call.name),
                    "input": arguments_of(call),
                }
        case _:
            assert_never(message)


def _thinking(blocks: tuple[Thinking, ...]) -> Iterator[_Block]:
    """Give back what the same model thought, unchanged; what is not signed is refused there."""
    for block in blocks:
        if block.redacted:
            yield {"type": "redacted_thinking", "data": block.redacted}
        elif block.signature:
            yield {"type": "thinking", "thinking": block.text, "signature": block.signature}


def _tool(offer: ToolOffer) -> _Block:
    return {"name": offer.name, "description": offer.description, "input_schema": offer.schema}


def _or_blank(value: object) -> object:
    return "" if value is None else value


_Text = Annotated[str, BeforeValidator(_or_blank)]


class _Shape(BaseModel):
    """A part of an event. Frozen: a default that could change, pydantic copies each time."""

    model_config = ConfigDict(frozen=True)


class _Piece(_Shape):
    """A block's beginning, or what is added to it."""

    type: _Text = ""
    id: _Text = ""
    name: _Text = ""
    input: dict[str, object] | None = None
    partial_json: _Text = ""
    text: _Text = ""
    thinking: _Text = ""
    signature: _Text = ""
    data: _Text = ""
    stop_reason: str | None = None


class _Usage(_Shape):
    """Running totals; a later event repeats only what changed."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Start(_Shape):
    usage: _Usage = _Usage()


class _Event(_Shape):
    type: str
    index: int = 0
    message: _Start = _Start()
    content_block: _Piece = _Piece()
    delta: _Piece = _Piece()
    usage: _Usage = _Usage()


@dataclass(slots=True)
class _Part:
    """A content block that is being written."""

    opening: _Piece
    text: str = ""
    thinking: str = ""
    signature: str = ""
    arguments: str = ""

    def grow(self, piece: _Piece) -> Iterator[Delta]:
        """Add a piece and give the words in it."""
        self.text += piece.text
        self.thinking += piece.thinking
        self.signature += piece.signature
        self.arguments += piece.partial_json
        if piece.thinking:
            yield ThinkingDelta(text=piece.thinking)
        if piece.text:
            yield TextDelta(text=piece.text)

    def call(self, stop: StopReason) -> ToolCall:
        """Return the call this block is; some servers give its input whole, at the beginning."""
        whole = dumps(self.opening.input).decode() if self.opening.input else ""
        arguments = finished(self.arguments or whole, stop)
        return ToolCall(id=self.opening.id, name=self.opening.name, arguments=arguments)


class EventReader:
    """Puts events together. Event and block types it does not know are passed over."""

    def __init__(self, server: Server) -> None:
        self._server: Final = server
        self._parts: list[_Part] = []
        self._at: dict[int, _Part] = {}
        self._stop: str | None = None
        self._ended = False
        self._usage = _Usage()

    @property
    def complete(self) -> bool:
        """Whether a stop reason has come, and ``message_stop``."""
        return self._ended and self._stop is not None

    def feed(self, event: object) -> Iterator[Delta]:
        """Take one event; see `Reader.feed`."""
        try:
            came = _Event.model_validate(event)
        except ValidationError as error:
            raise garbled(self._server) from error
        match came.type:
            case "message_start":
                self._count(came.message.usage)
            case "content_block_start":
                part = self._at[came.index] = _Part(opening=came.content_block)
                self._parts.append(part)
                yield from part.grow(came.content_block)
            case "content_block_delta" if came.index in self._at:
                yield from self._at[came.index].grow(came.delta)
            case "message_delta":
                self._stop = came.delta.stop_reason or self._stop
                self._count(came.usage)
            case "message_stop":
                self._ended = True
            case _:
                pass  # block ends, pings, and what the API may add (it says so)

    def message(self) -> AssistantMessage:
        """Return the whole message; see `Reader.message`."""
        if self._stop is None or not self._ended:
            raise ModelDisconnected(f"{self._server} ended its answer without a stop reason")
        text = "".join(part.text for part in self._parts)
        calls = [part for part in self._parts if part.opening.type == "tool_use"]
        if self._stop == _WINDOW_FULL and not text and not calls:
            raise ContextOverflow(f"{self._server} had no room left to say a word")
        stop = self._reason(self._stop, has_calls=bool(calls))
        return AssistantMessage(
            text=text,
            stop=stop,
            tool_calls=tuple(part.call(stop) for part in calls),
            thinking=tuple(
                Thinking(text=part.thinking, signature=part.signature, redacted=part.opening.data)
                for part in self._parts
                if part.opening.type in {"thinking", "redacted_thinking"}
            ),
            model=self._server.model,
            usage=_spent(self._usage),
        )

    def _reason(self, said: str, *, has_calls: bool) -> StopReason:
        stop = _STOPS.get(said)
        if stop is None:
            raise ModelDisconnected(f"{self._server} stopped for an unknown reason: {said!r}")
        return StopReason.TOOL_USE if stop is StopReason.END and has_calls else stop

    def _count(self, usage: _Usage) -> None:
        self._usage = self._usage.model_copy(update=usage.model_dump(exclude_none=True))


def _spent(usage: _Usage) -> Usage:
    """Count what was read from or written to the cache as input too: they report it apart."""
    cached, kept = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return Usage(
        input_tokens=(usage.input_tokens or 0) + kept + cached,
        output_tokens=usage.output_tokens or 0,
        cached_tokens=cached,
        kept_tokens=kept,
    )
