"""Ollama's own API on loopback: strict about requests, scripted in its answers.

The rules are those of https://docs.ollama.com/api and of ``api/types.go`` in its source. The
official Python client reads what this double answers.
``python -m tests.doubles.fake_ollama --script meeting`` runs it as a process.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.doubles.model_server import (
    Answer,
    Asked,
    Call,
    Complaint,
    ModelServer,
    Raw,
    Said,
    Script,
    main,
)

_FIELDS = {
    "model", "messages", "tools", "format", "options", "stream", "keep_alive", "think",
    "truncate", "shift",
}  # fmt: skip
_OPTIONS = {"num_ctx", "num_predict", "temperature", "seed", "stop", "top_k", "top_p", "num_keep"}
_MESSAGE = {"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"}
_NAME = re.compile("[a-zA-Z0-9_-]{1,64}")
_AT = "2026-11-30T12:00:00.000000Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """A model that was pulled."""

    capabilities: tuple[str, ...] = ("completion", "tools")
    trained: int | None = 131_072
    parameters: str = ""
    """The lines of its own file, as ``/api/show`` gives them."""
    remote: str = ""
    """Where it really runs, if not here."""


class FakeOllama(ModelServer):
    """``async with FakeOllama(script) as server``: then `server.base_url`, `server.requests`.

    *pulled* are its models; where none are named it has every model that is asked for.
    With *lists* its list says what each can, as newer servers do.
    """

    path = "/api/chat"

    def __init__(
        self,
        script: Script | Sequence[Answer | Raw] = (),
        *,
        port: int = 0,
        pause: float = 0.0,
        pulled: Mapping[str, Pulled] | None = None,
        lists: bool = False,
        keyless: bool = False,
    ) -> None:
        super().__init__(script, port=port, pause=pause)
        self._pulled = pulled
        self._lists = lists
        self._keyless = keyless
        self.shown: list[str] = []
        """The models whose card was asked for."""

    @property
    def base_url(self) -> str:
        return self.origin

    def routes(self) -> Sequence[web.RouteDef]:
        return [web.get("/api/tags", self._tags), web.post("/api/show", self._show)]

    def complaint(self, headers: Mapping[str, str], body: dict[str, Any]) -> Complaint | None:
        if (refused := self._refused(headers)) is not None:
            return refused
        model = self._model(str(body.get("model")))
        if model is None:
            return Complaint(status=404, message=f"model '{body.get('model')}' not found")
        if body.get("tools") and "tools" not in model.capabilities:
            return Complaint(
                message=f"registry.ollama.ai/library/{body['model']} does not support tools"
            )
        found = next(_faults(body), None)
        return None if found is None else Complaint(message=found)

    def asked(self, body: Mapping[str, Any], raw: bytes, headers: Mapping[str, str]) -> Asked:
        said = tuple(_said(message) for message in body["messages"])
        return Asked(
            system="\n\n".join(one.text for one in said if one.role == "system"),
            said=tuple(one for one in said if one.role != "system"),
            tools=tuple(tool["function"]["name"] for tool in body.get("tools", ())),
            body=body,
            raw=raw,
            headers=headers,
        )

    def stream(self, answer: Answer, asked: Asked) -> Iterator[bytes]:
        def line(message: Mapping[str, object], **rest: object) -> bytes:
            head = {"model": asked.body["model"], "created_at": _AT}
            said = {"role": "assistant", "content": "", **message}
            whole = {**head, "message": said, "done": False, **rest}
            return json.dumps(whole, ensure_ascii=False).encode() + b"\n"

        if answer.thinking:
            yield line({"thinking": answer.thinking})
        for piece in answer.pieces:
            yield line({"content": piece})
        for index, call in enumerate(answer.calls):
            if (written := _written(index, call)) is not None:
                yield line({"tool_calls": [written]})
        if answer.stop is not None:
            read, wrote, _ = answer.tokens
            yield line(
                {},
                done=True,
                done_reason=answer.stop or "stop",
                total_duration=5_000_000,
                load_duration=1_000_000,
                prompt_eval_count=read,
                prompt_eval_duration=2_000_000,
                eval_count=wrote,
                eval_duration=2_000_000,
            )

    def error(self, complaint: Complaint) -> bytes:
        return json.dumps({"error": complaint.message}).encode()

    def _refused(self, headers: Mapping[str, str]) -> Complaint | None:
        if self._keyless or headers.get("Authorization") == f"Bearer {self.key}":
            return None
        return Complaint(status=401, message="unauthorized")

    def _model(self, name: str) -> Pulled | None:
        return Pulled() if self._pulled is None else self._pulled.get(name)

    async def _tags(self, _request: web.Request) -> web.Response:
        models = [self._row(name, model) for name, model in (self._pulled or {}).items()]
        return web.json_response({"models": models})

    def _row(self, name: str, model: Pulled) -> dict[str, object]:
        row: dict[str, object] = {
            "name": name,
            "model": name,
            "modified_at": _AT,
            "size": 5_000_000_000,
            "digest": "sha256:0",
            "details": {"format": "gguf", "family": "fake"},
        }
        if model.remote:
            row |= {"remote_model": name, "remote_host": model.remote}
        return {**row, "capabilities": [*model.capabilities]} if self._lists else row

    async def _show(self, request: web.Request) -> web.Response:
        name = str((await request.json()).get("model"))
        self.shown.append(name)
        if (refused := self._refused(request.headers)) is not None:
            return web.json_response({"error": refused.message}, status=refused.status)
        model = self._model(name)
        if model is None:
            return web.json_response({"error": f"model '{name}' not found"}, status=404)
        card = {"general.architecture": "fake", "fake.context_length": model.trained}
        return web.json_response(
            {
                "parameters": model.parameters,
                "template": "{{ .Prompt }}",
                "details": {"format": "gguf", "family": "fake"},
                "model_info": {key: value for key, value in card.items() if value is not None},
                "capabilities": [*model.capabilities],
                "modified_at": _AT,
            }
        )


def _written(index: int, call: Call) -> dict[str, object] | None:
    """Write a call; one whose arguments are no object is none: Ollama found no call in it."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        return None
    function = {"index": index, "name": call.name, "arguments": arguments}
    return {"id": call.id, "function": function} if call.id is not None else {"function": function}


def _said(message: Mapping[str, Any]) -> Said:
    return Said(
        role=message["role"],
        text=message.get("content") or "",
        call_id=message.get("tool_call_id", ""),
        calls=tuple(
            Call(
                id=call.get("id"),
                name=call["function"]["name"],
                arguments=json.dumps(call["function"]["arguments"]),
            )
            for call in message.get("tool_calls") or ()
        ),
    )


def _faults(body: dict[str, Any]) -> Iterator[str]:
    for name in sorted(set(body) - _FIELDS):
        yield f"unknown field {name!r}"
    if body.get("stream") is not True:
        yield "this double only streams"
    options = body.get("options")
    if not isinstance(options, dict) or not set(options) <= _OPTIONS:
        yield f"invalid options: {options!r}"
    elif not all(isinstance(options.get(name), int) for name in ("num_ctx", "num_predict")):
        yield "this double wants num_ctx and num_predict"
    for tool in body.get("tools", ()):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not _NAME.fullmatch(function.get("name", "")):
            yield f"invalid tool: {tool!r}"
        if function.get("parameters", {}).get("type") != "object":
            yield "invalid tool: its parameters must be of type 'object'"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages must be a list"
        return
    for message in messages:
        yield from _message_faults(message)


def _message_faults(message: dict[str, Any]) -> Iterator[str]:
    for name in sorted(set(message) - _MESSAGE):
        yield f"unknown field {name!r} of a message"
    if message.get("role") not in {"system", "user", "assistant", "tool"}:
        yield f"invalid role {message.get('role')!r}"
    if not isinstance(message.get("content"), str):
        yield "content must be a string"
    if message.get("role") == "tool" and not message.get("tool_name"):
        yield "a result must name its tool"
    for call in message.get("tool_calls", ()):
        function = call.get("function", {})
        if not isinstance(function.get("arguments"), dict):
            yield "json: cannot unmarshal string into Go struct field of arguments"
        if not _NAME.fullmatch(function.get("name", "")):
            yield f"invalid name of a call: {function.get('name')!r}"


if __name__ == "__main__":
    from tests.doubles.stubborn import SCRIPTS

    main(FakeOllama, SCRIPTS, sys.argv[1:])
