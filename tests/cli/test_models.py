"""`stonechat models`: a key from standard input, checked live, kept, and shown nowhere."""

import asyncio
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import Exit
from bot.cli.models import chosen_of
from bot.contracts.errors import SetupRefused
from bot.contracts.setup import LocalServer
from tests.doubles.bot_process import BotProcess
from tests.doubles.commands import ROOT, Commands, Said
from tests.doubles.fake_ollama import FakeOllama, Pulled
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer

_NO_WAY = {"http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1"}
"""A proxy that is not there: whoever used it for this machine would get nowhere."""


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def double(name: str = "m1") -> FakeOpenAI:
    return FakeOpenAI(lambda _: Answer(text=f"I am {name}"), listed=({"id": name},))


async def add(commands: Commands, server: FakeOpenAI, *more: str, key: str = "") -> Said:
    typed = f"{key or server.key}\n"
    return await asyncio.to_thread(
        commands.say_with,
        typed,
        "models",
        "add",
        "--base-url",
        server.base_url,
        *more,
        **_NO_WAY,
    )


async def test_a_key_that_is_piped_in_is_checked_kept_and_used_by_the_next_start(
    commands: Commands,
) -> None:
    async with double() as server:
        said = await add(commands, server)
        asked = await asyncio.to_thread(commands.say, "ask", "who are you?")

    assert said.code == Exit.DONE
    assert "✓ m1 (openai) answered" in said.out
    assert "the next start uses it" in said.out
    assert server.key not in said.out + said.err
    assert f"CHOSEN_KEY={server.key}" in (commands.home / ".env").read_text()
    assert asked.out == "I am m1\n"


async def test_a_key_that_is_refused_is_one_sentence_and_kept_nowhere(commands: Commands) -> None:
    async with double() as server:
        said = await add(commands, server, "--model", "m1", key="sk-canary-wrong")

    assert said.code == Exit.FAILED
    assert said.out == ""
    assert said.err.startswith("stonechat: OpenAI at http://127.0.0.1:")
    assert "refused the key (401)" in said.err
    assert said.err.count("\n") == 1
    assert "canary" not in said.err
    assert not (commands.home / ".env").exists()


def test_what_is_no_key_is_wrong_use_and_there_is_no_option_for_one(commands: Commands) -> None:
    nothing = commands.say("models", "add")
    optional = commands.say("models", "add", "--key", "sk-1")

    assert (nothing.code, optional.code) == (Exit.USAGE, Exit.USAGE)
    assert "no key was given" in nothing.err
    assert "--key" in optional.err


def test_at_a_terminal_the_key_is_asked_for_and_not_shown(commands: Commands) -> None:
    us, them = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "models", "add", "--base-url", "http://127.0.0.1:1/v1"],
        stdin=them,
        stdout=them,
        stderr=them,
        cwd=ROOT,
        start_new_session=True,
        env={"PATH": os.environ["PATH"], "HOME": str(commands.folder), "TERM": "dumb"},
    )
    os.close(them)
    shown = b""
    while b"not shown" not in shown:
        shown += os.read(us, 1024)
    os.write(us, b"sk-canary-typed\n")
    try:
        while piece := os.read(us, 1024):
            shown += piece
    except OSError:  # the other side has hung up
        pass
    os.close(us)

    assert process.wait(30) == Exit.FAILED
    assert b"nothing listens there" in shown
    assert b"canary" not in shown


async def test_a_running_bot_refuses_or_uses_it_from_the_next_message(commands: Commands) -> None:
    bot = BotProcess(commands.home)
    async with double() as server:
        await bot.start()
        try:
            refused = await add(commands, server, "--model", "m1", key="sk-canary-wrong")
            added = await add(commands, server)
            asked = await asyncio.to_thread(commands.say, "ask", "who are you?")
            listed = await asyncio.to_thread(commands.say, "models", "list")
        finally:
            assert await bot.stop() == Exit.DONE

    assert refused.code == Exit.FAILED
    assert "refused the key (401)" in refused.err
    assert "the running bot uses it from the next message" in added.out
    assert asked.out == "I am m1\n"
    assert listed.out.startswith("m1\topenai\t")


async def test_a_model_of_this_machine_needs_no_key(commands: Commands) -> None:
    pulled = {"qwen3:8b": Pulled(), "nomic": Pulled(capabilities=("embedding",))}
    double = FakeOllama(lambda _: Answer(text="I am local"), pulled=pulled, keyless=True)
    async with double as server:
        environ = {"OLLAMA_HOST": server.base_url, **_NO_WAY}
        said = await asyncio.to_thread(commands.say, "models", "add", "--local", **environ)

    assert "✓ qwen3:8b (ollama) answered, with a window of 16,384 tokens" in said.out
    assert "nobody is paid" in said.out
    assert "CHOSEN_MODEL=ollama/qwen3:8b\n" in (commands.home / ".env").read_text()


async def test_check_asks_each_model_and_says_which_fails(commands: Commands) -> None:
    async with double() as server:
        there = f"provider: openai, model: m1, base_url: {server.base_url}"
        commands.configure(
            f"models: {{a: {{{there}, key: {server.key}}}, b: {{{there}, key: sk-canary-no}}}}\n"
        )
        said = await asyncio.to_thread(commands.say, "models", "check")

    assert said.code == Exit.FAILED
    assert said.out == "✓ m1 answered\n"
    assert said.err.startswith("✗ OpenAI at")
    assert "canary" not in said.err


def test_forgotten_the_configuration_decides_again(commands: Commands) -> None:
    commands.configure("limits: {model_calls: 7}\n")
    (commands.home / ".env").write_text("# mine\nCHOSEN_MODEL=openai/m1\nCHOSEN_KEY=sk-canary\n")

    said = commands.say("models", "forget")

    assert said.out == "Forgotten. From the next start: demo.\n"
    assert (commands.home / ".env").read_text() == "# mine\n"


def server(kind: str, *models: str) -> LocalServer:
    return LocalServer(kind=kind, address=f"http://{kind}", models=models)


@pytest.mark.parametrize(
    ("servers", "model", "meant"),
    [
        ([server("ollama", "a")], None, ("http://ollama", "a")),
        ([server("ollama", "a", "b")], "b", ("http://ollama", "b")),
        ([server("ollama"), server("lmstudio", "a")], None, ("http://lmstudio", "a")),
        ([server("ollama", "a"), server("lmstudio", "a")], "a", ("http://ollama", "a")),
    ],
)
def test_which_local_model_is_meant(
    servers: list[LocalServer], model: str | None, meant: tuple[str, str]
) -> None:
    assert chosen_of(servers, model) == meant


@pytest.mark.parametrize(
    ("servers", "model", "said"),
    [
        ([], None, "No Ollama"),
        ([server("ollama")], None, "ollama pull"),
        ([server("ollama", "a", "b")], None, "Say which with --model: a, b"),
        ([server("ollama", "a")], "c", "Say which with --model: a"),
    ],
)
def test_where_nobody_is_meant_it_is_said_what_there_is(
    servers: list[LocalServer], model: str | None, said: str
) -> None:
    with pytest.raises(SetupRefused, match=said):
        chosen_of(servers, model)
