"""What every provider demands of a history, whatever wrote it (pure).

A history may hold calls of another provider's model, calls that a crash left
open, and arguments that are no JSON; a request built from it must be legal all
the same, and the same bytes each time.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NoReturn

from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
)
from bot.contracts.text import clean


def _refuse(constant: str) -> NoReturn:
    """Python reads NaN and Infinity; JSON has neither."""
    raise ValueError(constant)


_ILLEGAL: Final = re.compile("[^a-zA-Z0-9_-]")
_PARSER: Final = json.JSONDecoder(parse_constant=_refuse)
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_LONGEST_NAME: Final = 64
"""OpenAI's limit; Anthropic allows more. Both: letters, digits, ``_`` and ``-``."""


def groups(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """Give the messages in groups that may not be taken apart.

    A message with calls is followed by one result for each call, in the calls'
    order; a result without its call is left out, and so is a message that says
    nothing and asks for nothing.
    """
    for at, message in enumerate(messages):
        match message:
            case ToolResult():
                continue
            case AssistantMessage(tool_calls=()):
                if message.text.strip():
                    yield (message,)
            case AssistantMessage():
                yield (message, *_results(message.tool_calls, messages, at + 1))
            case _:
                yield (message,)


def legal_name(name: str) -> str:
    """Return *name* as a tool may be called; models invent names that may not be repeated."""
    return _ILLEGAL.sub("_", name)[:_LONGEST_NAME] or "unnamed"


def arguments_of(call: ToolCall) -> dict[str, object]:
    """Return the call's arguments as an object; what is none is shown to the model as it was."""
    if not call.arguments.strip():
        return {}
    parsed = _object(call.arguments)
    return {"not_an_object": call.arguments} if parsed is None else parsed


def arguments_text(call: ToolCall) -> str:
    """Return the call's arguments as the text of an object: as written, if it was one."""
    is_legal = _object(call.arguments) is not None
    return call.arguments if is_legal else dumps(arguments_of(call)).decode()


def finished(arguments: str, stop: StopReason) -> str:
    """Return a call's arguments as they came; none at all are an empty object, unless cut off."""
    return arguments if arguments.strip() or stop is StopReason.LENGTH else "{}"


def dumps(value: object) -> bytes:
    """Encode *value* as compact JSON, without lone surrogates, the same bytes each time."""
    text = _JSON.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()


def _results(
    calls: Sequence[ToolCall], messages: Sequence[Message], at: int
) -> Iterator[ToolResult]:
    found: dict[str, ToolResult] = {}
    for index in range(at, len(messages)):
        message = messages[index]
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolResult):
            found.setdefault(message.call_id, message)
    for call in calls:
        yield found.get(call.id) or ToolResult(
            call_id=call.id,
            name=call.name,
            text="No result of this call was recorded.",
            state=ResultState.UNKNOWN,
        )


def _object(arguments: str) -> dict[str, object] | None:
    try:
        parsed = _PARSER.decode(arguments)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
