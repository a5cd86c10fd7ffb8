"""The terminal's end of the control socket: it survives a bot that is killed and comes back."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote
from uuid import uuid4

import aiohttp

from bot.contracts.errors import BotError
from channels.webchat.codec import encode, read_server
from channels.webchat.protocol import (
    LARGEST_FRAME,
    LONGEST_TEXT,
    NAME_HEADER,
    PROTOCOL,
    AcceptedFrame,
    EndedFrame,
    HelloFrame,
    LineFrame,
    RefusedFrame,
    SayFrame,
    ServerFrame,
    StopFrame,
    WelcomeFrame,
)

_AUTHORITY: Final = "http://stonechat"
"""A name for the sake of HTTP; the connection goes to the socket."""

_PATIENCE_SECONDS: Final = 60.0
"""How long a bot may be away, killed and started again, before it counts as gone."""

_SHORTEST_WAIT: Final = 0.05
_LONGEST_WAIT: Final = 0.2
_REPEAT_SECONDS: Final = 3.0
_CREATED: Final = 201
_LARGEST_ANSWER: Final = 16 * 1024 * 1024


class NotAttached(BotError):
    """The person at the terminal must act: a file cannot be read, or is not taken."""


class BotGone(BotError):
    """The person at the terminal must act: the bot does not answer any more."""


def why_not(text: str) -> str | None:
    """Say why the bot would never take *text*, or None (pure)."""
    if not text.strip():
        return "there is nothing to say"
    if len(text) > LONGEST_TEXT:
        return f"{len(text):,} characters are too many; at most {LONGEST_TEXT:,} are taken"
    if len(encode(SayFrame(id=str(uuid4()), text=text)).encode()) > LARGEST_FRAME:
        return f"the text is too long; at most {LARGEST_FRAME:,} bytes are taken"
    return None


async def is_answered(control_path: Path) -> bool:
    """Whether a running bot listens on the control socket."""
    try:
        _, writer = await asyncio.open_unix_connection(control_path)
    except OSError:
        return False
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return True


@asynccontextmanager
async def control(control_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    """Open an HTTP session whose every request goes to the control socket."""
    connector = aiohttp.UnixConnector(path=str(control_path))
    async with aiohttp.ClientSession(
        _AUTHORITY, connector=connector, trust_env=False, timeout=aiohttp.ClientTimeout(total=None)
    ) as http:
        yield http


@dataclass(slots=True)
class _Claim:
    """Something said, and the turn it became, once it was accepted."""

    frame: SayFrame | StopFrame
    turn: str | None = None


class Talk:
    """One conversation with the bot, over as many connections as it takes.

    What was said is said again, with its id, on every new connection until its
    turn has ended: the bot takes it once, and tells each time what became of it.
    """

    def __init__(self, http: aiohttp.ClientSession, *, patience: float = _PATIENCE_SECONDS) -> None:
        self._http = http
        self._patience = patience
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._claims: dict[str, _Claim] = {}
        self._cursor: int | None = None

    async def say(self, text: str, attachments: Sequence[str] = ()) -> str:
        """Say something, now or on the next connection, and return its id."""
        frame = SayFrame(id=str(uuid4()), text=text, attachments=tuple(attachments) or None)
        return await self._claim(frame)

    async def attach(self, path: Path) -> str:
        """Send a file for a message that will name it, and return its id.

        Raises:
            NotAttached: the bot does not take it, or it cannot be read.
        """
        try:
            with path.open("rb") as file:
                headers = {
                    NAME_HEADER: quote(path.name),
                    "Content-Type": "application/octet-stream",
                }
                async with self._http.post("/files", data=file, headers=headers) as response:
                    answer = await response.text()
        except OSError as error:
            reason = error.strerror or "the bot does not answer"
            raise NotAttached(f"{path}: {reason.lower()}") from None
        except aiohttp.ClientError:
            raise NotAttached(f"{path}: the bot did not take it") from None
        if response.status != _CREATED:
            raise NotAttached(f"{path}: {answer}")
        return str(json.loads(answer)["id"])

    async def stop(self) -> str:
        """Ask to stop what runs, now or on the next connection, and return its id."""
        return await self._claim(StopFrame(id=str(uuid4())))

    async def frames(self) -> AsyncGenerator[ServerFrame, None]:
        """Give out what the bot sends, in order, over every connection.

        Raises:
            BotGone: it could not be reached for as long as patience lasts.
        """
        while True:
            self._socket = await self._connect()
            try:
                await self._repeat(every=True)
                async for frame in self._received(self._socket):
                    self._note(frame)
                    yield frame
            finally:
                await self._socket.close()

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        wait = _SHORTEST_WAIT
        try:
            async with asyncio.timeout(self._patience):
                while True:
                    try:
                        socket = await self._http.ws_connect("/ws", max_msg_size=_LARGEST_ANSWER)
                        hello = HelloFrame(protocol=PROTOCOL, after_seq=self._cursor)
                        await socket.send_str(encode(hello))
                    except (aiohttp.ClientError, OSError):
                        await asyncio.sleep(wait)
                        wait = min(wait * 2, _LONGEST_WAIT)
                    else:
                        return socket
        except TimeoutError:
            sentence = f"the bot has not answered for {self._patience:g} seconds; is it running?"
            raise BotGone(sentence) from None

    async def _received(
        self, socket: aiohttp.ClientWebSocketResponse
    ) -> AsyncIterator[ServerFrame]:
        """Give out frames until the connection ends; repeat what is not accepted meanwhile."""
        loop = asyncio.get_running_loop()
        repeat_at = loop.time() + _REPEAT_SECONDS
        while True:
            try:
                message = await socket.receive(timeout=max(0.1, repeat_at - loop.time()))
            except TimeoutError:
                await self._repeat(every=False)
                repeat_at = loop.time() + _REPEAT_SECONDS
                continue
            if message.type is not aiohttp.WSMsgType.TEXT:
                return
            yield read_server(message.data)

    async def _claim(self, frame: SayFrame | StopFrame) -> str:
        self._claims[frame.id] = _Claim(frame)
        await self._write(frame)
        return frame.id

    async def _repeat(self, *, every: bool) -> None:
        for claim in tuple(self._claims.values()):
            if every or claim.turn is None:
                await self._write(claim.frame)

    async def _write(self, frame: SayFrame | StopFrame) -> None:
        """Send *frame* if there is a connection; the next one repeats what this one loses."""
        if self._socket is not None:
            with suppress(ConnectionError, aiohttp.ClientError):
                await self._socket.send_str(encode(frame))

    def _note(self, frame: ServerFrame) -> None:
        match frame:
            case WelcomeFrame(seq=seq) if self._cursor is None:
                self._cursor = seq
            case LineFrame(seq=seq):
                self._cursor = seq
            case AcceptedFrame(id=claimed, turn=turn) if claimed in self._claims:
                self._claims[claimed].turn = turn
            case RefusedFrame(id=claimed, retry=None):
                self._claims.pop(claimed, None)
            case EndedFrame(turn=turn):
                over = [claimed for claimed, claim in self._claims.items() if claim.turn == turn]
                for claimed in over:
                    del self._claims[claimed]
            case _:
                pass
