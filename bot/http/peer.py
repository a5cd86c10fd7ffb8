"""Who is at the other end of a UNIX socket, by the word of the kernel."""

import os
import socket
import struct
import sys
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

_LOCAL_PEERCRED: Final = 0x001
"""macOS: struct xucred of ``sys/ucred.h``, asked for at level 0 (SOL_LOCAL)."""


@web.middleware
async def same_user_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse everybody but the user this process runs as."""
    sock = request.get_extra_info("socket")
    if sock is None or peer_uid(sock) != os.geteuid():
        return web.Response(status=403, text="This socket serves the user who runs the bot.")
    return await handler(request)


def peer_uid(sock: socket.socket) -> int:
    """Return the user id of the process that connected.

    ``SO_PEERCRED`` gives pid, uid and gid (https://man7.org/linux/man-pages/man7/unix.7.html).
    """
    if sys.platform == "linux":
        credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, uid, _ = struct.unpack("3i", credentials)
    else:
        credentials = sock.getsockopt(0, _LOCAL_PEERCRED, 76)
        _, uid = struct.unpack_from("Ii", credentials)
    return int(uid)
