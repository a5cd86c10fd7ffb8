"""Who connected, by the word of the kernel."""

import os
import socket

from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from bot.http.peer import peer_uid, same_user_only


def test_both_ends_of_a_pair_are_us() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert peer_uid(ours) == os.geteuid()


class AnotherUser:
    """A socket whose peer runs as somebody else."""

    def getsockopt(self, level: int, option: int, size: int) -> bytes:
        del level, option, size
        return (4242).to_bytes(4, "little") * 3


async def test_another_user_is_refused_and_the_same_one_is_let_through() -> None:
    """O1: even if the rights of the file were lost."""

    async def inside(_request: web.Request) -> web.Response:
        return web.Response(text="inside")

    class Transport:
        def __init__(self, sock: object) -> None:
            self.sock = sock

        def get_extra_info(self, name: str, default: object = None) -> object:
            return self.sock if name == "socket" else default

    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        for sock, expected in ((AnotherUser(), 403), (ours, 200), (None, 403)):
            request = make_mocked_request("GET", "/", transport=Transport(sock))
            assert (await same_user_only(request, inside)).status == expected
