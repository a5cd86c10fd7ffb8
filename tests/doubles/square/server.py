"""The square's server: strict with the bot, and at the test's command.

A bot connects to ``/bot/stream`` (a WebSocket, as often as it likes; it is told who it is, then
given envelopes that it acknowledges; what it did not acknowledge comes again on the next socket)
and says things by ``POST /bot/messages``. Events of one conversation come over one socket, in
order; a redelivery may come over any, at the same time.
"""

import asyncio
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Self

from aiohttp import WSMsgType, web

from tests.doubles.square.people import Message, Person, Place

TOKEN = "square-token-0123456789"
LONGEST = 2_000
_PATIENCE_SECONDS = 60.0
_FIELDS = {"conversation", "thread", "text", "reply_to", "nonce", "allowed_mentions"}
_BIG = 9_007_199_254_740_993
"""Ids begin behind 2**53, where a number that passes through a float is another one."""


@dataclass(eq=False)
class _Socket:
    """One connection of the bot, and what it has not acknowledged yet."""

    ws: web.WebSocketResponse
    sent: dict[int, dict[str, Any]] = field(default_factory=dict)


class Square:
    """``async with Square() as square``: people say things, and the bot answers or does not."""

    def __init__(self) -> None:
        self._ids = itertools.count(_BIG)
        self._rooms = itertools.count(1)
        self._envelopes = itertools.count(1)
        self._sockets: list[_Socket] = []
        self._undelivered: list[dict[str, Any]] = []
        self._news = asyncio.Condition()
        self._places: dict[int, Place] = {}
        self._gone: set[int] = set()
        self._closed_to_bot: set[int] = set()
        self._sending: set[asyncio.Future[None]] = set()
        self.me = Person(id=next(self._ids), name="Stonechat", is_bot=True)
        self.messages: list[Message] = []
        """Everything, in order, of people and of the bot."""
        self.refusals: list[str] = []
        """What the bot sent and was refused."""
        self.echoes = False
        """Whether the bot is shown what it says itself, as some platforms do."""
        self.offline = 0
        """The HTTP status that every send meets; 0 takes them."""

    # What a test does.

    def person(self, name: str, *, number: int | None = None, roles: Sequence[int] = ()) -> Person:
        """Somebody joins the square."""
        return Person(
            id=next(self._ids) if number is None else number, name=name, roles=tuple(roles)
        )

    def bot(self, name: str) -> Person:
        """Another bot joins the square."""
        return Person(id=next(self._ids), name=name, is_bot=True)

    def direct(self, person: Person) -> Place:
        """Return the direct chat of *person* and our bot; it is the same each time."""
        return Place(id=person.id + 1_000_000, kind="direct", title=person.name)

    def room(self, title: str, *, space: int | None = None, kind: str = "room") -> Place:
        """Open a room; rooms have negative ids, as big as they come."""
        return Place(id=-(2**62) - next(self._rooms), kind=kind, title=title, space=space)

    def thread(self, room: Place) -> Place:
        """Open a thread in *room*."""
        return replace(room, thread=next(self._ids))

    def say(
        self,
        who: Person,
        where: Place,
        text: str,
        *,
        mention: bool = False,
        reply_to: Message | None = None,
        files: Sequence[Mapping[str, Any]] = (),
        album: str | None = None,
        without_id: bool = False,
    ) -> Message:
        """Let *who* say something; the bot is told at once, or as soon as it comes."""
        number = next(self._ids)
        body = {
            "id": None if without_id else number,
            "text": f"<@{self.me.id}> {text}" if mention else text,
            "mentions": [self.me.id] if mention else [],
            "reply_to": reply_to and {"id": reply_to.id, "author": reply_to.author.id},
            "album": album,
            "files": list(files),
        }
        event = self._event("message", who, where, message=body)
        if without_id:
            del event["id"]
        message = Message(id=number, place=where, author=who, text=text, event=event)
        self.messages.append(message)
        self._deliver(event)
        return message

    def album(self, who: Person, where: Place, text: str, names: Sequence[str]) -> list[Message]:
        """Let *who* send several files at once: one event each, the words with the first."""
        group = f"album-{next(self._ids)}"
        return [
            self.say(who, where, text if first else "", files=[_file(name)], album=group)
            for name, first in zip(names, [True, *[False] * len(names)], strict=False)
        ]

    def edit(self, message: Message, text: str, *, version: int = 2) -> None:
        """Let its author change a message."""
        body = message.event["message"] | {"text": text, "version": version}
        self._deliver(self._event("edit", message.author, message.place, message=body))

    def delete(self, message: Message, *, by: Person | None = None) -> None:
        """Let its author, or a moderator, take a message away."""
        event = self._event("delete", by or message.author, message.place)
        self._deliver(event | {"message": {"id": message.id}})

    def react(self, who: Person, message: Message, emoji: str) -> None:
        """Let *who* put an emoji under a message."""
        event = self._event("reaction", who, message.place, emoji=emoji)
        self._deliver(event | {"message": {"id": message.id}})

    def press(self, who: Person, message: Message, value: str) -> None:
        """Let *who* press a button under a message, whoever it was meant for."""
        event = self._event("button", who, message.place, value=value)
        self._deliver(event | {"message": {"id": message.id}})

    def command(self, who: Person, where: Place, name: str, rest: str = "") -> None:
        """Let *who* use one of the bot's slash commands."""
        self._deliver(self._event("command", who, where, name=name, rest=rest))

    def move(self, room: Place, by: Person) -> Place:
        """Give *room* another id; return it as it is now."""
        moved = replace(room, id=-(2**62) - 1_000_000 - next(self._rooms))
        self._gone.add(room.id)
        self._deliver(self._event("moved", by, moved, former_id=room.id))
        return moved

    def delete_thread(self, thread: Place, by: Person) -> None:
        """Take a thread away: nothing can be said in it any more."""
        self._gone.add(thread.thread or 0)
        self._deliver(self._event("thread_deleted", by, thread))

    def shut(self, place: Place) -> None:
        """Let the bot write there no more."""
        self._closed_to_bot.add(place.id)

    def again(self, message: Message, times: int = 1) -> None:
        """Bring the event of *message* again, over all sockets at the same time, *times* over."""
        for _ in range(times):
            self._deliver(message.event, anywhere=True)

    # What a test sees.

    def said_in(self, place: Place) -> list[str]:
        """What the bot has said there so far."""
        return [message.text for message in self._bots(place)]

    async def shown(self, place: Place, count: int = 1) -> list[str]:
        """Wait until the bot has said *count* messages there; return all it said there."""
        await self.until(lambda: len(self._bots(place)) >= count)
        return self.said_in(place)

    async def settled(self) -> None:
        """Wait until the bot has acknowledged everything that happened."""
        await self.until(
            lambda: (
                bool(self._sockets)
                and not self._undelivered
                and not any(socket.sent for socket in self._sockets)
            )
        )

    async def connected(self, count: int = 1) -> None:
        """Wait until the bot listens over *count* sockets."""
        await self.until(lambda: len(self._sockets) >= count)

    def last(self, place: Place) -> Message:
        """The bot's latest message there."""
        return self._bots(place)[-1]

    @property
    def pings(self) -> list[str]:
        """Whom the bot woke up."""
        return [ping for message in self.messages for ping in message.pings]

    def section(self, **rules: object) -> dict[str, object]:
        """What stands below ``channels.square:`` in the settings of its bot."""
        return {
            "type": "tests.doubles.square.channel",
            "url": self.url,
            "token": TOKEN,
            "connections": "3",
            **rules,
        }

    # What the bot meets.

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024)
        app.add_routes(
            [web.get("/bot/stream", self._stream), web.post("/bot/messages", self._post)]
        )
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(socket.ws.close() for socket in [*self._sockets]))
        await self._runner.cleanup()

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        _authorised(request)
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        await ws.send_json({"me": self.me.id})
        socket = _Socket(ws)
        self._sockets.append(socket)
        waiting, self._undelivered = self._undelivered, []
        for event in waiting:
            self._deliver(event)
        await self._changed()
        try:
            async for frame in ws:
                if frame.type is WSMsgType.TEXT:
                    socket.sent.pop(frame.json()["ack"], None)
                    await self._changed()
        finally:
            self._sockets.remove(socket)
            for event in socket.sent.values():
                self._deliver(event)
            await self._changed()
        return ws

    async def _post(self, request: web.Request) -> web.Response:
        _authorised(request)
        body = await request.json()
        if self.offline:
            return web.Response(status=self.offline, text="not now")
        refusal = self._refusal(body)
        if refusal is not None:
            status, sentence = refusal
            self.refusals.append(f"{status} {sentence}")
            return web.Response(status=status, text=sentence)
        before = next((one for one in self.messages if one.nonce == body["nonce"]), None)
        if before is None:
            before = self._take(body)
            await self._changed()
        return web.json_response({"id": before.id})

    def _refusal(self, body: Mapping[str, Any]) -> tuple[int, str] | None:
        """Say why a message of the bot is not taken."""
        if set(body) != _FIELDS or not isinstance(body["conversation"], int):
            return 400, f"the fields are {sorted(_FIELDS)}"
        text = body["text"]
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST:
            return 400, f"a text has 1 to {LONGEST} characters"
        if not body["nonce"]:
            return 400, "a nonce is needed"
        if body["conversation"] in self._gone or body["thread"] in self._gone:
            return 410, "it is gone"
        if body["conversation"] in self._closed_to_bot:
            return 403, "you may not write here"
        return None if body["conversation"] in self._places else (404, "no such conversation")

    def _take(self, body: Mapping[str, Any]) -> Message:
        place = replace(self._places[body["conversation"]], thread=body["thread"])
        allowed = body["allowed_mentions"]
        named = re.findall(r"@(everyone)|<@(-?\d+)>", body["text"])
        pings = tuple(who for pair in named for who in pair if who and who in map(str, allowed))
        message = Message(
            id=next(self._ids),
            place=place,
            author=self.me,
            text=body["text"],
            reply_to=body["reply_to"],
            nonce=body["nonce"],
            pings=pings,
        )
        self.messages.append(message)
        if self.echoes:
            echo = {"id": message.id, "text": message.text, "mentions": [], "files": []}
            self._deliver(self._event("message", self.me, place, message=echo))
        return message

    # Between the two.

    def _bots(self, place: Place) -> list[Message]:
        here = (place.id, place.thread)
        return [
            one
            for one in self.messages
            if one.author is self.me and (one.place.id, one.place.thread) == here
        ]

    def _event(self, kind: str, who: Person, where: Place, **more: object) -> dict[str, Any]:
        self._places[where.id] = where
        return {
            "id": f"Ev{next(self._ids)}",
            "kind": kind,
            "at": datetime.now(UTC).isoformat(),
            "person": who.wire,
            "conversation": where.wire,
            **more,
        }

    def _deliver(self, event: dict[str, Any], *, anywhere: bool = False) -> None:
        """Send it over the conversation's socket, or over each; without one, keep it."""
        if not self._sockets:
            self._undelivered.append(event)
            return
        mine = self._sockets[event["conversation"]["id"] % len(self._sockets)]
        for socket in self._sockets if anywhere else [mine]:
            number = next(self._envelopes)
            socket.sent[number] = event
            sending = asyncio.ensure_future(_send(socket.ws, number, event))
            self._sending.add(sending)
            sending.add_done_callback(self._sending.discard)

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something is *true* of what the square sees."""
        async with asyncio.timeout(_PATIENCE_SECONDS), self._news:
            await self._news.wait_for(true)

    async def _changed(self) -> None:
        async with self._news:
            self._news.notify_all()


async def _send(ws: web.WebSocketResponse, number: int, event: Mapping[str, Any]) -> None:
    """Bring an event; who has just gone gets it on the next socket."""
    with suppress(ConnectionResetError):
        await ws.send_json({"envelope": number, "event": event})


def _authorised(request: web.Request) -> None:
    if request.headers.get("Authorization") != f"Bearer {TOKEN}":
        raise web.HTTPUnauthorized(text="who are you?")


def _file(name: str) -> dict[str, object]:
    return {"id": f"file-{name}", "name": name, "type": "image/png", "size": 1_024}
