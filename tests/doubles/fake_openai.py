"""OpenAI's chat completions on loopback: strict about requests, scripted in its answers.

The rules are those of https://platform.openai.com/docs/api-reference/chat/create.
``python -m tests.doubles.fake_openai --script meeting`` runs it as a process.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiohttp import web

from tests.doubles.model_server import Answer, Asked, Call, Complaint, ModelServer, Said, main

_FIELDS = {
    "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream",
    "stream_options", "max_tokens", "max_completion_tokens", "temperature",
}  # fmt: skip
_STOPS = {"tool_use": "tool_calls", "refusal": "content_filter"}
_THINKS = 256
"""Tokens that a model which thinks needs at least, before it says anything."""
_NAME = re.compile("[a-zA-Z0-9_-]{1,64}")


class FakeOpenAI(ModelServer):
    """``async with FakeOpenAI(script) as server``: then `server.base_url`, `server.requests`."""

    path = "/v1/chat/completions"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/v1/models", self._list)]

    async def _list(self, request: web.Request) -> web.Response:
        """List what `models` names; without names it is a server that has no list."""
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            refused = Complaint(status=401, code="invalid_api_key", message="Incorrect API key.")
            return web.Response(
                body=self.error(refused), status=401, content_type="application/json"
            )
        if self.listed is None:
            return web.Response(status=404, text="404 page not found")
        rows = [
            {"object": "model", "created": 1_780_000_000, "owned_by": "openai", **row}
            for row in self.listed
        ]
        return web.json_response({"object": "list", "data": rows})

    def complaint(self, headers: Mapping[str, str], body: dict[str, Any]) -> Complaint | None:
        if headers.get("Authorization") != f"Bearer {self.key}":
            return Complaint(
                status=401, code="invalid_api_key", message="Incorrect API key provided: sk-***."
            )
        if headers.get("Content-Type", "").partition(";")[0] != "application/json":
            return Complaint(message="Content-Type must be application/json.")
        found = next(_faults(body), None)
        return None if found is None else Complaint(message=found)

    def asked(self, body: Mapping[str, Any], raw: bytes, headers: Mapping[str, str]) -> Asked:
        said = tuple(_said(message) for message in body["messages"])
        return Asked(
            system="\n\n".join(one.text for one in said if one.role in {"system", "developer"}),
            said=tuple(one for one in said if one.role not in {"system", "developer"}),
            tools=tuple(tool["function"]["name"] for tool in body.get("tools", ())),
            body=body,
            raw=raw,
            headers=headers,
        )

    def stream(self, answer: Answer, asked: Asked) -> Iterator[bytes]:
        chunk_id = self.new_id("chatcmpl-")

        def chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return _frame(chunk_id, asked, {"choices": [choice]})

        yield chunk({"role": "assistant", "content": "", "refusal": None})
        if answer.thinking:
            yield chunk({"reasoning_content": answer.thinking})
        for piece in answer.pieces:
            yield chunk({"content": piece})
        for index, call in enumerate(answer.calls):
            for delta in self._call(index, call):
                yield chunk({"tool_calls": [delta]})
        if answer.stop is not None:
            stop = answer.stop or ("tool_calls" if answer.calls else "stop")
            yield chunk({}, _STOPS.get(stop, stop))
            if asked.body.get("stream_options") == {"include_usage": True}:
                yield _frame(chunk_id, asked, {"choices": [], "usage": _usage(answer)})
        if answer.ends:
            yield b"data: [DONE]\n\n"

    def error(self, complaint: Complaint) -> bytes:
        return json.dumps(
            {
                "error": {
                    "message": complaint.message,
                    "type": "invalid_request_error",
                    "param": None,
                    "code": complaint.code,
                }
            }
        ).encode()

    def _call(self, index: int, call: Call) -> Iterator[dict[str, object]]:
        call_id = self.new_id("call_") if call.id is None else call.id
        function = {"name": call.name, "arguments": ""}
        yield {"index": index, "id": call_id, "type": "function", "function": function}
        half = len(call.arguments) // 2
        for piece in (call.arguments[:half], call.arguments[half:]):
            if piece:
                yield {"index": index, "function": {"arguments": piece}}


def _frame(chunk_id: str, asked: Asked, rest: dict[str, object]) -> bytes:
    head = {
        "id": chunk_id,
        "object": "chat.completion.chunk",
        "created": 1_780_000_000,
        "model": asked.body["model"],
    }
    return b"data: " + json.dumps({**head, **rest}).encode() + b"\n\n"


def _usage(answer: Answer) -> dict[str, object]:
    read, written, cached = answer.tokens
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _said(message: Mapping[str, Any]) -> Said:
    calls = message.get("tool_calls") or ()
    return Said(
        role=message["role"],
        text=message.get("content") or "",
        call_id=message.get("tool_call_id", ""),
        calls=tuple(
            Call(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"])
            for c in calls
        ),
    )


def _faults(body: dict[str, Any]) -> Iterator[str]:
    for name in sorted(set(body) - _FIELDS):
        yield f"Unrecognized request argument supplied: {name}"
    if not isinstance(body.get("model"), str):
        yield "you must provide a model parameter"
    if body.get("stream") is not True:
        yield "this double only streams"
    if {"max_tokens", "max_completion_tokens"} <= set(body):
        yield "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or _THINKS
    if str(body.get("model")).startswith(("gpt-5", "gpt-6")) and limit < _THINKS:
        yield "Could not finish the message because max_tokens or model output limit was reached."
    if "tools" in body:
        yield from _tool_faults(body["tools"])
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "[] is too short - 'messages'"
        return
    yield from _message_faults(messages)


def _tool_faults(tools: list[dict[str, Any]]) -> Iterator[str]:
    if not tools:
        yield "[] is too short - 'tools'"
    names = [tool.get("function", {}).get("name", "") for tool in tools]
    if len(set(names)) < len(names):
        yield "Tool names must be unique."
    for tool in tools:
        function = tool.get("function", {})
        if set(tool) != {"type", "function"} or tool["type"] != "function":
            yield f"Unknown parameter in 'tools': {sorted(tool)}"
        if not set(function) <= {"name", "description", "parameters", "strict"}:
            yield f"Unknown parameter in 'tools[].function': {sorted(function)}"
        if not _NAME.fullmatch(function.get("name", "")):
            yield f"Invalid 'tools[].function.name': {function.get('name')!r}"
        if function.get("parameters", {}).get("type") != "object":
            yield "Invalid schema for function: schema must be of type 'object'"


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    wanted: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        role = message.get("role")
        if wanted and role != "tool":
            break
        if role == "assistant":
            yield from _call_faults(message, seen)
            wanted = [call["id"] for call in message.get("tool_calls") or ()]
            continue
        yield from _content_faults(at, message)
        if role == "tool" and message.get("tool_call_id") not in wanted:
            yield "messages with role 'tool' must respond to a preceding 'tool_calls'."
            return
        if role == "tool":
            wanted.remove(message["tool_call_id"])
    if wanted:
        yield f"'tool_calls' must be followed by tool messages. Missing: {', '.join(wanted)}"


def _content_faults(at: int, message: dict[str, Any]) -> Iterator[str]:
    role = message.get("role")
    if role not in {"system", "developer", "user", "tool"}:
        yield f"Invalid value: {role!r} is no role."
    if at and role in {"system", "developer"}:
        yield f"messages[{at}]: a {role} message must come first"
    if not isinstance(message.get("content"), str) or not message["content"]:
        yield f"Invalid value for 'content' in messages[{at}]: expected a string"


def _call_faults(message: dict[str, Any], seen: set[str]) -> Iterator[str]:
    calls = message.get("tool_calls")
    if not message.get("content") and not calls:
        yield "Invalid value for 'content': expected a string, got null."
    if calls == []:
        yield "[] is too short - 'messages[].tool_calls'"
    for call in calls or ():
        if set(call) != {"id", "type", "function"} or set(call["function"]) != {
            "name",
            "arguments",
        }:
            yield "Unknown parameter in 'tool_calls'."
            return
        if not call["id"] or len(call["id"]) > 40 or call["id"] in seen:
            yield f"Invalid or duplicate 'tool_calls[].id': {call['id']!r}"
        seen.add(call["id"])
        if not _NAME.fullmatch(call["function"]["name"]):
            yield f"Invalid 'function.name': {call['function']['name']!r}"
        try:
            json.loads(call["function"]["arguments"])
        except ValueError:
            yield "Invalid 'function.arguments': not JSON"


if __name__ == "__main__":
    from tests.doubles.stubborn import SCRIPTS

    main(FakeOpenAI, SCRIPTS, sys.argv[1:])
