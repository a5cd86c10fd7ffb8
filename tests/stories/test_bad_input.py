"""What is wrong from outside: one clear sentence to whoever must act, nothing lost, no hanging.

A disk without room is in `tests/stories/test_full_disk.py`; what a program says that cannot even
start is in `tests/cli/`.
"""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest

from bot.cli import Exit
from bot.clock import SystemClock
from bot.contracts.model import ModelParts, ModelTimeouts
from bot.contracts.secret import Secret
from bot.contracts.turn import OutcomeKind
from bot.models import open_model
from tests.channels.webchat.house import Client, browser
from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.commands import Commands, Said
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Call, Raw
from tests.doubles.rig import a_rig

WHOLE = Answer(text="Here is the whole answer.")


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def environ(server: FakeOpenAI, **changed: str) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": server.key, "OPENAI_BASE_URL": server.base_url} | changed


async def ask(commands: Commands, server: FakeOpenAI, *arguments: str, **changed: str) -> Said:
    """Ask without a running bot, as a person does who has just set it up."""
    return await asyncio.to_thread(
        commands.say, "ask", *arguments, "hello", **environ(server, **changed)
    )


def is_one_sentence(said: Said) -> bool:
    return said.out == "" and said.err.count("\n") == 1 and "Traceback" not in said.err


@pytest.mark.parametrize(
    ("script", "changed", "sentence", "asked"),
    [
        pytest.param(
            [WHOLE],
            {"OPENAI_API_KEY": "sk-wrong"},
            "refused the key (401): check that it is whole",
            1,
            id="a wrong key",
        ),
        pytest.param(
            [Raw(body="<!doctype html><p>Welcome", kind="text/html")],
            {},
            "a web page instead of a model's words (200): check base_url",
            1,
            id="HTML",
        ),
        pytest.param(
            [WHOLE],
            {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
            "http://127.0.0.1:9/v1: nothing listens there; check that it runs there",
            0,
            id="a server that is down",
        ),
        pytest.param(
            [Answer(text="only half of the answer", cut=700)] * 3,
            {},
            "broke before the answer was whole",
            3,
            id="a server that hangs up each time",
        ),
    ],
)
async def test_a_model_that_cannot_be_asked_is_a_notice_and_exit_1(
    commands: Commands,
    script: list[Answer | Raw],
    changed: Mapping[str, str],
    sentence: str,
    asked: int,
) -> None:
    async with FakeOpenAI(script) as server:
        said = await ask(commands, server, **changed)

    assert said.code == Exit.FAILED
    assert sentence in said.err
    assert is_one_sentence(said)
    assert "sk-" not in said.err
    assert len(server.requests) + len(server.complaints) == asked


async def test_a_model_that_can_be_asked_is_an_answer_and_exit_0(commands: Commands) -> None:
    async with FakeOpenAI([WHOLE]) as server:
        said = await ask(commands, server)

    assert (said.code, said.out, said.err) == (Exit.DONE, f"{WHOLE.text}\n", "")


async def test_an_answer_that_was_cut_half_way_is_asked_for_again_and_shown_once(
    tmp_path: Path,
) -> None:
    async with FakeOpenAI([Answer(text="only half of the answer", cut=700), WHOLE]) as server:
        bot = BotProcess(tmp_path / "home", environ(server))
        await bot.start()
        async with a_witness(bot) as witness:
            said = await witness.say("hello")
            ended = await witness.outcome(said)
        await bot.stop()

    assert ended.outcome == "answered"
    assert witness.answers(said) == [WHOLE.text]


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        pytest.param(("half \ud83d", " of it"), "half \ufffd of it", id="half a character"),
        pytest.param(("so \ud83d", "\ude00"), "so 😀", id="a character over two pieces"),
    ],
)
async def test_half_a_character_from_a_model_stops_nobody(
    tmp_path: Path, pieces: tuple[str, ...], shown: str
) -> None:
    odd = Call(name="read\ud83d_file", arguments='{"path": "\\ud83d"}')
    script = [Answer(text="Well.", calls=(odd,)), Answer(text=pieces), WHOLE]
    async with FakeOpenAI(script) as server:
        bot = BotProcess(tmp_path / "home", environ(server))
        await bot.start()
        async with a_witness(bot) as witness:
            first = await witness.say("hello")
            await witness.outcome(first)
            second = await witness.say("and again")
            await witness.outcome(second)
        assert await bot.stop() == Exit.DONE

    assert witness.answers(first) == [shown]
    assert witness.answers(second) == [WHOLE.text]


async def test_a_model_that_stalls_each_time_is_a_notice(tmp_path: Path) -> None:
    """With limits of a fifth of a second; how long they are is a matter of the contract."""
    stalled = Answer(text="one two three", stall=True)
    async with FakeOpenAI([stalled] * 3) as server:
        impatient = open_model(
            "openai",
            ModelParts(
                model="gpt-5.5",
                clock=SystemClock(),
                base_url=server.base_url,
                key=Secret(server.key),
                timeouts=ModelTimeouts(first_seconds=0.2, idle_seconds=0.2),
            ),
        )
        async with a_rig(tmp_path / "home", asks=impatient) as rig:
            accepted = await rig.say("hello")
            record = await rig.outcome(accepted.turn_id)
            told = await rig.said_to(accepted.turn_id)

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.FAILED
    assert len(told) == 1
    assert "sent nothing for 0.2 seconds" in told[0]
    assert len(server.requests) == 3


async def test_a_slow_model_is_waited_for(commands: Commands) -> None:
    async with FakeOpenAI([WHOLE], pause=0.2) as server:
        said = await ask(commands, server)

    assert (said.code, said.out) == (Exit.DONE, f"{WHOLE.text}\n")


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        pytest.param(
            "limits:\n  model_cals: 3\n",
            ":2: limits.model_cals: found a key that does not exist",
            id="a misspelt setting",
        ),
        pytest.param(
            "tools: {}\ntools: {}\n",
            ":2: tools: found the key a second time (first on line 1)",
            id="a key twice",
        ),
        pytest.param("limits:\n\tmodel_calls: 3\n", ":2: the file: found a tab", id="a tab"),
        pytest.param("", ": the file: found no settings in it", id="an empty file"),
        pytest.param(
            "agents:\n  main: {models: [",
            "found the end of the file inside what begins on line 2",
            id="half a file",
        ),
        pytest.param(
            "models:\n  mine: {provider: openai, model: x}\n",
            ":2: models.mine.key: found nothing, expected a key here, or OPENAI_API_KEY",
            id="no key",
        ),
        pytest.param(
            "http: {host: 0.0.0.0}\n",
            ":1: http.host: found '0.0.0.0', expected a loopback address",
            id="O5: an address that others reach",
        ),
    ],
)
def test_settings_that_are_wrong_start_nothing(
    commands: Commands, written: str, sentence: str
) -> None:
    commands.configure(written)

    said = commands.say("run", "--port", "0")

    assert said.code == Exit.CONFIG
    assert said.err.startswith(f"stonechat: {commands.home}/config.yaml")
    assert sentence in said.err
    assert is_one_sentence(said)
    assert not (commands.home / "stonechat.db").exists()
    assert (commands.home / "config.yaml").read_text() == written


NONSENSE = {
    "{": "not JSON",
    "[" * 5_000: "too deep",
    '{"type": "config.apply", "id": "1"}': "no frame of this type",
    '{"type": "say"}': "'id' is missing",
    '{"type": "say", "id": "of no use", "text": "x"}': "'id' is no UUID",
}
"""What no page of ours would send, and what it is told."""


async def test_the_page_of_the_real_process_bears_nonsense_and_goes_on(tmp_path: Path) -> None:
    bot = BotProcess(tmp_path / "home")
    await bot.start()
    address, _, code = (await bot.link()).partition("/#code=")
    async with browser() as http:
        assert await sign_in(http, address, "a wrong code") == 401
        assert await sign_in(http, address, code, origin="https://evil.test") == 403
        assert await sign_in(http, address, code) == 204
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await http.ws_connect(f"{address}/ws", headers={"Origin": "https://evil.test"})

        async with http.ws_connect(f"{address}/ws", headers={"Origin": address}) as socket:
            client = Client(socket)
            await client.send({"type": "hello", "protocol": 1})
            for frame in NONSENSE:
                await client.send(frame)
            said = await client.say("half \ud83d of a character: what can you do?")
            accepted = await client.until("accepted", id=said)
            answer = await client.until("line", direction="said", turn=accepted["turn"])
            told = [frame["reason"] for frame in client.seen if frame["type"] == "error"]
            await client.say("x" * 1_000_000)
            end = await socket.receive(timeout=10)
            while end.type is aiohttp.WSMsgType.TEXT:  # the rest of what is told of the answer
                end = await socket.receive(timeout=10)

        async with http.ws_connect(f"{address}/ws", headers={"Origin": address}) as socket:
            client = Client(socket)
            await client.send({"type": "hello", "protocol": 1, "after_seq": 0})
            await client.until("open")
    assert await bot.stop() == Exit.DONE

    for reason, expected in zip(told, NONSENSE.values(), strict=True):
        assert expected in reason
    assert end.data == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    assert end.extra == "A frame may have at most 262,144 bytes."
    assert [frame for frame in client.seen if frame["type"] == "line"][-1] == answer


async def sign_in(http: aiohttp.ClientSession, address: str, code: str, *, origin: str = "") -> int:
    headers = {
        "Content-Type": "application/json",
        "X-Stonechat": "1",
        "Origin": origin or address,
    }
    body = json.dumps({"code": code})
    async with http.post(f"{address}/auth", data=body, headers=headers) as response:
        return response.status
