"""Anthropic's messages API on loopback: strict about requests, scripted in its answers.

The rules are those of https://docs.anthropic.com/en/api/messages.
``python -m tests.doubles.fake_anthropic --script meeting`` runs it as a process.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiohttp import web

from tests.doubles.model_server import Answer, Asked, Call, Complaint, ModelServer, Said, main

_FIELDS = {
    "model", "max_tokens", "messages", "stream", "system", "tools", "tool_choice", "thinking",
    "cache_control", "metadata", "stop_sequences", "output_config",
}  # fmt: skip
_STOPS = {"length": "max_tokens"}
_ID = re.compile("[a-zA-Z0-9_-]+")
_NAME = re.compile("[a-zA-Z0-9_-]{1,128}")
_BLOCKS = {
    "text": {"text"},
    "tool_use": {"id", "name", "input"},
    "tool_result": {"tool_use_id", "content", "is_error"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
}
_Block = dict[str, Any]


class FakeAnthropic(ModelServer):
    """``async with FakeAnthropic(script) as server``: then `server.base_url`, `server.requests`."""

    path = "/v1/messages"

    @property
    def base_url(self) -> str:
        return self.origin

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/v1/models", self._list)]

    async def _list(self, request: web.Request) -> web.Response:
        """List what `listed` has, newest first."""
        refused = self._refused(request.headers)
        if refused is not None:
            text = self.error(refused)
            return web.Response(body=text, status=refused.status, content_type="application/json")
        rows = [
            {
                "type": "model",
                "display_name": "A model",
                "created_at": "2026-10-07T00:00:00Z",
                **row,
            }
            for row in self.listed or ()
        ]
        return web.json_response({"data": rows, "has_more": False})

    def complaint(self, headers: Mapping[str, str], body: dict[str, Any]) -> Complaint | None:
        if (refused := self._refused(headers)) is not None:
            return refused
        if headers.get("Content-Type", "").partition(";")[0] != "application/json":
            return Complaint(message="Content-Type must be application/json.")
        found = next(_faults(body), None)
        return None if found is None else Complaint(message=found)

    def _refused(self, headers: Mapping[str, str]) -> Complaint | None:
        given = headers.get("Authorization", "").removeprefix("Bearer ")
        if self.key not in {given, headers.get("x-api-key")}:
            return Complaint(status=401, code="authentication_error", message="invalid x-api-key")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", headers.get("anthropic-version", "")):
            return Complaint(message="anthropic-version: header is required")
        return None

    def asked(self, body: Mapping[str, Any], raw: bytes, headers: Mapping[str, str]) -> Asked:
        return Asked(
            system="\n\n".join(block["text"] for block in body.get("system", ())),
            said=tuple(said for message in body["messages"] for said in _said(message)),
            tools=tuple(tool["name"] for tool in body.get("tools", ())),
            body=body,
            raw=raw,
            headers=headers,
        )

    def stream(self, answer: Answer, asked: Asked) -> Iterator[bytes]:
        read, written, cached = answer.tokens
        usage = {
            "input_tokens": read - cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached,
            "output_tokens": 1,
        }
        message = {
            "id": self.new_id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        yield frame({"type": "message_start", "message": message})
        yield frame({"type": "ping"})
        for index, (opening, deltas) in enumerate(self._parts(answer)):
            yield frame({"type": "content_block_start", "index": index, "content_block": opening})
            for delta in deltas:
                yield frame({"type": "content_block_delta", "index": index, "delta": delta})
            yield frame({"type": "content_block_stop", "index": index})
        if answer.stop is not None:
            stop = answer.stop or ("tool_use" if answer.calls else "end_turn")
            yield frame(
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": _STOPS.get(stop, stop), "stop_sequence": None},
                    "usage": {"output_tokens": written},
                }
            )
        if answer.ends:
            yield frame({"type": "message_stop"})

    def error(self, complaint: Complaint) -> bytes:
        error = {"type": complaint.code, "message": complaint.message}
        return json.dumps({"type": "error", "error": error, "request_id": "req_1"}).encode()

    def _parts(self, answer: Answer) -> Iterator[tuple[_Block, list[_Block]]]:
        if answer.thinking:
            yield (
                {"type": "thinking", "thinking": "", "signature": ""},
                [
                    {"type": "thinking_delta", "thinking": answer.thinking},
                    {"type": "signature_delta", "signature": _sign(answer.thinking)},
                ],
            )
        if answer.pieces:
            deltas = [{"type": "text_delta", "text": piece} for piece in answer.pieces]
            yield {"type": "text", "text": ""}, deltas
        for call in answer.calls:
            yield self._call(call)

    def _call(self, call: Call) -> tuple[_Block, list[_Block]]:
        call_id = self.new_id("toolu_") if call.id is None else call.id
        half = len(call.arguments) // 2
        pieces = ["", call.arguments[:half], call.arguments[half:]]
        return (
            {"type": "tool_use", "id": call_id, "name": call.name, "input": {}},
            [{"type": "input_json_delta", "partial_json": piece} for piece in pieces],
        )


def frame(event: Mapping[str, object]) -> bytes:
    """Write one event of a stream."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _sign(thinking: str) -> str:
    return f"signed({len(thinking)})"


def _said(message: Mapping[str, Any]) -> Iterator[Said]:
    blocks = _blocks(message)
    if message["role"] == "assistant":
        calls = tuple(
            Call(id=block["id"], name=block["name"], arguments=json.dumps(block["input"]))
            for block in blocks
            if block["type"] == "tool_use"
        )
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        yield Said(role="assistant", text=text, calls=calls)
        return
    for block in blocks:
        if block["type"] == "text":
            yield Said(role="user", text=block["text"])
        else:
            yield Said(
                role="tool",
                text=block["content"],
                call_id=block["tool_use_id"],
                is_error=block.get("is_error", False),
            )


def _blocks(message: Mapping[str, Any]) -> list[_Block]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _faults(body: dict[str, Any]) -> Iterator[str]:
    for name in sorted(set(body) - _FIELDS):
        yield f"{name}: Extra inputs are not permitted"
    if not isinstance(body.get("model"), str):
        yield "model: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Field required"
    if body.get("stream") is not True:
        yield "this double only streams"
    for block in body.get("system", ()):
        yield from _text_faults("system", block)
    if sum(1 for _ in re.finditer('"cache_control"', json.dumps(body))) > 4:
        yield "A maximum of 4 blocks with cache_control may be provided."
    yield from _tool_faults(body.get("tools", []))
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    yield from _message_faults(messages)


def _tool_faults(tools: list[_Block]) -> Iterator[str]:
    names = [tool.get("name", "") for tool in tools]
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."
    for at, tool in enumerate(tools):
        if not set(tool) <= {"name", "description", "input_schema", "cache_control", "type"}:
            yield f"tools.{at}: Extra inputs are not permitted"
        if not _NAME.fullmatch(tool.get("name", "")):
            yield f"tools.{at}.name: String should match pattern"
        if tool.get("input_schema", {}).get("type") != "object":
            yield f"tools.{at}.input_schema.type: Field required"


def _message_faults(messages: list[_Block]) -> Iterator[str]:
    open_calls: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        role = message.get("role")
        if role != ("user", "assistant")[at % 2]:
            yield f"messages.{at}: roles must alternate between user and assistant"
            return
        if not message.get("content"):
            yield f"messages.{at}: content must be non-empty"
            return
        for block in _blocks(message):
            yield from _block_faults(f"messages.{at}", role, block)
        yield from _pair_faults(at, _blocks(message), open_calls)
        open_calls = [block["id"] for block in _blocks(message) if block["type"] == "tool_use"]
        for call_id in open_calls:
            if call_id in seen:
                yield f"messages.{at}: `tool_use` ids must be unique"
            seen.add(call_id)
    if messages[-1]["role"] != "user":
        yield "This model does not support assistant message prefill."


def _pair_faults(at: int, blocks: list[_Block], open_calls: list[str]) -> Iterator[str]:
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    if missing := sorted(set(open_calls) - set(results)):
        yield (
            f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately "
            f"after: {', '.join(missing)}"
        )
    if sorted(results) != sorted(set(results)) or set(results) - set(open_calls):
        yield f"messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks"
    kinds = [block["type"] for block in blocks]
    if results and "tool_result" in kinds[len(results) :]:
        yield f"messages.{at}: `tool_result` blocks must come first in the content"


def _block_faults(where: str, role: str, block: _Block) -> Iterator[str]:
    kind = block.get("type", "")
    allowed = {"user": {"text", "tool_result"}}.get(role, set(_BLOCKS) - {"tool_result"})
    if kind not in allowed:
        yield f"{where}: unexpected block {kind!r} in a {role} message"
        return
    if not set(block) <= _BLOCKS[kind] | {"type", "cache_control"}:
        yield f"{where}.{kind}: Extra inputs are not permitted"
    if kind == "text":
        yield from _text_faults(where, block)
    if kind == "tool_use" and not isinstance(block["input"], dict):
        yield f"{where}.tool_use.input: Input should be a valid dictionary"
    if kind == "tool_use" and not (_ID.fullmatch(block["id"]) and _NAME.fullmatch(block["name"])):
        yield f"{where}.tool_use: id or name should match pattern"
    if kind == "thinking" and block["signature"] != _sign(block["thinking"]):
        yield f"{where}: Invalid `signature` in `thinking` block"


def _text_faults(where: str, block: _Block) -> Iterator[str]:
    if not str(block.get("text", "")).strip():
        yield f"{where}: text content blocks must contain non-whitespace text"


if __name__ == "__main__":
    from tests.doubles.stubborn import SCRIPTS

    main(FakeAnthropic, SCRIPTS, sys.argv[1:])
