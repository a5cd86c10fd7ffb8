"""The settings are read again: all of them from the next message on, or none."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.clock import Clock
from bot.contracts.errors import SetupRefused
from bot.contracts.route import MAIN
from bot.contracts.secret import Secret
from bot.contracts.setup import KeyOffer, Weight
from bot.extensions import load_extensions
from bot.settings import Settings, load_settings, read_settings
from bot.setup.changes import Nothing
from bot.setup.live import LiveSetup, Running
from tests.doubles.clock import START, HastyClock
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call, Gate
from tests.doubles.rig import Rig, a_rig

FIRST = "limits: {model_calls: 7}\n"
BROKEN = "limits:\n  model_calls: many\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    write(home, FIRST)
    return home


def write(home: Path, text: str) -> None:
    (home / "config.yaml").write_text(text)
    (home / "config.yaml").chmod(0o600)


def in_force(rig: Rig) -> Settings:
    """What the next message is given; the panel and the next turn must say the same."""
    settings = rig.app.present.now.settings
    assert settings == rig.app.setup.settings
    agent = rig.app.present.now.agents[next(iter(rig.app.present.now.agents))]
    assert agent.limits.model_calls == settings.limits.model_calls
    return settings


async def calls_shown(rig: Rig) -> str:
    overview = await rig.app.setup.overview()
    return next(each.value for each in overview.limits if each.setting == "limits.model_calls")


async def test_what_was_changed_is_in_force_from_the_next_message_on(home: Path) -> None:
    async with a_rig(home) as rig:
        write(home, "limits: {model_calls: 9, turns_at_once: 3}\n")
        reloaded = await rig.app.setup.reload()

        assert reloaded.changed
        assert in_force(rig).limits.model_calls == 9
        assert await calls_shown(rig) == "9 a message"
        assert reloaded.sentence == (
            f"The settings of {home}/config.yaml are in force from the next message on."
        )
        assert (home / "config.last-good.yaml").read_text().startswith("limits: {model_calls: 9")
        assert not (await rig.app.setup.reload()).changed


async def test_a_turn_that_runs_keeps_what_it_began_with(home: Path) -> None:
    gate = Gate()

    def model(asked: Asked) -> Answer:
        if not asked.results:
            call = Call(name="list_files", arguments='{"path": "."}')
            return Answer(calls=(call,), hold=gate if "slow" in asked.question else None)
        return Answer(text="done")

    async with FakeOpenAI(model) as server:
        environ = {"OPENAI_API_KEY": server.key, "OPENAI_BASE_URL": server.base_url}
        async with a_rig(home, environ=environ) as rig:
            accepted = await rig.say("slow")
            await gate.reached()

            write(home, "limits: {tool_calls: 1, model_calls: 1}\ntools: {deny: ['*']}\n")
            await rig.app.setup.reload()
            gate.open()

            record = await rig.outcome(accepted.turn_id)
            assert await rig.said_to(accepted.turn_id) == ["done"]
            assert record.outcome is not None
            after = await rig.answered("again")
            assert after != "done"


async def test_a_broken_file_changes_nothing_and_is_told_where_it_is_looked_for(
    home: Path,
) -> None:
    async with a_rig(home) as rig:
        write(home, BROKEN)
        with structlog.testing.capture_logs() as logs, pytest.raises(SetupRefused) as refused:
            await rig.app.setup.reload()

        mistake = (
            f"{home}/config.yaml:2: limits.model_calls: found 'many', expected a whole number"
            " between 1 and 10000"
        )
        assert str(refused.value).startswith(mistake)
        assert [log["event"] for log in logs] == ["settings refused"]
        assert mistake in logs[0]["reason"]
        assert in_force(rig).limits.model_calls == 7
        worst = (await rig.app.setup.overview()).findings[0]
        assert (worst.weight, worst.what.startswith(mistake)) == (Weight.BROKEN, True)
        assert rig.app.setup.problem.startswith(mistake)

        write(home, FIRST)
        await rig.app.setup.reload()
        assert rig.app.setup.problem == ""


async def test_every_mistake_of_a_broken_file_is_told_to_who_asked(home: Path) -> None:
    async with a_rig(home) as rig:
        write(home, "limits: {model_calls: many, tool_calls: few}\n")
        with pytest.raises(SetupRefused) as refused:
            await rig.app.setup.reload()

        assert [line.split(": found ")[0].split(" ")[1] for line in str(refused.value).split("\n")][
            :2
        ] == ["limits.model_calls", "limits.tool_calls"]


async def test_what_needs_a_restart_stays_and_is_named(home: Path) -> None:
    async with a_rig(home) as rig:
        write(home, "http: {port: 4711}\nlimits: {model_calls: 8}\nstore: sqlite:////tmp/x.db\n")
        reloaded = await rig.app.setup.reload()

        assert reloaded.waiting == ("http", "store")
        assert reloaded.sentence.endswith(" In force after a restart only: http, store.")
        assert in_force(rig).limits.model_calls == 8
        assert in_force(rig).http == rig.app.settings.http
        assert any(
            "after a restart only: http, store" in finding.what
            for finding in (await rig.app.setup.overview()).findings
        )


async def test_a_start_with_a_broken_file_ends_with_the_first_one_in_order(home: Path) -> None:
    async with a_rig(home) as rig:
        await rig.app.setup.reload()  # remembers the file
    write(home, BROKEN)
    async with a_rig(home) as rig:
        people = rig.app.setup.settings
        assert people.problem
        write(home, "limits: {model_calls: 5}\n")

        await rig.app.setup.reload()

        assert in_force(rig).problem == ""
        assert in_force(rig).limits.model_calls == 5
        assert rig.app.setup.problem == ""


async def test_a_model_chosen_on_the_page_and_a_change_of_the_file_are_both_in_force(
    home: Path,
) -> None:
    server = FakeOpenAI(lambda _: Answer(text="I am m1"), listed=({"id": "m1"},))
    async with server, a_rig(home) as rig:
        offer = KeyOffer(key=Secret(server.key), base_url=server.base_url)
        write(home, "limits: {model_calls: 9}\n")

        await asyncio.gather(rig.app.setup.use_key(offer), rig.app.setup.reload())

        assert in_force(rig).limits.model_calls == 9
        assert await rig.answered("who are you?") == "I am m1"
        assert not (await rig.app.setup.reload()).changed


async def test_models_that_did_not_change_are_not_opened_again(home: Path) -> None:
    async with a_rig(home) as rig:
        before = dict(rig.app.present.now.lineups)
        write(home, "limits: {model_calls: 9}\n")
        await rig.app.setup.reload()

        assert rig.app.present.now.lineups == before


VALID = st.integers(1, 9).map(lambda calls: f"limits: {{model_calls: {calls}}}\n")
BAD = st.sampled_from(
    ("", "limits: [", BROKEN, "nonsense: 1\n", "\x00", "tools: {extra: [nowhere]}")
)


@given(files=st.lists(st.one_of(VALID, BAD), max_size=8))
async def test_after_any_files_the_last_one_in_order_is_in_force(files: list[str]) -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        write(home, FIRST)
        setup = setup_of(home)
        last = FIRST
        for text in files:
            write(home, text)
            try:
                await setup.reload()
            except SetupRefused:
                assert setup.problem
            else:
                last = text
                assert (home / "config.last-good.yaml").read_text() == text
                assert setup.problem == ""
            assert f"{{model_calls: {setup.settings.limits.model_calls}}}" in last


class Second:
    """A clock on which a second passes when the test says so."""

    def __init__(self) -> None:
        self._asleep: asyncio.Queue[asyncio.Event] = asyncio.Queue()

    def now(self) -> datetime:
        return START

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        assert seconds == 1.0
        over = asyncio.Event()
        self._asleep.put_nowait(over)
        await over.wait()

    async def passes(self, times: int = 1) -> None:
        """Let it pass, and wait until what is done in it is done."""
        for _ in range(times):
            over = await self._asleep.get()
            over.set()
        self._asleep.put_nowait(await self._asleep.get())


def setup_of(home: Path, clock: Clock | None = None) -> LiveSetup:
    """The reload alone, with nothing to build but the modules of other packages."""
    environ = {"HOME": str(home)}

    async def prepare(settings: Settings, *, reopen: bool) -> Nothing:
        load_extensions(settings)
        return await Nothing.prepare(settings, reopen=reopen)

    return LiveSetup(
        load_settings(home, environ),
        Running(
            ledger=NotImplemented,
            clock=clock or HastyClock(START),
            look=lambda: NotImplemented,
            page_agent=lambda: MAIN,
            introduce=lambda _settings, _problem: None,
            prepare=prepare,
            stale=tuple,
            read=lambda: read_settings(home, environ),
        ),
    )


@asynccontextmanager
async def watching(home: Path) -> AsyncIterator[tuple[LiveSetup, Second]]:
    clock = Second()
    setup = setup_of(home, clock)
    task = asyncio.create_task(setup.watch())
    await clock.passes(3)
    try:
        yield setup, clock
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def calls(setup: LiveSetup) -> int:
    return setup.settings.limits.model_calls


async def test_a_change_of_the_file_is_found(home: Path) -> None:
    async with watching(home) as (setup, clock):
        write(home, "limits: {model_calls: 8}\n")
        await clock.passes(2)

        assert calls(setup) == 8


async def test_a_file_that_is_written_in_two_steps_is_read_when_it_is_whole(home: Path) -> None:
    async with watching(home) as (setup, clock):
        write(home, "")
        await clock.passes()
        write(home, "limits: {model_calls: 8}\n")
        await clock.passes(2)

        assert (calls(setup), setup.problem) == (8, "")


async def test_of_two_changes_within_a_second_the_second_counts(home: Path) -> None:
    async with watching(home) as (setup, clock):
        write(home, "limits: {model_calls: 8}\n")
        write(home, "limits: {model_calls: 9}\n")
        await clock.passes(2)

        assert calls(setup) == 9


async def test_a_file_replaced_by_renaming_is_read(home: Path) -> None:
    async with watching(home) as (setup, clock):
        other = home / "config.yaml~"
        other.write_text("limits: {model_calls: 8}\n")
        other.replace(home / "config.yaml")
        await clock.passes(2)

        assert calls(setup) == 8


async def test_a_file_that_is_gone_or_broken_leaves_all_as_it_was_until_it_is_back(
    home: Path,
) -> None:
    async with watching(home) as (setup, clock):
        (home / "config.yaml").unlink()
        await clock.passes(3)
        assert calls(setup) == 7
        assert setup.problem.startswith(f"{home}/config.yaml: the file: found no file")
        assert "reload` to go on with all defaults" in setup.problem

        write(home, BROKEN)
        await clock.passes(3)
        assert (calls(setup), "'many'" in setup.problem) == (7, True)

        write(home, "limits: {model_calls: 8}\n")
        await clock.passes(3)
        assert (calls(setup), setup.problem) == (8, "")


async def test_who_deleted_the_file_and_says_so_gets_the_defaults(home: Path) -> None:
    setup = setup_of(home)
    (home / "config.yaml").unlink()

    await setup.reload()

    assert calls(setup) == 60
    assert not (home / "config.last-good.yaml").exists()


@pytest.mark.parametrize("kind", ["a folder", "no rights"])
async def test_a_file_that_cannot_be_read_leaves_all_as_it_was(home: Path, kind: str) -> None:
    async with watching(home) as (setup, clock):
        file = home / "config.yaml"
        if kind == "a folder" or os.geteuid() == 0:  # root may read everything
            file.unlink()
            file.mkdir()
        else:
            file.chmod(0o000)
        await clock.passes(3)

        assert calls(setup) == 7
        assert "a file that cannot be read" in setup.problem
