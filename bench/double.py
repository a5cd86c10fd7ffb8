"""A model on loopback that is too fast to be what is measured: ``python -m bench.double``.

It speaks just enough HTTP/1.1 for one kind of request, notes when each arrived and when its
last chunk left, and is told over ``/behave`` what to do next. Its clock is CLOCK_MONOTONIC,
which all processes of a machine share (clock_gettime(2)).
"""

import asyncio
import json
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Final

WORDS: Final = (
    "Three", " things", " stand", " in", " it:", " call", " the", " printer,",
    " book", " the", " room", " for", " Thursday,", " and", " send", " the", " minutes.",
)  # fmt: skip
FILE: Final = "AGENTS.md"
"""What it reads where it is told to ask for a tool: every workspace has it."""
_KEPT: Final = 64
_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request: when its last byte came, when the last chunk of its answer left, its size."""

    arrived: float
    answered: float
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What it does with the requests to come."""

    delay: float = 0.0
    """Seconds before the first chunk."""
    tool: bool = False
    """Whether it asks for a tool before it answers."""


@dataclass(slots=True)
class _Memory:
    behaviour: Behaviour = field(default_factory=Behaviour)
    asked: list[Asked] = field(default_factory=list)
    bodies: deque[bytes] = field(default_factory=lambda: deque(maxlen=_KEPT))
    calls: int = 0

    def prefixes(self) -> list[tuple[int, int]]:
        """Of each pair of requests: the size of the first, and how much of it begins the second."""
        return [(len(one), _common(one, other)) for one, other in pairwise(self.bodies)]


def _common(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _frame(delta: object, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    chunk = {
        "id": "chatcmpl-0",
        "object": "chat.completion.chunk",
        "created": 1_780_000_000,
        "model": "double",
        "choices": [choice],
    }
    return _chunked(b"data: " + json.dumps(chunk).encode() + b"\n\n")


def _chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


_ROLE: Final = _frame({"role": "assistant", "content": ""})
_TEXT: Final = (_ROLE, *(_frame({"content": word}) for word in WORDS), _frame({}, "stop"))
_DONE: Final = _chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def _call(number: int) -> tuple[bytes, ...]:
    function = {"name": "read_file", "arguments": json.dumps({"path": FILE})}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return (_ROLE, _frame({"tool_calls": [call]}), _frame({}, "tool_calls"))


class _Connection(asyncio.Protocol):
    """One client's connection, one request after another."""

    def __init__(self, memory: _Memory) -> None:
        self._memory = memory
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self._received[:end]).lower()
        _, _, length = head.partition(b"content-length:")
        size = int(length.split(b"\r\n", 1)[0] or 0) if length else 0
        if len(self._received) < end + 4 + size:
            return
        body = bytes(self._received[end + 4 : end + 4 + size])
        del self._received[: end + 4 + size]
        self._request(head.split(b" ", 2)[1], body)

    def _request(self, path: bytes, body: bytes) -> None:
        memory = self._memory
        if path == b"/v1/chat/completions":
            arrived = time.monotonic()
            memory.bodies.append(body)
            asyncio.get_running_loop().call_later(
                memory.behaviour.delay, self._answer, arrived, body
            )
        elif path == b"/behave":
            memory.behaviour = Behaviour(**json.loads(body))
            memory.asked.clear()
            memory.bodies.clear()
            self._say({})
        elif path == b"/asked":
            self._say([asdict(one) for one in memory.asked])
            memory.asked.clear()
        else:
            self._say(memory.prefixes())

    def _answer(self, arrived: float, body: bytes) -> None:
        wants_tool = self._memory.behaviour.tool and body.rfind(b'"role":"user"') > body.rfind(
            b'"role":"tool"'
        )
        self._memory.calls += 1
        frames = _call(self._memory.calls) if wants_tool else _TEXT
        self._write(_HEAD)
        self._next(iter(frames), arrived, len(body))

    def _next(self, frames: Iterator[bytes], arrived: float, size: int) -> None:
        """Write one frame, and the next one in the loop's next round."""
        frame = next(frames, None)
        if frame is None:
            answered = time.monotonic()
            self._write(_DONE)
            self._memory.asked.append(Asked(arrived=arrived, answered=answered, size=size))
            return
        self._write(frame)
        asyncio.get_running_loop().call_soon(self._next, frames, arrived, size)

    def _say(self, value: object) -> None:
        body = json.dumps(value).encode()
        self._write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)


async def _serve() -> None:
    memory = _Memory()
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(memory), "127.0.0.1", 0
    )
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
