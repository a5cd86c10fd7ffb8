"""The settings of a running bot are changed, through the real process and from outside."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.cli.client import control
from tests.architecture.pages import page
from tests.doubles.bot_process import BotProcess
from tests.doubles.commands import Commands, Said

_PATIENCE_SECONDS = 20.0


class Operator:
    """Somebody who edits the file of a bot that runs, and looks at what it says."""

    def __init__(self, folder: Path) -> None:
        self.commands = Commands(folder)
        self.home = self.commands.home
        self.commands.configure("limits: {model_calls: 7}\n")
        self.bot = BotProcess(self.home)

    def write(self, text: str) -> None:
        (self.home / "config.yaml").write_text(text)

    async def reload(self) -> Said:
        return await asyncio.to_thread(self.commands.say, "reload")

    async def overview(self) -> str:
        async with control(self.home / "control.sock") as http, http.get("/setup") as response:
            return await response.text()

    async def sees(self, text: str) -> None:
        """Wait until the settings panel says it."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while text not in (said := await self.overview()):
                assert said
                await asyncio.sleep(0.05)


@pytest_asyncio.fixture
async def operator(tmp_path: Path) -> AsyncIterator[Operator]:
    operator = Operator(tmp_path)
    await operator.bot.start()
    yield operator
    assert await operator.bot.stop() == 0


async def test_a_changed_file_is_in_force_without_a_restart_and_a_broken_one_never(
    operator: Operator,
) -> None:
    await operator.sees('"7 a message"')

    operator.write("limits: {model_calls: 8}\n")
    await operator.sees('"8 a message"')  # nobody said anything: it is watched

    operator.write("limits: {model_calls: many}\n")
    await operator.sees("found 'many', expected a whole number between 1 and 10000")
    await operator.sees('"8 a message"')

    operator.write("limits: {model_calls: 9}\n")
    os.kill(operator.bot.pid, signal.SIGHUP)
    await operator.sees('"9 a message"')
    assert "found 'many'" not in await operator.overview()


async def test_reload_says_what_is_in_force_what_waits_and_what_is_wrong(
    operator: Operator,
) -> None:
    operator.write("limits: {model_calls: 8}\nhttp: {host: 127.0.0.2}\n")
    told = await operator.reload()
    assert (told.code, told.err) == (0, "")
    assert "In force after a restart only: http." in told.out

    operator.write("limits:\n  model_calls: many\nnonsense: 1\n")
    told = await operator.reload()
    assert told.code != 0
    assert "Traceback" not in told.err
    assert f"{operator.home}/config.yaml:2: limits.model_calls: found 'many'" in told.err
    assert f"{operator.home}/config.yaml:3: nonsense: found a key that does not exist" in told.err
    await operator.sees('"8 a message"')


async def test_a_module_of_ones_own_comes_in_while_the_bot_runs(operator: Operator) -> None:
    folder = operator.home / "extensions"
    folder.mkdir()
    code = next(page("docs/extensions.md").blocks("python")).code
    (folder / "count_words.py").write_text(code)
    operator.write("tools: {extra: [count_words]}\n")
    assert (await operator.reload()).code == 0  # it may have been seen before by itself

    (folder / "count_words.py").write_text(f"{code}\n# changed\n")
    assert "after a restart only: the code of count_words" in (await operator.reload()).out

    operator.write("tools: {extra: [nowhere_at_all]}\n")
    assert "a module that does not exist" in (await operator.reload()).err


async def test_where_no_bot_runs_reload_says_who_reads_the_settings(tmp_path: Path) -> None:
    commands = Commands(tmp_path)
    commands.configure("nonsense: 1\n")

    told = await asyncio.to_thread(commands.say, "reload")

    assert told.code != 0
    assert told.err.startswith("stonechat: No bot runs on ") or "No bot runs on " in told.err


@pytest.mark.parametrize("first", ["limits: {model_calls: many}\n"])
async def test_a_start_with_a_broken_file_ends_when_it_is_mended(
    operator: Operator, first: str
) -> None:
    await operator.sees('"7 a message"')
    await operator.reload()  # and so it is remembered as the last good one
    await operator.bot.stop()
    operator.write(first)
    await operator.bot.start()
    await operator.sees("Running with the last good settings until this is mended")

    operator.write("limits: {model_calls: 5}\n")

    await operator.sees('"5 a message"')
    assert "last good settings" not in await operator.overview()
