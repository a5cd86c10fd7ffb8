"""A loopback server that answers as a model from a script: the half both model doubles share."""

import argparse
import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

from aiohttp import web


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call the model is to ask for; without an id the server makes one."""

    name: str
    arguments: str = "{}"
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of the history, in neither wire's shape."""

    role: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A legal request: what a script answers to, and what a test looks at."""

    system: str
    said: tuple[Said, ...]
    tools: tuple[str, ...]
    body: Mapping[str, object]
    raw: bytes
    headers: Mapping[str, str]

    @property
    def question(self) -> str:
        """What the user said last."""
        return next((said.text for said in reversed(self.said) if said.role == "user"), "")

    @property
    def since(self) -> tuple[Said, ...]:
        """What was said after the user's last words."""
        last = max((at for at, said in enumerate(self.said) if said.role == "user"), default=-1)
        return self.said[last + 1 :]

    @property
    def results(self) -> tuple[Said, ...]:
        """The results that came after the user's last words."""
        return tuple(said for said in self.since if said.role == "tool")


class Gate:
    """A place where an answer waits, and where a test can wait for it."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._open = asyncio.Event()

    async def reached(self) -> None:
        """Return once an answer stands before the gate."""
        await self._reached.wait()

    def open(self) -> None:
        """Let it go on."""
        self._open.set()

    async def passed(self) -> Literal[True]:
        """Stand before the gate until it is open."""
        self._reached.set()
        return await self._open.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the model is to say, and what is to go wrong with it.

    `cut` is a number of bytes, `hold` and `stall` work after `after` frames.
    """

    text: str | tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    stop: str | None = ""
    """The wire's own word, or ``tool_use``, ``length``, ``refusal`` in any; None for none."""
    tokens: tuple[int, int, int] = (11, 7, 0)
    """Input (cached included), output, cached."""
    cut: int | None = None
    hold: Gate | None = None
    stall: bool = False
    after: int = 2
    ends: bool = True
    """Whether the mark of the end (``[DONE]``, ``message_stop``) is sent."""
    frames: tuple[bytes, ...] = ()
    """Sent as they are, instead of all that."""

    @property
    def pieces(self) -> tuple[str, ...]:
        """The text as it is to be streamed."""
        if isinstance(self.text, tuple):
            return self.text
        words = self.text.split(" ")
        return tuple(word + " " for word in words[:-1]) + tuple(words[-1:]) if self.text else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """An HTTP answer that is no stream."""

    status: int = 200
    body: str | bytes = b""
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


Script = Callable[[Asked], Answer | Raw]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """Why a request is not legal, as the real API would say it."""

    message: str
    status: int = 400
    code: str = "invalid_request_error"


class ModelServer(ABC):
    """Checks each request, keeps it, and answers what the script says.

    *script* is a function of the request or a list of answers, one a request.
    """

    path: str
    key = "sk-test-key-of-the-double"

    def __init__(
        self,
        script: Script | Sequence[Answer | Raw],
        *,
        port: int = 0,
        pause: float = 0.0,
        models: frozenset[str] | None = None,
        listed: Sequence[Mapping[str, object]] | None = None,
    ) -> None:
        self._script = script if callable(script) else _one_by_one(script)
        self._port = port
        self._pause = pause
        self._models = models
        self.listed = listed
        """The rows of its list of models, as far as a test cares."""
        self._ended = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._ids = 0
        self.requests: list[Asked] = []
        self.complaints: list[Complaint] = []
        self.hung_up = asyncio.Event()
        """Set once a client has left in the middle of an answer."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._port}"

    @property
    @abstractmethod
    def base_url(self) -> str:
        """What a client of this API is to be given."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post(self.path, self._answer)
        app.router.add_routes(self.routes())
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._ended.set()
        assert self._runner is not None
        await self._runner.cleanup()

    def routes(self) -> Sequence[web.RouteDef]:
        """What else this API has, besides its one conversation."""
        return ()

    async def serve(self) -> None:
        """Print the base URL and answer until cancelled."""
        async with self:
            print(self.base_url, flush=True)  # noqa: T201 - for the process that started this one
            await asyncio.Event().wait()

    @abstractmethod
    def complaint(self, headers: Mapping[str, str], body: dict[str, object]) -> Complaint | None:
        """Say what is not legal about the request."""

    @abstractmethod
    def asked(self, body: Mapping[str, object], raw: bytes, headers: Mapping[str, str]) -> Asked:
        """Read a legal request."""

    @abstractmethod
    def stream(self, answer: Answer, asked: Asked) -> Iterator[bytes]:
        """Write an answer as the frames of a stream."""

    @abstractmethod
    def error(self, complaint: Complaint) -> bytes:
        """Write an error body."""

    def new_id(self, prefix: str) -> str:
        """Return an id that no answer of this server had before."""
        self._ids += 1
        return f"{prefix}{self._ids:024d}"

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = _object(raw)
        complaint = (
            Complaint(message="We could not parse the JSON body of your request.")
            if body is None
            else self.complaint(request.headers, body) or self._unknown(body)
        )
        if complaint is not None or body is None:
            assert complaint is not None
            self.complaints.append(complaint)
            text = self.error(complaint)
            return web.Response(status=complaint.status, body=text, content_type="application/json")
        asked = self.asked(body, raw, dict(request.headers))
        self.requests.append(asked)
        answer = self._script(asked)
        if isinstance(answer, Raw):
            return web.Response(
                status=answer.status,
                body=answer.body,
                headers={"content-type": answer.kind, **answer.headers},
            )
        try:
            return await self._send(request, answer, asked)
        except asyncio.CancelledError:
            self.hung_up.set()
            raise

    def _unknown(self, body: Mapping[str, object]) -> Complaint | None:
        if self._models is None or body["model"] in self._models:
            return None
        return Complaint(
            status=404,
            code="model_not_found",
            message=f"The model `{body['model']}` does not exist or you do not have access to it.",
        )

    async def _send(self, request: web.Request, answer: Answer, asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        sent = 0
        for at, frame in enumerate(answer.frames or self.stream(answer, asked)):
            if at == answer.after:
                await self._wait(answer)
            if answer.cut is not None and sent + len(frame) > answer.cut:
                await response.write(frame[: answer.cut - sent])
                await self._cut(request)
            await response.write(frame)
            sent += len(frame)
            if self._pause:
                await asyncio.sleep(self._pause)
        return response

    async def _cut(self, request: web.Request) -> None:
        """End the connection in the middle of a frame, as a crash of the server would."""
        assert request.transport is not None
        request.transport.abort()
        await self._ended.wait()

    async def _wait(self, answer: Answer) -> None:
        if answer.hold is None and not answer.stall:
            return
        tasks = [asyncio.create_task(self._ended.wait())]
        if answer.hold is not None:
            tasks.append(asyncio.create_task(answer.hold.passed()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()


def main(
    server: Callable[..., ModelServer], scripts: Mapping[str, Script], arguments: Sequence[str]
) -> None:
    """Run a double as a process of its own: it prints its base URL, then serves."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", choices=sorted(scripts), default="meeting")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two frames")
    chosen = parser.parse_args(arguments)
    double = server(scripts[chosen.script], port=chosen.port, pause=chosen.pause)
    asyncio.run(double.serve())


def _one_by_one(answers: Sequence[Answer | Raw]) -> Script:
    left = iter(answers)

    def script(_asked: Asked) -> Answer | Raw:
        return next(left, Raw(status=500, body=b'{"error": {"message": "the script has ended"}}'))

    return script


def _object(raw: bytes) -> dict[str, object] | None:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
