"""One open socket: what it says goes in, what became a fact or news comes out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

from aiohttp import WSCloseCode, WSMsgType

from bot.contracts.channel import Accepted, Gateway
from bot.contracts.clock import Clock
from bot.contracts.errors import AttachmentRefused, BotError, StoreUnavailable
from bot.contracts.inbound import Attachment
from bot.contracts.ledger import Line
from bot.contracts.media import Media
from bot.contracts.turn import Rank, TurnId, TurnState
from channels.webchat.about import About
from channels.webchat.auth import Login
from channels.webchat.codec import encode, read_client
from channels.webchat.endings import ended_frame
from channels.webchat.errors import translate
from channels.webchat.ingest import ingest, source_of
from channels.webchat.listing import title_of
from channels.webchat.live import Live
from channels.webchat.outgoing import Outgoing, SlowReader
from channels.webchat.pace import Pace
from channels.webchat.places import name_of
from channels.webchat.protocol import (
    LONGEST_TEXT,
    PROTOCOL,
    AcceptedFrame,
    ClaimFrame,
    CommandOffer,
    ErrorFrame,
    HelloFrame,
    OpenFrame,
    PingFrame,
    PongFrame,
    PressFrame,
    RefusedFrame,
    SayFrame,
    ServerFrame,
    StopFrame,
    WelcomeFrame,
)
from channels.webchat.questions import Questions
from channels.webchat.threshold import ShutOut, Threshold
from channels.webchat.websocket import CLOSE_SECONDS, Socket

_FIRST_LINES: Final = 200
_RESUMED_LINES: Final = 5_000
_LOOK_SECONDS: Final = 1.0
"""News may be lost; a look into the store this often makes that a delay."""

_HEARD_SECONDS: Final = 0.05
"""How long a line that was heard may wait to be shown. Who said it has been told already, and to
look for it at once would be to read the store in the moment when its model is asked."""

_RETRY_SECONDS: Final = 3.0
WRONG_PROTOCOL: Final = 4406
"""Close code: the client speaks another version (4000 to 4999 are free for applications,
https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionParts:
    """What a connection is built from."""

    gateway: Gateway
    live: Live
    pace: Pace
    about: About
    login: Login
    media: Media
    threshold: Threshold
    clock: Clock
    commands: tuple[CommandOffer, ...] = ()


class Connection:
    """Serves one reader of one conversation."""

    def __init__(self, socket: Socket, parts: ConnectionParts) -> None:
        self._socket = socket
        self._gateway = parts.gateway
        self._live = parts.live
        self._pace = parts.pace
        self._about = parts.about.frame(owner=parts.login.is_owner)
        self._login = parts.login
        self._media = parts.media
        self._threshold = parts.threshold
        self._clock = parts.clock
        self._commands = parts.commands
        self._outgoing = Outgoing()
        self._questions = Questions(parts.gateway)
        self._cursor: int | None = None
        """The last line that was sent; None until the hello is answered."""
        self._open: set[TurnId] = set()
        """Turns whose end this reader is to be told."""
        self._may_have_ended = False
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Serve until one side ends it or the reader is too slow."""
        tasks = [asyncio.create_task(work) for work in (self._read(), self._write(), self._watch())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._live.detach(self)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        code, sentence = WSCloseCode.OK, ""
        try:
            for task in done:
                task.result()
        except SlowReader:
            code, sentence = WSCloseCode.TRY_AGAIN_LATER, "Too much is unread; come back for it."
        except StoreUnavailable:
            code, sentence = WSCloseCode.TRY_AGAIN_LATER, "The store cannot be read; come back."
        except ConnectionError:
            return
        await self.close(code, sentence)

    async def close(self, code: int, sentence: str) -> None:
        """End it, whether or not the other side still reads."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._socket.close(code=code, message=sentence.encode())
        except TimeoutError:
            self._socket.abort()

    def show(self, frame: ServerFrame) -> None:
        """Put a frame on its way."""
        self._outgoing.put(encode(frame))

    def introduce(self, about: About) -> None:
        """Tell the reader what is new of the bot, if it is anything a reader is told."""
        known, self._about = self._about, about.frame(owner=self._login.is_owner)
        if self._about != known:
            self.show(self._about)

    def expect(self, turn_id: TurnId) -> None:
        """Look into the store soon, for the line that began a turn; its end is to be told, too."""
        self._open.add(turn_id)
        asyncio.get_running_loop().call_later(_HEARD_SECONDS, self._news.set)

    def look(self, turn_id: TurnId | None = None) -> None:
        """Look into the store soon, for new lines and for the ends of turns."""
        if turn_id is not None:
            self._open.add(turn_id)
        self._may_have_ended = True
        self._news.set()

    async def _write(self) -> None:
        while True:
            await self._socket.send_str(await self._outgoing.get())

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is WSMsgType.TEXT:
                await self._take(message.data)
            elif message.type is WSMsgType.BINARY:
                self.show(ErrorFrame(reason="A frame is JSON in a text message."))

    async def _take(self, text: str) -> None:
        try:
            frame = read_client(text)
        except (ValueError, RecursionError) as error:
            self.show(ErrorFrame(reason=translate(error)))
            return
        match frame:
            case PingFrame():
                self.show(PongFrame())
            case HelloFrame():
                await self._hello(frame)
            case SayFrame() | StopFrame() | PressFrame():
                await self._receive(frame)
            case _:
                assert_never(frame)

    async def _hello(self, hello: HelloFrame) -> None:
        """Tell all that happened since the reader's last line, then everything as it happens.

        From `attach` on no news is missed, and the look that follows it finds
        what became a line before.
        """
        if hello.protocol != PROTOCOL:
            await self.close(
                WRONG_PROTOCOL, f"Protocol {PROTOCOL} is spoken here; reload the page."
            )
            return
        if self._cursor is not None:
            self.show(ErrorFrame(reason="There was a hello before."))
            return
        cursor = await self._catch_up(hello.after_seq)
        records = await self._gateway.open_turns(self._live.conversation)
        self._live.attach(self)
        self.show(
            OpenFrame(
                turns=tuple(
                    self._live.picture(
                        record.turn.id,
                        "running" if record.turn.state is TurnState.RUNNING else "queued",
                    )
                    for record in records
                )
            )
        )
        self._open.update(record.turn.id for record in records)
        self._cursor = cursor
        self.look()

    async def _catch_up(self, after_seq: int | None) -> int:
        """Welcome the reader, send the lines it has not, and return the seq of the last."""
        listed = await self._gateway.conversation(self._live.conversation)
        anew = bool(after_seq and (listed is None or listed.first_seq > after_seq))
        if anew:
            after_seq = 0
        limit = _RESUMED_LINES if after_seq else _FIRST_LINES
        lines = await self._lines(after_seq or 0, 1 if after_seq is None else limit)
        seq = lines[-1].seq if lines else after_seq or 0
        await self._send(
            WelcomeFrame(
                conversation=name_of(self._live.conversation),
                seq=seq,
                model=self._about.model,
                problem=self._about.problem,
                setup=self._about.setup,
                rank=self._login.rank.name.lower(),
                name=self._login.name or None,
                commands=self._commands,
                earlier=len(lines) == limit,
                title=title_of(listed) if listed else None,
                anew=anew,
            )
        )
        if after_seq is not None:
            for line in lines:
                await self._send(await self._questions.line(line))
        return seq

    async def _receive(self, frame: ClaimFrame) -> None:
        if self._cursor is None:
            self.show(ErrorFrame(reason="The first frame is hello."))
        elif refusal := self._refusal(frame):
            self.show(refusal)
        else:
            try:
                await self._threshold.carry(self._login.person_id, self._answer(frame))
            except ShutOut:
                self.show(RefusedFrame(id=frame.id, reason="You were signed out."))

    def _refusal(self, frame: ClaimFrame) -> RefusedFrame | None:
        if isinstance(frame, SayFrame):
            if not frame.text.strip() and not frame.attachments:
                return RefusedFrame(id=frame.id, reason="The message is empty.")
            if len(frame.text) > LONGEST_TEXT:
                found, most = f"{len(frame.text):,}", f"{LONGEST_TEXT:,}"
                reason = f"The message has {found} characters; at most {most} are taken."
                return RefusedFrame(id=frame.id, reason=reason)
        if wait := self._pace.take():
            reason = "More than 20 messages came in ten seconds; this one must wait."
            return RefusedFrame(id=frame.id, reason=reason, retry=round(wait + 0.1, 1))
        return None

    async def _answer(self, frame: ClaimFrame) -> None:
        self.show(await self._accept(frame))

    async def _accept(self, frame: ClaimFrame) -> AcceptedFrame | RefusedFrame:
        """Take a message over. One that was before is ours still, though its files may be gone."""
        try:
            accepted = await self._handed_over(frame)
        except AttachmentRefused as error:
            return RefusedFrame(id=frame.id, reason=str(error))
        except BotError as error:
            return RefusedFrame(id=frame.id, reason=str(error), retry=_RETRY_SECONDS)
        self._open.add(accepted.turn_id)
        return AcceptedFrame(id=frame.id, seq=accepted.seq, turn=accepted.turn_id)

    async def _handed_over(self, frame: ClaimFrame) -> Accepted:
        here, now = self._live.conversation, self._clock.now()
        try:
            files = await self._files(frame)
        except AttachmentRefused:
            before = await self._gateway.accepted(here, source_of(frame.id))
            if before is None:
                raise
            return before
        inbound = ingest(frame, here, self._login.sender, now, files)
        return (await self._gateway.receive(inbound))[0]

    async def _files(self, frame: ClaimFrame) -> tuple[Attachment, ...]:
        """Give the message its files. Where tools find them is told to whoever has such tools."""
        if not isinstance(frame, SayFrame) or not frame.attachments:
            return ()
        files = await self._media.claim(
            self._live.conversation, frame.attachments, sender=self._login.sender.id
        )
        if self._login.rank >= Rank.ADMIN:
            return files
        return tuple(replace(file, path="") for file in files)

    async def _watch(self) -> None:
        """Send new lines and the ends of turns: soon after news of them, and every second."""
        while True:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._news.wait()
            except TimeoutError:
                self._may_have_ended = True
            self._news.clear()
            if self._cursor is None:
                continue
            try:
                for line in await self._lines(self._cursor, _RESUMED_LINES):
                    await self._send(await self._questions.line(line))
                    self._cursor = line.seq
                for change in await self._questions.changes():
                    await self._send(change)
                if self._may_have_ended:
                    await self._send_ends()
            except StoreUnavailable:
                continue

    async def _lines(self, after: int, limit: int) -> Sequence[Line]:
        return await self._gateway.lines(self._live.conversation, after=after, limit=limit)

    async def _send_ends(self) -> None:
        self._may_have_ended = False
        for turn_id in tuple(self._open):
            record = await self._gateway.turn(turn_id)
            if record is None:
                self._open.discard(turn_id)
            elif record.outcome is not None:
                self._open.discard(turn_id)
                here = self._live.conversation
                ended = await ended_frame(self._gateway, here, record, record.outcome)
                await self._send(ended)

    async def _send(self, frame: ServerFrame) -> None:
        await self._outgoing.put_patiently(encode(frame))
