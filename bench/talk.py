"""Talks to the floor and to the bot alike, over a socket, and to the double about it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import aiohttp

from bench.double import Asked, Behaviour
from bench.processes import a_process

_PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTimes:
    """When it was said, when a first sign of it came, when its answer stood there."""

    said: float
    sign: float
    seen: float
    answered: bool


class Conversation:
    """One WebSocket on which one message at a time is said and waited for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def say(self, text: str) -> TurnTimes:
        """Say *text* and return when what happened; the answer is a line, committed.

        A message that came too fast is said again in its time, and counts from then on.
        """
        claim = str(uuid4())
        say = json.dumps({"type": "say", "id": claim, "text": text})
        said = time.monotonic()
        await self._socket.send_str(say)
        turn, sign, seen, outcome = "", 0.0, 0.0, ""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not (seen and outcome):
                frame = json.loads(await self._socket.receive_str())
                match frame["type"]:
                    case "accepted" if frame["id"] == claim:
                        turn = frame["turn"]
                    case "refused":
                        await asyncio.sleep(frame["retry"])
                        said = time.monotonic()
                        await self._socket.send_str(say)
                    case "line" if frame["direction"] == "said":
                        seen = seen or time.monotonic()
                    case "ended" if frame["turn"] == turn:
                        outcome = frame["outcome"]
                    case "status" | "words" | "tool":
                        sign = sign or time.monotonic()
                    case _:
                        pass
        return TurnTimes(said=said, sign=sign, seen=seen, answered=outcome == "answered")


@asynccontextmanager
async def a_conversation(control: Path) -> AsyncIterator[Conversation]:
    """Open the socket at *control*, as the terminal does."""
    connector = aiohttp.UnixConnector(path=str(control))
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession("http://bench", connector=connector, timeout=timeout) as http,
        http.ws_connect("/ws", max_msg_size=1 << 24) as socket,
    ):
        await socket.send_str(json.dumps({"type": "hello", "protocol": 1}))
        while json.loads(await socket.receive_str())["type"] != "welcome":
            pass
        yield Conversation(socket)


class Double:
    """The model that everybody asks."""

    def __init__(self, http: aiohttp.ClientSession, port: int) -> None:
        self._http = http
        self.origin = f"http://127.0.0.1:{port}"

    @property
    def base_url(self) -> str:
        """What a client of it is given."""
        return f"{self.origin}/v1"

    async def behave(self, behaviour: Behaviour) -> None:
        """Say what it is to do from now on, and have it forget what was."""
        await self._get("/behave", asdict(behaviour))

    async def asked(self) -> list[Asked]:
        """Return what it was asked since it was last asked this."""
        return [Asked(**one) for one in await self._get("/asked")]

    async def prefixes(self) -> list[tuple[int, int]]:
        """Of each pair of requests: the size of the first, and how much of it the second has."""
        return [(size, common) for size, common in await self._get("/prefixes")]

    async def ceiling(self, seconds: float, *, clients: int = 8, size: int = 8_000) -> float:
        """Return how many requests a second it answers to a client that does nothing else."""
        body = json.dumps({"messages": [{"role": "user", "content": "x" * size}]}).encode()
        until = time.monotonic() + seconds
        done = 0

        async def one() -> None:
            nonlocal done
            while time.monotonic() < until:
                async with self._http.post(
                    f"{self.base_url}/chat/completions", data=body
                ) as response:
                    await response.read()
                done += 1

        began = time.monotonic()
        await asyncio.gather(*(one() for _ in range(clients)))
        return done / (time.monotonic() - began)

    async def _get(self, path: str, value: object = None) -> Any:  # noqa: ANN401 - it is JSON
        async with self._http.post(f"{self.origin}{path}", json=value) as response:
            return await response.json(content_type=None)


@asynccontextmanager
async def a_double() -> AsyncIterator[Double]:
    """Run the double in a process of its own."""
    async with a_process("-m", "bench.double") as process, aiohttp.ClientSession() as http:
        yield Double(http, int(await process.line()))
