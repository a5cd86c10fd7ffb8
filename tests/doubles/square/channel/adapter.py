"""The square as a channel: several sockets that bring events, and one request a send."""

import asyncio
import logging

import aiohttp

from bot.contracts.channel import Capabilities, ChannelParts, Gateway
from bot.contracts.delivery import OnUnknown, Receipt
from bot.contracts.errors import StoreUnavailable
from bot.contracts.reply import ReplyPayload, Target
from tests.doubles.square.channel import errors
from tests.doubles.square.channel.ingest import ACCOUNT, ingest
from tests.doubles.square.channel.render import SquareDialect
from tests.doubles.square.channel.settings import SquareSettings

_log = logging.getLogger(__name__)
_AWAY_SECONDS = 0.1


class SquareChannel:
    """One bot's account on the square."""

    name = "square"
    account = ACCOUNT
    capabilities = Capabilities(repeat=OnUnknown.REPEAT)
    dialect = SquareDialect()

    def __init__(self, settings: SquareSettings, parts: ChannelParts) -> None:
        self._settings = settings
        self._clock = parts.clock
        self._http: aiohttp.ClientSession | None = None

    async def listen(self, gateway: Gateway) -> None:
        """Take what every socket brings, each in its order, until cancelled."""
        async with asyncio.TaskGroup() as sockets:
            for _ in range(self._settings.connections):
                sockets.create_task(self._stay_connected(gateway))

    async def _stay_connected(self, gateway: Gateway) -> None:
        while True:
            try:
                async with self._session().ws_connect("/bot/stream") as socket:
                    await self._take_all(socket, gateway)
            except (aiohttp.ClientError, TimeoutError) as error:
                _log.info("the square is away: %s", type(error).__name__)
            await self._clock.sleep(_AWAY_SECONDS)

    async def _take_all(self, socket: aiohttp.ClientWebSocketResponse, gateway: Gateway) -> None:
        me = str((await socket.receive_json())["me"])
        async for frame in socket:
            envelope = frame.json()
            inbound = ingest(envelope["event"], me)
            if inbound is None:
                kind = envelope["event"].get("kind")
                _log.warning("an event of kind %r has no id and was dropped at the door", kind)
            else:
                try:
                    await gateway.receive(inbound)
                except StoreUnavailable:
                    continue  # not acknowledged: it comes again
            await socket.send_json({"ack": envelope["envelope"]})

    async def send(self, target: Target, payload: ReplyPayload, *, nonce: str) -> Receipt:
        """Post one message. The square gives the same message back for the same nonce."""
        thread, reply_to = target.thread_id, target.reply_to
        body: dict[str, object] = {
            "conversation": int(target.conversation_id),
            "thread": None if thread is None else int(thread),
            "text": self.dialect.render(payload.body),
            "reply_to": int(reply_to) if reply_to and reply_to.isdigit() else None,
            "nonce": nonce,
            "allowed_mentions": [],
        }
        try:
            async with self._session().post("/bot/messages", json=body) as response:
                if not response.ok:
                    raise errors.of_status(
                        response.status, await response.text(), response.headers.get("Retry-After")
                    )
                sent = await response.json()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise errors.of_failure(error) from error
        return Receipt(message_ids=(str(sent["id"]),), at=self._clock.now())

    async def close(self) -> None:
        """Let go of the connection."""
        if self._http is not None:
            await self._http.close()

    def _session(self) -> aiohttp.ClientSession:
        if self._http is None or self._http.closed:
            self._http = aiohttp.ClientSession(
                self._settings.url,
                headers={"Authorization": f"Bearer {self._settings.token}"},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=None),
            )
        return self._http
