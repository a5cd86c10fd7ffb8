import asyncio
import gzip
import json
import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Final

import pytest

from bot.contracts.errors import (
    ContextOverflow,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    RequestRefused,
)
from bot.contracts.messages import AssistantMessage, UserMessage
from bot.contracts.model import ModelParts, ModelRequest, ModelTimeouts, SystemPrompt, TextDelta
from bot.models import open_model
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer
from tests.doubles.raw_server import Play, RawServer, Visit, chunked
from tests.models.rig import HELLO, StillClock

CERTIFICATE: Final = Path(__file__).parents[1] / "doubles/self_signed.pem"
ASK: Final = """
import asyncio, sys
from bot.contracts.errors import ModelError
from bot.contracts.messages import UserMessage
from bot.contracts.model import ModelParts, ModelRequest, SystemPrompt
from bot.contracts.secret import Secret
from bot.models import open_model
from tests.models.rig import StillClock

async def ask(base_url, key):
    parts = ModelParts(model="m", clock=StillClock(), base_url=base_url, key=Secret(key))
    model = open_model("openai", parts)
    request = ModelRequest(system=SystemPrompt(stable="x"), messages=(UserMessage(text="hi"),))
    try:
        print([event async for event in model.stream(request)][-1].text)
    except ModelError as error:
        print(error)
    await model.close()

asyncio.run(ask(*sys.argv[1:]))
"""


def word(text: str, finish: str | None = None) -> bytes:
    choice = {"delta": {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


HELLO_FRAMES: Final = (word("hel"), word("lo", "stop"), b"data: [DONE]\n\n")


class Caller:
    """A model in front of a raw server."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack

    async def meets(
        self, play: Play, *, connect: float = 5.0, certificate: ssl.SSLContext | None = None
    ) -> RawServer:
        server = RawServer(play, certificate=certificate)
        await self._stack.enter_async_context(server)
        timeouts = ModelTimeouts(connect_seconds=connect, first_seconds=30, idle_seconds=30)
        parts = ModelParts(
            model="m", clock=StillClock(), base_url=f"{server.origin}/v1", timeouts=timeouts
        )
        self.model = open_model("openai", parts)
        self._stack.push_async_callback(self.model.close)
        return server

    async def hears(self, request: ModelRequest = HELLO) -> str:
        last = [event async for event in self.model.stream(request)][-1]
        assert isinstance(last, AssistantMessage)
        return last.text

    async def fails(self) -> ModelError:
        with pytest.raises(ModelError) as caught:
            await self.hears()
        return caught.value


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    async with AsyncExitStack() as stack:
        yield Caller(stack)


async def says_hello(visit: Visit) -> None:
    await visit.stream(*HELLO_FRAMES)


async def test_a_connection_is_used_again(caller: Caller) -> None:
    server = await caller.meets(says_hello)

    assert [await caller.hears(), await caller.hears()] == ["hello", "hello"]
    assert (server.connections, len(server.visits)) == (1, 2)


async def test_one_that_the_server_closed_meanwhile_is_not(caller: Caller) -> None:
    async def play(visit: Visit) -> None:
        await says_hello(visit)
        visit.hang_up()

    server = await caller.meets(play)
    first = await caller.hears()
    await server.left.wait()

    assert (first, await caller.hears()) == ("hello", "hello")
    assert (server.connections, len(server.visits)) == (2, 2)


@pytest.mark.parametrize("how", ["hang_up", "break_off"])
async def test_a_request_that_may_have_arrived_is_not_sent_again(caller: Caller, how: str) -> None:
    async def play(visit: Visit) -> None:
        if visit.number == 1:
            await says_hello(visit)
        else:
            getattr(visit, how)()

    server = await caller.meets(play)
    await caller.hears()

    assert isinstance(await caller.fails(), ModelDisconnected)
    assert len(server.visits) == 2


async def test_as_many_as_turns_may_run_are_asked_at_once(caller: Caller) -> None:
    everybody = asyncio.Event()

    async def play(visit: Visit) -> None:
        if visit.number == 128:
            everybody.set()
        await everybody.wait()
        await says_hello(visit)

    await caller.meets(play)

    assert await asyncio.gather(*(caller.hears() for _ in range(128))) == ["hello"] * 128


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_takes_the_request_or_the_key_elsewhere(
    caller: Caller, status: int
) -> None:
    async def never(visit: Visit) -> None:
        raise AssertionError(visit.head)

    async with RawServer(never) as elsewhere:

        async def play(visit: Visit) -> None:
            place = elsewhere.origin.encode()
            await visit.say(
                b"HTTP/1.1 %d Away\r\nlocation: %s/v1/chat/completions\r\n"
                b"content-length: 0\r\n\r\n" % (status, place)
            )

        await caller.meets(play)

        assert isinstance(await caller.fails(), ModelUnavailable)
        assert elsewhere.connections == 0


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param((chunked(HELLO_FRAMES[0]),), id="between two events"),
        pytest.param((chunked(HELLO_FRAMES[0])[:20],), id="within a chunk"),
        pytest.param((b"zz\r\n",), id="a chunk without a size"),
    ],
)
@pytest.mark.parametrize("how", ["hang_up", "break_off"])
async def test_a_body_that_breaks_off_is_no_answer(
    caller: Caller, pieces: tuple[bytes, ...], how: str
) -> None:
    async def play(visit: Visit) -> None:
        await visit.say(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", *pieces)
        getattr(visit, how)()

    server = await caller.meets(play)

    assert isinstance(await caller.fails(), ModelDisconnected)
    assert len(server.visits) == 1


async def test_a_body_shorter_than_it_was_said_to_be_is_no_answer(caller: Caller) -> None:
    async def play(visit: Visit) -> None:
        await visit.say(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", HELLO_FRAMES[0])
        visit.hang_up()

    await caller.meets(play)

    assert isinstance(await caller.fails(), ModelDisconnected)


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 99999 ?\r\n\r\n", b""])
async def test_what_is_no_http_is_no_answer(caller: Caller, answer: bytes) -> None:
    async def play(visit: Visit) -> None:
        await visit.say(answer)
        visit.hang_up()

    await caller.meets(play)

    assert isinstance(await caller.fails(), ModelDisconnected)


async def test_a_body_without_a_length_ends_with_the_connection(caller: Caller) -> None:
    async def play(visit: Visit) -> None:
        await visit.say(b"HTTP/1.1 200 OK\r\n\r\n", *HELLO_FRAMES)
        visit.hang_up()

    await caller.meets(play)

    assert await caller.hears() == "hello"


async def test_a_compressed_stream_is_read_as_it_comes(caller: Caller) -> None:
    rest = asyncio.Event()

    async def play(visit: Visit) -> None:
        first, *others = (gzip.compress(frame) for frame in HELLO_FRAMES)
        await visit.say(
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
            chunked(first),
        )
        await rest.wait()
        await visit.say(*map(chunked, others), b"0\r\n\r\n")

    server = await caller.meets(play)

    async with aclosing(caller.model.stream(HELLO)) as events:  # type: ignore[type-var]  # it is one
        assert await anext(events) == TextDelta(text="hel")
        rest.set()
        assert await anext(events) == TextDelta(text="lo")
    assert b"gzip" in server.visits[0].head.lower()


async def test_characters_and_events_that_packets_cut_are_whole(caller: Caller) -> None:
    whole = word("世界 😀", "stop").replace(b"\n", b"\r\n")
    text = b'data: {"choices":\r\ndata: [{"delta": {"content": "\xe4\xb8\x96"}}]}\r\n\r\n'

    async def play(visit: Visit) -> None:
        stream = b": hello\r\n\r\n" + text + whole
        await visit.stream(*(stream[at : at + 3] for at in range(0, len(stream), 3)))

    await caller.meets(play)

    assert await caller.hears() == "世世界 😀"


async def test_a_large_request_arrives_whole(caller: Caller) -> None:
    server = await caller.meets(says_hello)
    text = "x" * 3_000_000
    request = ModelRequest(system=SystemPrompt(stable="x"), messages=(UserMessage(text=text),))

    assert await caller.hears(request) == "hello"
    assert json.loads(server.visits[0].body)["messages"][1]["content"] == text


async def test_a_large_header_is_no_fault(caller: Caller) -> None:
    async def play(visit: Visit) -> None:
        await visit.stream(*HELLO_FRAMES, headers=b"x-long: " + b"x" * 30_000 + b"\r\n")

    await caller.meets(play)

    assert await caller.hears() == "hello"


async def test_no_more_of_an_error_is_read_than_explains_it(caller: Caller) -> None:
    async def play(visit: Visit) -> None:
        await visit.say(b"HTTP/1.1 400 No\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await visit.say(chunked(b"no, " * 4096))

    server = await caller.meets(play)

    error = await caller.fails()

    assert isinstance(error, RequestRefused)
    assert len(str(error)) < 500
    await server.left.wait()


async def test_an_error_that_breaks_off_is_still_told(caller: Caller) -> None:
    async def play(visit: Visit) -> None:
        await visit.say(b"HTTP/1.1 413 Large\r\ncontent-length: 99\r\n\r\ntoo lar")
        visit.break_off()

    await caller.meets(play)

    assert isinstance(await caller.fails(), ContextOverflow)


async def test_one_who_does_not_shake_hands_is_not_waited_for(caller: Caller) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    server = await caller.meets(says_hello, connect=0.05)
    parts = ModelParts(
        model="m",
        clock=StillClock(),
        base_url=server.origin.replace("http:", "https:"),
        timeouts=ModelTimeouts(connect_seconds=0.05),
    )
    model = open_model("openai", parts)

    with pytest.raises(ModelUnavailable, match="did not take the connection in time"):
        _ = [event async for event in model.stream(HELLO)]
    await model.close()
    assert server.visits == []


async def test_a_certificate_that_nobody_vouches_for_ends_it_before_the_key_is_sent(
    caller: Caller,
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    server = await caller.meets(says_hello, certificate=context)

    error = await caller.fails()

    assert isinstance(error, ModelUnavailable)
    assert "its certificate is not trusted" in str(error)
    assert server.visits == []


async def test_a_server_without_tls_is_said_to_have_none(caller: Caller) -> None:
    server = await caller.meets(says_hello)
    parts = ModelParts(
        model="m", clock=StillClock(), base_url=server.origin.replace("http:", "https:")
    )
    model = open_model("openai", parts)

    with pytest.raises(ModelUnavailable, match="cannot reach OpenAI at https"):
        _ = [event async for event in model.stream(HELLO)]
    await model.close()


async def asked(base_url: str, **environ: str) -> str:
    """Ask from another process, which has that environment, and return what it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ASK, base_url, FakeOpenAI.key,
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    return out.decode().strip()


async def test_a_store_of_ones_own_vouches_for_ones_own_server() -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    async with RawServer(says_hello, certificate=context) as server:
        said = await asked(f"{server.origin}/v1", SSL_CERT_FILE=str(CERTIFICATE))

    assert said == "hello"


async def test_a_server_on_this_machine_needs_no_certificates_to_be_read() -> None:
    read = "import bot.trust\nprint(bot.trust._read.cache_info().currsize)"
    async with FakeOpenAI([Answer(text="hello")]) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", f"{ASK}\n{read}", server.base_url, server.key),
            stdout=subprocess.PIPE,
        )
        out, _ = await process.communicate()

    assert out.decode().split() == ["hello", "0"]


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_a_server_elsewhere_is_asked_through_the_proxy(name: str) -> None:
    async with FakeOpenAI([Answer(text="hello")]) as server:
        said = await asked("http://models.test/v1", **{name: server.origin})

    assert said == "hello"


async def test_a_proxy_of_another_kind_is_named() -> None:
    said = await asked("http://models.test/v1", ALL_PROXY="socks5://127.0.0.1:9")

    assert "the proxy in the environment is a socks5 proxy" in said
