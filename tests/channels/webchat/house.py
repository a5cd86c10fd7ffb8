"""A served webchat channel with a fake bot behind it, and a client that reads frames."""

import asyncio
import json
import tempfile
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp

from bot.access.people import RecordedPeople
from bot.commands import BUILTIN
from bot.contracts.channel import ChannelParts, RouteSpec
from bot.contracts.media import Media
from bot.contracts.people import People
from bot.contracts.turn import Rank
from bot.http.server import HttpServer
from bot.markup.live import LiveMarkdown
from bot.media.folder import MediaFolder
from bot.workspace.given import GivenFiles
from channels.webchat.adapter import WebchatChannel
from tests.doubles.fake_gateway import FakeGateway
from tests.doubles.fake_setup import FakeSetup
from tests.doubles.memory_records import MemoryRecords


class HouseClock:
    """Real waiting, a wall clock and a monotonic one that a test can put forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 9, 30, tzinfo=UTC) + self.ahead

    def monotonic(self) -> float:
        return 1_000.0 + self.ahead.total_seconds()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class HouseIds:
    """Random ids."""

    def new(self) -> str:
        return uuid.uuid4().hex[:26]


class House:
    """The channel, its server, its bot, and ways in."""

    def __init__(
        self,
        channel: WebchatChannel,
        server: HttpServer,
        control_path: Path,
        records: MemoryRecords,
    ) -> None:
        self.channel = channel
        self.server = server
        self.control_path = control_path
        self.records = records
        self.gateway = FakeGateway()
        self.setup = FakeSetup()
        self.clock = HouseClock()
        self.people: People
        self.media: Media
        self.folder: Path
        self.listening: asyncio.Task[None]

    @property
    def url(self) -> str:
        return self.server.listens_at

    async def restart(self, port: int, *further: RouteSpec) -> None:
        """Serve again where it was served before."""
        routes = [*self.channel.routes(), *further]
        self.server = HttpServer(port=port, control_path=self.control_path, routes=routes)
        await self.server.start()

    async def code(self) -> str:
        return (await self.channel.new_link()).partition("#code=")[2]

    async def log_in(self, http: aiohttp.ClientSession, code: str | None = None) -> None:
        """Exchange a code, the owner's unless it is given; the session keeps the cookie."""
        async with http.post(
            f"{self.url}/auth",
            json={"code": code or await self.code()},
            headers={"X-Stonechat": "1", "Origin": self.url},
        ) as response:
            assert response.status == 204, await response.text()

    @asynccontextmanager
    async def invited(
        self, name: str, rank: Rank = Rank.MEMBER
    ) -> AsyncIterator[aiohttp.ClientSession]:
        """A browser of somebody who was let in and has opened their link."""
        _, link, _ = await self.channel.invite(name, rank)
        async with browser() as http:
            await self.log_in(http, link.partition("#code=")[2])
            yield http

    @asynccontextmanager
    async def page(
        self, *, after_seq: int | None = 0, conversation: str | None = None
    ) -> AsyncIterator["Client"]:
        """A socket of the owner's page; it has said hello unless told not to."""
        async with browser() as http:
            await self.log_in(http)
            async with self.socket(http, after_seq=after_seq, conversation=conversation) as client:
                yield client

    @asynccontextmanager
    async def socket(
        self,
        http: aiohttp.ClientSession,
        *,
        after_seq: int | None = 0,
        conversation: str | None = None,
    ) -> AsyncIterator["Client"]:
        """A socket of a browser that is signed in."""
        path = f"/ws/{conversation}" if conversation else "/ws"
        async with http.ws_connect(f"{self.url}{path}", headers={"Origin": self.url}) as socket:
            client = Client(socket)
            if after_seq is not None:
                await client.send({"type": "hello", "protocol": 1, "after_seq": after_seq})
                client.welcome = await client.until("welcome")
                client.open = await client.until("open")
            yield client


class Client:
    """Sends and reads frames; what was passed over stays in `seen`."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.seen: list[dict[str, Any]] = []
        self.welcome: dict[str, Any] = {}
        self.open: dict[str, Any] = {}

    async def send(self, frame: object) -> None:
        await self.socket.send_str(frame if isinstance(frame, str) else json.dumps(frame))

    async def say(
        self, text: str, *, message_id: str | None = None, attachments: Sequence[str] = ()
    ) -> str:
        message_id = message_id or str(uuid.uuid4())
        frame = {"type": "say", "id": message_id, "text": text, "attachments": list(attachments)}
        await self.send(frame)
        return message_id

    async def next(self) -> dict[str, Any]:
        message = await self.socket.receive(timeout=10)
        assert message.type is aiohttp.WSMsgType.TEXT, message
        frame: dict[str, Any] = json.loads(message.data)
        self.seen.append(frame)
        return frame

    async def until(self, kind: str, **fields: object) -> dict[str, Any]:
        """Read up to the first frame of that type and with those fields."""
        while True:
            frame = await self.next()
            if frame["type"] == kind and fields.items() <= frame.items():
                return frame


def a_parts(
    clock: HouseClock, records: MemoryRecords, folder: Path = Path("/nowhere")
) -> ChannelParts:
    """What a channel is built from, with people and a workspace of its own."""
    ids = HouseIds()
    workspace = folder / "workspace"
    if folder.exists():
        workspace.mkdir()
    return ChannelParts(
        clock=clock,
        ids=ids,
        records=records,
        people=RecordedPeople(records, clock, ids),
        media=MediaFolder(folder / "media", GivenFiles(workspace), clock, ids),
        live_document=LiveMarkdown,
        commands=BUILTIN,
    )


def browser() -> aiohttp.ClientSession:
    """A client that keeps cookies of addresses, as a browser does, and knows no proxy."""
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True), trust_env=False)


@asynccontextmanager
async def a_house(
    *,
    problem: str = "",
    public_url: str | None = None,
    trusted_proxies: Sequence[str] = (),
    with_setup: bool = True,
) -> AsyncIterator[House]:
    """Serve a channel on loopback until the context ends."""
    clock, records = HouseClock(), MemoryRecords()
    # Not under tmp_path: the path of a UNIX socket is short.
    with tempfile.TemporaryDirectory() as folder:
        parts = a_parts(clock, records, Path(folder))
        channel = WebchatChannel(parts)
        control_path = Path(folder) / "control.sock"
        server = HttpServer(
            port=0,
            control_path=control_path,
            routes=channel.routes(),
            public_url=public_url,
            trusted_proxies=trusted_proxies,
        )
        await server.start()
        house = House(channel, server, control_path, records)
        house.clock = clock
        house.media = parts.media
        house.folder = Path(folder)
        house.people = parts.people
        if with_setup:
            channel.offer_setup(house.setup)
            house.setup.on_used = lambda model: channel.introduce(
                address=house.url, model=model.model, problem=""
            )
        channel.introduce(address=server.address, model="demo", problem=problem, demo=True)
        listening = asyncio.create_task(channel.listen(house.gateway))
        house.listening = listening
        try:
            await asyncio.sleep(0)
            yield house
        finally:
            await channel.close()
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await house.server.close()
