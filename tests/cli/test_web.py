"""Letting people in and shutting them out, as real processes, with a proxy in front."""

import asyncio
import re
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from bot.cli import Exit
from bot.cli.web import invitation
from channels.webchat.people_routes import Invited, PersonRow
from tests.channels.webchat.house import Client, browser
from tests.doubles.bot_process import BotProcess
from tests.doubles.clock import START
from tests.doubles.commands import Commands
from tests.doubles.reverse_proxy import ReverseProxy, a_reverse_proxy

NAME = "chat.example.org"
_CONFIG = f"http: {{public_url: 'https://{NAME}', trusted_proxies: [127.0.0.1]}}\n"


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def upstream(commands: Commands) -> str:
    """Where the bot says that it listens."""
    found = re.search(r"listens +(http://\S+),", (commands.folder / "bot.log").read_text())
    assert found is not None
    return found[1]


async def sign_in(proxy: ReverseProxy, link: str) -> str:
    """Open a link in a browser behind the proxy; return the cookie it has then."""
    async with (
        browser() as http,
        http.post(
            f"http://127.0.0.1:{proxy.port}/auth",
            json={"code": link.partition("#code=")[2]},
            headers={"Host": NAME, "Origin": f"https://{NAME}", "X-Stonechat": "1"},
        ) as answer,
    ):
        assert answer.status == 204, await answer.text()
        return answer.headers["Set-Cookie"].partition(";")[0]


def page(
    http: aiohttp.ClientSession, proxy: ReverseProxy, cookie: str
) -> AbstractAsyncContextManager[aiohttp.ClientWebSocketResponse]:
    return http.ws_connect(
        f"http://127.0.0.1:{proxy.port}/ws",
        headers={"Host": NAME, "Origin": f"https://{NAME}", "Cookie": cookie},
    )


async def test_somebody_is_let_in_through_the_proxy_talks_and_is_shut_out(
    commands: Commands,
) -> None:
    commands.configure(_CONFIG)
    bot, say = BotProcess(commands.home), partial(asyncio.to_thread, commands.say)
    await bot.start()
    try:
        invited = await say("web", "invite", "Änna B.", "--rank", "member")
        link = re.search(rf"https://{NAME}/#code=\S+", invited.out)
        assert link is not None, invited
        async with a_reverse_proxy(upstream(commands)) as proxy, browser() as http:
            cookie = await sign_in(proxy, link[0])
            async with page(http, proxy, cookie) as socket:
                turn = await talk(Client(socket))
                listed = await say("web", "list")
                revoked = await say("web", "revoke", "änna b.")
                message = await last(socket)
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with page(http, proxy, cookie):
                    pass
        traced = await say("trace", turn)
        assert "shut out" in (await say("web", "list")).out
        assert "nobody who is let in" in (await say("web", "revoke", "Änna B.")).err
    finally:
        assert await bot.stop() == Exit.DONE

    assert listed.out.split("\t")[:3] == ["Änna B.", "member", "here now"]
    assert "Änna B. is shut out" in revoked.out
    assert (message.type, refused.value.status) == (aiohttp.WSMsgType.CLOSE, 401)
    assert "a member here" in traced.out
    written = (commands.home / "logs" / "stonechat.log").read_text()
    assert link[0].partition("#code=")[2] not in written
    assert cookie.partition("=")[2] not in written


async def last(socket: aiohttp.ClientWebSocketResponse) -> aiohttp.WSMessage:
    """Read to the end: the line of an answer may come after its end was told."""
    while (message := await socket.receive(timeout=10)).type is aiohttp.WSMsgType.TEXT:
        pass
    return message


async def talk(client: Client) -> str:
    """Ask something as a member, be answered, and return the turn's id."""
    await client.send({"type": "hello", "protocol": 1, "after_seq": 0})
    welcome = await client.until("welcome")
    assert (welcome["name"], welcome["rank"]) == ("Änna B.", "member")
    await client.until("open")
    await client.say("read notes/meeting.md and list the three things I have to do")
    ended = await client.until("ended")
    assert ended["outcome"] == "answered"
    return str(ended["turn"])


def test_without_a_bot_nobody_is_let_in_or_out(commands: Commands) -> None:
    for arguments in (("invite", "Anna"), ("list",), ("revoke", "Anna")):
        said = commands.say("web", *arguments, STONECHAT_COMMAND="script/run")

        assert said.code == Exit.FAILED
        assert said.err == (
            "stonechat: the bot does not run, and lets nobody in or out; "
            "start it with `script/run run`\n"
        )


async def test_what_cannot_be_is_one_sentence(commands: Commands) -> None:
    bot = BotProcess(commands.home)
    await bot.start()
    try:
        owner = await asyncio.to_thread(commands.say, "web", "invite", "Eve", "--rank", "owner")
        nameless = await asyncio.to_thread(commands.say, "web", "invite", "\u202e")
    finally:
        await bot.stop()

    assert owner.code == nameless.code == Exit.FAILED
    assert "nobody becomes owner by invitation" in owner.err
    assert "a letter or a number" in nameless.err
    assert len(owner.err.splitlines()) == len(nameless.err.splitlines()) == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - refused
def test_no_option_opens_it_to_others_without_a_public_name(commands: Commands, host: str) -> None:
    """O5."""
    said = commands.say("run", "--host", host, "--port", "0")

    assert said.code == Exit.CONFIG
    assert "`http.public_url` set" in said.err


def test_who_comes_back_and_who_cannot_be_reached_is_said() -> None:
    row = PersonRow(id="1", name="Anna\u202e", rank="guest", since=START)
    first = invitation(Invited(person=row, link="https://a.example/#code=x", returns=False))
    back = invitation(Invited(person=row, link="http://127.0.0.1:7870/#code=x", returns=True))

    assert "\u202e" not in first
    assert "was here before" not in first
    assert "http.public_url" not in first
    assert "was here before" in back
    assert "http.public_url" in back
