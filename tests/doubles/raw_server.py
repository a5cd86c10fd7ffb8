"""A server that says exactly the bytes a test wants, and counts what reaches it."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Self

Play = Callable[["Visit"], Awaitable[None]]


class Visit:
    """One request on one connection; `number` counts the server's requests from 1."""

    def __init__(self, number: int, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self.head = head
        self.body = body
        self._writer = writer

    async def say(self, *pieces: bytes) -> None:
        """Send the pieces, each in a packet of its own as far as a sender can tell."""
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()
            await asyncio.sleep(0)

    async def stream(self, *frames: bytes, headers: bytes = b"") -> None:
        """Answer with a whole event stream, after which the connection may be used again."""
        kind = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
        await self.say(kind + headers + b"transfer-encoding: chunked\r\n\r\n")
        await self.say(*map(chunked, frames), b"0\r\n\r\n")

    def hang_up(self) -> None:
        """Close the connection, politely."""
        self._writer.close()

    def break_off(self) -> None:
        """Close the connection as a crash would."""
        self._writer.transport.abort()


def chunked(data: bytes) -> bytes:
    """Wrap *data* as one chunk of HTTP/1.1."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class RawServer:
    """``async with RawServer(play) as server``: *play* is called with each request."""

    def __init__(self, play: Play, *, certificate: ssl.SSLContext | None = None) -> None:
        self._play = play
        self._certificate = certificate
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.visits: list[Visit] = []
        self.left = asyncio.Event()
        """Set once a client has hung up."""

    @property
    def origin(self) -> str:
        assert self._server is not None
        scheme = "http" if self._certificate is None else "https"
        return f"{scheme}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._welcome, "127.0.0.1", 0, ssl=self._certificate, backlog=1024
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                _, _, length = head.lower().partition(b"content-length:")
                body = await reader.readexactly(int(length.split(b"\r\n", 1)[0] or 0))
                visit = Visit(len(self.visits) + 1, head, body, writer)
                self.visits.append(visit)
                await self._play(visit)
        except (asyncio.IncompleteReadError, OSError):
            self.left.set()
        finally:
            writer.close()
            self._tasks.discard(task)
