"""The addresses of files: sent before the message that names them, fetched to be shown."""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Final
from urllib.parse import quote, unquote

from aiohttp import ClientError, web
from pydantic import TypeAdapter

from bot.contracts.channel import Gateway, Mount, RouteSpec
from bot.contracts.clock import Clock
from bot.contracts.errors import AttachmentRefused
from bot.contracts.inbound import Attachment, ConversationKey
from bot.contracts.media import LARGEST_FILE, Media
from bot.contracts.text import clean
from channels.webchat.auth import OWNER, Login
from channels.webchat.bodies import pieces_of
from channels.webchat.entrance import NO_CONVERSATION, Entrance
from channels.webchat.lines import attached_file
from channels.webchat.places import TERMINAL, conversation_in
from channels.webchat.protocol import NAME_HEADER, AttachedFile

_PIECE: Final = 64 * 1024
_SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What a page may show by itself: pictures in which nothing can run. All else is downloaded."""

_SEALED: Final = "default-src 'none'; sandbox"
"""For whoever opens a file by its address: nothing in it runs, nothing is loaded."""

_NO_FILE: Final = "There is no such file."
_NO_LENGTH: Final = "A file is sent with its Content-Length."
_STOPPED: Final = "The file stopped coming; send it again."


class FileRoutes:
    """Takes files of whoever holds a login, and gives them back to nobody else."""

    def __init__(self, entrance: Entrance, media: Media, clock: Clock) -> None:
        self._entrance = entrance
        self._media = media
        self._clock = clock

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        one = "/conversations/{name}/files/{file}"
        guarded = self._entrance.guarded
        routes: list[tuple[Mount, str, str, Callable[..., Awaitable[web.StreamResponse]]]] = [
            (Mount.WEB, "POST", "/conversations/{name}/files", guarded(self.take)),
            (Mount.WEB, "GET", one, guarded(self.show)),
            (Mount.WEB, "DELETE", one, guarded(self.discard)),
            (Mount.CONTROL, "POST", "/files", self.take_from_terminal),
        ]
        return [
            RouteSpec(mount=mount, method=method, path=path, handler=handler)
            for mount, method, path, handler in routes
        ]

    async def take(self, _gateway: Gateway, login: Login, request: web.Request) -> web.Response:
        """Keep a file for a message that will name it."""
        conversation = conversation_in(login.place, request.match_info["name"])
        if conversation is None:
            return web.Response(status=404, text=NO_CONVERSATION)
        return await self._take(conversation, request)

    async def take_from_terminal(self, request: web.Request) -> web.StreamResponse:
        """Keep a file for the terminal's conversation."""

        async def take(_: Gateway, __: Login, request: web.Request) -> web.StreamResponse:
            return await self._take(TERMINAL, request)

        return await self._entrance.answered(take, OWNER, request)

    async def show(
        self, _gateway: Gateway, login: Login, request: web.Request
    ) -> web.StreamResponse:
        """Give a file back: a picture to be shown, anything else to be downloaded."""
        conversation = conversation_in(login.place, request.match_info["name"])
        name = request.match_info["file"]
        stored = None if conversation is None else await self._media.find(conversation, name)
        if stored is None:
            return web.Response(status=404, text=_NO_FILE)
        file = stored.attachment
        shown = file.media_type in _SHOWN
        disposition = "inline" if shown else "attachment"
        headers = {
            "Content-Type": file.media_type if shown else "application/octet-stream",
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{quote(file.name, safe='')}",
            "Content-Security-Policy": _SEALED,
        }
        return web.FileResponse(stored.path, chunk_size=_PIECE, headers=headers)

    async def discard(self, _gateway: Gateway, login: Login, request: web.Request) -> web.Response:
        """Drop a file that no message names."""
        if conversation := conversation_in(login.place, request.match_info["name"]):
            await self._media.discard(conversation, request.match_info["file"])
        return web.Response(status=204)

    async def _take(self, conversation: ConversationKey, request: web.Request) -> web.Response:
        """Look at what the headers say before a byte of the body is read."""
        size = request.content_length
        if size is None:
            return web.Response(status=411, text=_NO_LENGTH)
        name = clean(unquote(request.headers.get(NAME_HEADER, ""), errors="replace"))
        try:
            pieces = pieces_of(request, size, self._clock)
            file = await self._media.take(conversation, name, size, pieces)
        except AttachmentRefused as error:
            return web.Response(status=413 if size > LARGEST_FILE else 400, text=str(error))
        except (TimeoutError, ClientError, ConnectionError):
            return web.Response(status=408, text=_STOPPED)
        return web.Response(status=201, text=_written(file), content_type="application/json")


@cache
def _file() -> TypeAdapter[AttachedFile]:
    return TypeAdapter(AttachedFile)


def _written(file: Attachment) -> str:
    return _file().dump_json(attached_file(file)).decode()
