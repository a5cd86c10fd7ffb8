"""The page and the terminal as a channel: what is sent needs no sending, it is read."""

import asyncio
from collections.abc import Sequence

from aiohttp import WSCloseCode, web

from bot.contracts.channel import Capabilities, ChannelParts, Gateway, RouteSpec
from bot.contracts.delivery import OnUnknown, Receipt
from bot.contracts.inbound import ConversationKey
from bot.contracts.reply import ReplyPayload, Target
from channels.webchat.auth import Logins
from channels.webchat.connection import About, Connection, ConnectionParts
from channels.webchat.lives import Lives
from channels.webchat.pace import Pace
from channels.webchat.places import ACCOUNT, CHANNEL_NAME, PAGE, TERMINAL
from channels.webchat.render import HtmlDialect
from channels.webchat.routes import Routes
from channels.webchat.websocket import Socket


class WebchatChannel:
    """The conversations that come over our own sockets."""

    name = CHANNEL_NAME
    account = ACCOUNT
    capabilities = Capabilities(repeat=OnUnknown.REPEAT, reads_the_store=True)
    dialect = HtmlDialect()

    def __init__(self, parts: ChannelParts) -> None:
        self._about = About()
        self._clock = parts.clock
        self._logins = Logins(parts.records, parts.clock)
        self._routes = Routes(self, self._logins, parts.clock)
        self._gateway: Gateway | None = None
        self._lives = Lives()
        self._paces = {key.conversation_id: Pace(parts.clock) for key in (PAGE, TERMINAL)}
        self._connections: set[Connection] = set()

    @property
    def about(self) -> About:
        """What the page may tell of the bot."""
        return self._about

    @property
    def gateway(self) -> Gateway | None:
        """The bot, while the channel listens."""
        return self._gateway

    def introduce(self, *, address: str, model: str, problem: str) -> None:
        """Say what the page may tell of the bot; the next connection is told."""
        self._about = About(address=address, model=model, problem=problem)

    async def listen(self, gateway: Gateway) -> None:
        """Follow the news for whoever watches, and take what is said, until cancelled.

        Then every reader is sent away; each comes back and goes on from its last line.
        """
        self._gateway = gateway
        try:
            await self._lives.follow(gateway)
        finally:
            self._gateway = None
            await self.close()

    async def send(self, target: Target, payload: ReplyPayload, *, nonce: str) -> Receipt:
        """Take the delivery as arrived: with its commit it is a line, and the page reads lines."""
        del target, payload
        return Receipt(message_ids=(nonce,), at=self._clock.now())

    async def close(self) -> None:
        """Send every reader away."""
        await asyncio.gather(
            *(each.close(WSCloseCode.GOING_AWAY, "The bot stops.") for each in self._connections)
        )

    def routes(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        return self._routes.specs()

    async def new_link(self) -> str:
        """Make a link to the page that works once, within ten minutes.

        The code stands in the fragment, which no browser sends to a server, so
        that it meets no log on its way.
        """
        return f"{self._about.address}/#code={await self._logins.new_code()}"

    async def forget(self, conversation: ConversationKey) -> None:
        """Delete a conversation, and tell whoever has it on the screen."""
        if self._gateway is not None:
            await self._gateway.forget(conversation)
        if live := self._lives.get(conversation):
            live.forget()

    async def converse(
        self, request: web.Request, conversation: ConversationKey
    ) -> web.StreamResponse:
        """Upgrade to a WebSocket and serve it to its end."""
        if self._gateway is None:
            return web.Response(status=503, text="The bot is starting; try again in a moment.")
        socket = Socket()
        if not socket.can_prepare(request):
            return web.Response(status=426, text="Here a WebSocket is spoken.")
        await socket.prepare(request)
        parts = ConnectionParts(
            gateway=self._gateway,
            live=self._lives.open(conversation),
            pace=self._paces[conversation.conversation_id],
            about=self._about,
            clock=self._clock,
        )
        connection = Connection(socket, parts)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)
        return socket
