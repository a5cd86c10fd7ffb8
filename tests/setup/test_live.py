"""The running bot: what was checked is kept and used by the next turn, or nothing has changed."""

import asyncio
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.errors import SetupRefused
from bot.contracts.secret import Secret
from bot.contracts.setup import KeyOffer, Setup, Weight
from bot.contracts.turn import OutcomeKind
from tests.doubles.fake_ollama import FakeOllama, Pulled
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.fake_telegram import FakeTelegram
from tests.doubles.model_server import Answer, Asked, Call, Gate, Raw
from tests.doubles.rig import Rig, a_rig

CONFIG = "limits: {model_calls: 7}   # mine\n"


def echo(name: str) -> FakeOpenAI:
    return FakeOpenAI(lambda _: Answer(text=f"I am {name}"), listed=({"id": name},))


def offer(server: FakeOpenAI) -> KeyOffer:
    return KeyOffer(key=Secret(server.key), base_url=server.base_url)


def kept(home: Path) -> str:
    return (home / ".env").read_text() if (home / ".env").exists() else ""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(CONFIG)
    (home / "config.yaml").chmod(0o600)
    return home


def setup_of(rig: Rig) -> Setup:
    assert isinstance(rig.app.setup, Setup)
    return rig.app.setup


async def test_the_next_turn_is_carried_out_by_the_model_of_the_key(home: Path) -> None:
    async with echo("m1") as server, a_rig(home) as rig:
        checked = await setup_of(rig).use_key(offer(server))

        assert (checked.provider, checked.model) == ("openai", "m1")
        assert await rig.answered("who are you?") == "I am m1"
        (view,) = (await setup_of(rig).overview()).models
        assert (view.model, view.source) == ("m1", f"chosen, kept in {home}/.env")
        spent = (await setup_of(rig).overview()).spent
        assert (spent.turns, spent.input_tokens, spent.output_tokens, spent.micro_usd) == (
            1,
            11,
            7,
            0,
        )


async def test_it_is_kept_for_its_owner_alone_and_the_configuration_is_not_touched(
    home: Path,
) -> None:
    (home / ".env").write_text("# mine\nMY_TOKEN=x\n")
    (home / ".env").chmod(0o600)
    async with echo("m1") as server, a_rig(home) as rig:
        await setup_of(rig).use_key(offer(server))

        lines = kept(home).splitlines()
        assert lines[:2] == ["# mine", "MY_TOKEN=x"]
        assert f"CHOSEN_KEY={server.key}" in lines
        assert stat.S_IMODE((home / ".env").stat().st_mode) == 0o600
        assert (home / "config.yaml").read_text() == CONFIG
        holders = [
            path
            for path in home.rglob("*")
            if path.is_file() and server.key.encode() in path.read_bytes()
        ]
        assert holders == [home / ".env"]


async def test_after_a_start_the_same_model_is_chosen_whatever_the_environment_says(
    home: Path,
) -> None:
    async with echo("m1") as server:
        async with a_rig(home) as rig:
            await setup_of(rig).use_key(offer(server))
        environ = {"OPENAI_API_KEY": "sk-canary-of-the-environment"}
        async with a_rig(home, environ=environ) as rig:
            assert await rig.answered("who are you?") == "I am m1"
            (view,) = (await setup_of(rig).overview()).models
            assert "not used meanwhile: OPENAI_API_KEY in the environment" in view.source


async def test_a_turn_that_runs_ends_with_the_model_it_began_with(home: Path) -> None:
    gate = Gate()

    def slow(asked: Asked) -> Answer:
        if asked.question.startswith("Are you there"):
            return Answer(text="ready")
        if asked.results:
            return Answer(text="m1 to the end")
        return Answer(calls=(Call(name="list_files", arguments='{"path": "."}'),), hold=gate)

    old = FakeOpenAI(slow, listed=({"id": "m1"},))
    async with old, echo("m2") as new, a_rig(home) as rig:
        await setup_of(rig).use_key(offer(old))
        accepted = await rig.say("look around")
        await gate.reached()

        await setup_of(rig).use_key(offer(new))
        gate.open()
        await rig.outcome(accepted.turn_id)

        assert await rig.said_to(accepted.turn_id) == ["m1 to the end"]
        assert await rig.answered("who are you?") == "I am m2"


@pytest.mark.parametrize("key", ["sk-canary-wrong-1", "two words"])
async def test_a_key_that_is_refused_changes_nothing(home: Path, key: str) -> None:
    async with echo("m1") as server, echo("m2") as other, a_rig(home) as rig:
        await setup_of(rig).use_key(offer(server))
        before = kept(home)

        with pytest.raises(SetupRefused):
            await setup_of(rig).use_key(replace(offer(other), key=Secret(key)))

        assert kept(home) == before
        assert await rig.answered("who are you?") == "I am m1"


async def test_where_nothing_can_be_kept_nothing_is_used(home: Path) -> None:
    elsewhere = home.parent / "elsewhere"
    elsewhere.write_text("")
    (home / ".env").symlink_to(elsewhere)
    async with echo("m1") as server, a_rig(home) as rig:
        with pytest.raises(SetupRefused, match="is a link"):
            await setup_of(rig).use_key(offer(server))

        (view,) = (await setup_of(rig).overview()).models
        assert view.model == "demo"
        assert elsewhere.read_text() == ""


async def test_of_two_at_the_same_time_one_is_kept_and_the_same_is_used(home: Path) -> None:
    async with echo("m1") as one, echo("m2") as two, a_rig(home) as rig:
        await asyncio.gather(*(setup_of(rig).use_key(offer(each)) for each in (one, two)))

        (view,) = (await setup_of(rig).overview()).models
        assert f"CHOSEN_MODEL=openai/{view.model}\n" in kept(home)
        assert await rig.answered("who are you?") == f"I am {view.model}"


async def test_one_who_leaves_during_the_check_leaves_nothing_behind(home: Path) -> None:
    gate = Gate()
    answers = [Answer(text="ready", hold=gate, after=1)]
    async with FakeOpenAI(answers, listed=({"id": "m1"},)) as server, a_rig(home) as rig:
        checking = asyncio.create_task(setup_of(rig).use_key(offer(server)))
        await gate.reached()

        checking.cancel()
        await asyncio.wait({checking})

        assert kept(home) == ""
        assert (await setup_of(rig).overview()).models[0].model == "demo"


async def test_a_model_of_this_machine_costs_nothing_and_needs_no_key(home: Path) -> None:
    double = FakeOllama(
        lambda _: Answer(text="I am local"), pulled={"qwen3:8b": Pulled()}, keyless=True
    )
    async with double as server, a_rig(home, environ={"OLLAMA_HOST": server.base_url}) as rig:
        (found,) = await setup_of(rig).local_servers()
        checked = await setup_of(rig).use_local(found.address, found.models[0])

        assert (checked.provider, checked.model, checked.micro_usd_a_day) == (
            "ollama",
            "qwen3:8b",
            0,
        )
        assert checked.window == 16_384
        assert await rig.answered("who are you?") == "I am local"
        assert "CHOSEN_MODEL=ollama/qwen3:8b" in kept(home)


async def test_a_model_that_cannot_use_tools_is_not_taken(home: Path) -> None:
    pulled = {"nomic": Pulled(capabilities=("embedding",)), "qwen3:8b": Pulled()}
    async with FakeOllama(pulled=pulled, keyless=True) as server, a_rig(home) as rig:
        with pytest.raises(
            SetupRefused, match=r"no model 'nomic' that can use tools; it has qwen3"
        ):
            await setup_of(rig).use_local(server.base_url, "nomic")

    assert kept(home) == ""


async def test_a_telegram_token_is_checked_and_kept_and_waits_for_its_channel(home: Path) -> None:
    async with FakeTelegram() as server:
        environ = {"TELEGRAM_API_URL": server.address}
        async with a_rig(home, environ=environ) as rig:
            added = await setup_of(rig).add_channel("telegram", Secret(server.token))

            assert added.identity == "@example_bot"
            assert "later version" in added.note
            now = (await setup_of(rig).overview()).channels
        async with a_rig(home, environ=environ) as rig:
            assert (await setup_of(rig).overview()).channels == now
    assert [(each.channel, each.listening) for each in now] == [
        ("webchat", True),
        ("telegram", False),
    ]
    assert "@example_bot" in now[1].detail
    assert f"TELEGRAM_BOT_TOKEN={FakeTelegram.token}\n" in kept(home)


@pytest.mark.parametrize(("channel", "token"), [("telegram", "no token"), ("discord", "x")])
async def test_a_channel_that_is_refused_changes_nothing(
    home: Path, channel: str, token: str
) -> None:
    async with a_rig(home) as rig:
        with pytest.raises(SetupRefused):
            await setup_of(rig).add_channel(channel, Secret(token))

    assert kept(home) == ""


def failing(status: int) -> FakeOpenAI:
    refused = Raw(status=status, body='{"error": {"message": "no"}}')
    answers: list[Answer | Raw] = [Answer(text="ready"), refused, Answer(text="well again")]
    return FakeOpenAI(answers, listed=({"id": "m1"},))


@pytest.mark.parametrize(
    ("status", "fix"), [(401, "models add"), (402, "add credit"), (404, "another model")]
)
async def test_what_failed_lately_is_told_with_the_fix_until_it_works_again(
    home: Path, status: int, fix: str
) -> None:
    async with failing(status) as server, a_rig(home) as rig:
        await setup_of(rig).use_key(offer(server))
        accepted = await rig.say("hello")
        record = await rig.outcome(accepted.turn_id)
        assert record.outcome is not None
        assert record.outcome.kind is OutcomeKind.FAILED

        (broken, *_) = (await setup_of(rig).overview()).findings
        assert broken.weight is Weight.BROKEN
        assert f"({status})" in broken.what
        assert fix in broken.fix

        await rig.answered("again")
        findings = (await setup_of(rig).overview()).findings
        assert all(each.weight is not Weight.BROKEN for each in findings)


async def test_the_page_is_told_of_the_new_model_at_once(home: Path) -> None:
    async with echo("m1") as server, a_rig(home) as rig:
        (page,) = rig.app.channels
        assert "demo" in str(page.about.model)  # type: ignore[attr-defined] # the page's own

        await setup_of(rig).use_key(offer(server))

        assert page.about.model == "m1"  # type: ignore[attr-defined] # the page's own
