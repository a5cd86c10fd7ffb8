"""The page and the terminal as a channel: what is sent needs no sending, it is read."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from aiohttp import WSCloseCode, web

from bot.contracts.channel import Capabilities, ChannelParts, Gateway, RouteSpec
from bot.contracts.delivery import OnUnknown, Receipt
from bot.contracts.errors import StoreUnavailable
from bot.contracts.inbound import ConversationKey, Sender
from bot.contracts.people import Person
from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.setup import Setup
from bot.contracts.turn import Rank
from channels.webchat.about import About
from channels.webchat.auth import INVITATION_LASTS, Login, Logins
from channels.webchat.connection import Connection, ConnectionParts
from channels.webchat.door import Door
from channels.webchat.ingest import ingest
from channels.webchat.lives import Lives
from channels.webchat.offers import offers
from channels.webchat.pace import Pace
from channels.webchat.places import ACCOUNT, CHANNEL_NAME, OWNER_ID, PAGE, place_of
from channels.webchat.protocol import StopFrame
from channels.webchat.render import HtmlDialect
from channels.webchat.routes import Routes
from channels.webchat.threshold import Threshold
from channels.webchat.websocket import Socket

_log = logging.getLogger(__name__)

_MOST_OPEN: Final = 32
"""Sockets of one person who is not the owner: more tabs than anybody looks at."""

_SWEEP_SECONDS: Final = 3_600.0
_SIGNED_OUT: Final = "You were signed out."


class WebchatChannel:
    """The conversations that come over our own sockets."""

    name = CHANNEL_NAME
    account = ACCOUNT
    capabilities = Capabilities(repeat=OnUnknown.REPEAT, reads_the_store=True)
    dialect = HtmlDialect()
    owner_place = Target(
        channel=PAGE.channel, account=PAGE.account, conversation_id=PAGE.conversation_id
    )

    def __init__(self, parts: ChannelParts) -> None:
        self._about = About()
        self._clock = parts.clock
        self._ids = parts.ids
        self._logins = Logins(parts.records, parts.clock)
        self._people = parts.people
        self._media = parts.media
        self._commands = parts.commands
        self._threshold = Threshold()
        door = Door(self._logins, parts.people, parts.clock)
        self._routes = Routes(self, door, parts.media, parts.clock)
        self._gateway: Gateway | None = None
        self._setup: Setup | None = None
        self._lives = Lives(parts.live_document)
        self._paces: dict[str, Pace] = {}
        self._connections: dict[Connection, str] = {}
        """Every open socket, and whose it is."""

    @property
    def about(self) -> About:
        """What the page may tell of the bot."""
        return self._about

    @property
    def gateway(self) -> Gateway | None:
        """The bot, while the channel listens."""
        return self._gateway

    @property
    def setup(self) -> Setup | None:
        """What can be seen and set up, once the bot is built."""
        return self._setup

    @property
    def owners_place(self) -> tuple[ConversationKey, str]:
        """The owner's first conversation on the page, and the sender id they have there."""
        return PAGE, OWNER_ID

    def offer_setup(self, setup: Setup) -> None:
        """Show the owner what *setup* has."""
        self._setup = setup

    def introduce(self, *, address: str, model: str, problem: str, demo: bool = False) -> None:
        """Say what the page may tell of the bot; whoever reads is told what is new."""
        self._about = About(address=address, model=model, problem=problem, demo=demo)
        for connection in self._connections:
            connection.introduce(self._about)

    async def listen(self, gateway: Gateway) -> None:
        """Follow the news for whoever watches, and take what is said, until cancelled.

        Then every reader is sent away; each comes back and goes on from its last line.
        """
        self._gateway = gateway
        sweeping = asyncio.create_task(self._sweep(), name="sweep files")
        try:
            await self._lives.follow(gateway)
        finally:
            sweeping.cancel()
            self._gateway = None
            await self.close()

    async def _sweep(self) -> None:
        """Drop files that no message named, now and every hour."""
        while True:
            try:
                await self._media.sweep()
            except StoreUnavailable as error:
                _log.warning("files not swept: %s", error)
            await self._clock.sleep(_SWEEP_SECONDS)

    async def send(self, target: Target, payload: ReplyPayload, *, nonce: str) -> Receipt:
        """Take the delivery as arrived: with its commit it is a line, and the page reads lines."""
        del target, payload
        return Receipt(message_ids=(nonce,), at=self._clock.now())

    async def close(self) -> None:
        """Send every reader away."""
        await asyncio.gather(
            *(each.close(WSCloseCode.GOING_AWAY, "The bot stops.") for each in [*self._connections])
        )

    def routes(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        return self._routes.specs()

    async def new_link(self) -> str:
        """Make a link to the page that works once, within ten minutes.

        The code stands in the fragment, which no browser sends to a server, so
        that it meets no log on its way.
        """
        return self._link(await self._logins.new_code())

    @property
    def is_served(self) -> bool:
        """Whether a browser can reach the page."""
        return bool(self._about.address)

    async def invite(self, name: str, rank: Rank) -> tuple[Person, str, bool]:
        """Let somebody in; return who, the link, and whether they were shut out before.

        Of the links that one person was given, only the last one works. Whose rank is another
        now is sent away, and comes back with it.

        Raises:
            NotInvited: the name or the rank cannot be, or there are too many people.
        """
        every = {one.id: one for one in await self._people.every(CHANNEL_NAME)}
        person = await self._people.invite(CHANNEL_NAME, name, rank)
        before = every.get(person.id, person)
        self._threshold.open(person.id)
        if returns := not before.may_enter:
            await self._logins.end(person.id)
        elif before.rank is not person.rank:
            await self._send_away(person, WSCloseCode.GOING_AWAY, "Your rank has changed.")
        await self._logins.end_codes(person.id)
        code = await self._logins.new_code(person.id, lasts=INVITATION_LASTS)
        return person, self._link(code), returns

    async def revoke(self, name: str) -> Person:
        """Shut somebody out: no login, link or open page of theirs counts from now on.

        What of theirs is being taken over is waited for; what waits and runs for them is then
        stopped in their own name, as long as they have one here: nobody is left to read the
        answer. When this returns, nothing of theirs is taken over any more.

        Raises:
            NotInvited: nobody who is let in has that name.
        """
        person = await self._people.find(CHANNEL_NAME, name)
        try:
            await self._logins.end(person.id)
            await self._threshold.shut(person.id)
            await self._send_away(person, WSCloseCode.POLICY_VIOLATION, _SIGNED_OUT)
            if self._gateway is not None:
                await self._stop_all(self._gateway, person)
            person = await self._people.revoke(CHANNEL_NAME, name)
        except BaseException:
            self._threshold.open(person.id)
            raise
        await self._send_away(person, WSCloseCode.POLICY_VIOLATION, _SIGNED_OUT)
        return person

    async def _send_away(self, person: Person, code: int, sentence: str) -> None:
        await asyncio.gather(
            *(
                connection.close(code, sentence)
                for connection, person_id in [*self._connections.items()]
                if person_id == person.id
            )
        )

    async def _stop_all(self, gateway: Gateway, person: Person) -> None:
        for listed in await gateway.conversations(place_of(person.id)):
            if await gateway.open_turns(listed.key):
                stop = StopFrame(id=self._ids.new())
                sender = Sender(id=person.id, display_name=person.name)
                await gateway.receive(ingest(stop, listed.key, sender, self._clock.now()))

    async def people(self) -> Sequence[tuple[Person, bool]]:
        """Return everybody, each with whether a page of theirs is open."""
        online = set(self._connections.values())
        every = await self._people.every(CHANNEL_NAME)
        return [(person, person.id in online) for person in every]

    async def _is_still_in(self, login: Login) -> bool:
        """Whether somebody was not shut out between the door and here."""
        if login.is_owner:
            return True
        try:
            return await self._people.get(CHANNEL_NAME, login.person_id) is not None
        except StoreUnavailable:
            return False

    def _link(self, code: str) -> str:
        return f"{self._about.address}/#code={code}"

    async def forget(self, conversation: ConversationKey) -> None:
        """Delete a conversation, and tell whoever has it on the screen.

        Its files go first: if this is cut off, what is left can be seen and deleted again.
        """
        await self._media.forget(conversation)
        if self._gateway is not None:
            await self._gateway.forget(conversation)
        if live := self._lives.get(conversation):
            live.forget()

    async def converse(
        self, request: web.Request, conversation: ConversationKey, login: Login
    ) -> web.StreamResponse:
        """Upgrade to a WebSocket and serve it to its end."""
        if self._gateway is None:
            return web.Response(status=503, text="The bot is starting; try again in a moment.")
        open_now = sum(person_id == login.person_id for person_id in self._connections.values())
        if open_now >= _MOST_OPEN and not login.is_owner:
            return web.Response(status=429, text="Too many pages are open; close some of them.")
        socket = Socket()
        if not socket.can_prepare(request):
            return web.Response(status=426, text="Here a WebSocket is spoken.")
        await socket.prepare(request)
        parts = ConnectionParts(
            gateway=self._gateway,
            live=self._lives.open(conversation),
            pace=self._paces.setdefault(conversation.conversation_id, Pace(self._clock)),
            about=self._about,
            login=login,
            media=self._media,
            threshold=self._threshold,
            clock=self._clock,
            commands=offers(self._commands, login.rank),
        )
        connection = Connection(socket, parts)
        self._connections[connection] = login.person_id
        try:
            if not await self._is_still_in(login):
                await connection.close(WSCloseCode.POLICY_VIOLATION, _SIGNED_OUT)
            else:
                await connection.run()
        finally:
            del self._connections[connection]
        return socket
