"""The wheel is the whole program: in an empty folder it does the first job without the checkout."""

import email
import zipfile
from pathlib import Path

import aiohttp
import pytest

from bot import __version__
from bot.cli.client import control
from tests.architecture.source import ROOT
from tests.doubles.bot_process import BotProcess
from tests.packaging.installed import Installed, built_wheel, check, installed
from tests.stories.test_meeting_notes import QUESTION, lists_the_three

CARRIED = ("config", "workspace-template")
"""Folders of the checkout that the program needs wherever it is."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def it(wheel: Path, tmp_path: Path) -> Installed:
    return installed(wheel, tmp_path)


def test_it_holds_every_file_it_needs_and_none_that_it_does_not(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    carried = {
        f"bot/_data/{file.relative_to(ROOT)}"
        for folder in CARRIED
        for file in (ROOT / folder).rglob("*")
        if file.is_file()
    }
    ours = {
        str(file.relative_to(ROOT))
        for folder in ("bot", "channels")
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    rest = names - carried - ours

    assert carried | ours <= names
    assert {name.split("/")[0] for name in rest} == {f"stonechat-{__version__}.dist-info"}


def test_it_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        written = opened.read(f"stonechat-{__version__}.dist-info/METADATA").decode()
    said = email.message_from_string(written)

    assert (said["Name"], said["Version"]) == ("stonechat", __version__)
    assert said["License-Expression"] == "MIT"
    assert said.get_all("License-File") == ["LICENSE"]
    assert said["Requires-Python"] == ">=3.11"
    assert "Programming Language :: Python :: 3.11" in (said.get_all("Classifier") or ())
    assert said.get_payload() == (ROOT / "README.md").read_text()


def test_it_answers_the_first_question_in_an_empty_folder(it: Installed) -> None:
    assert "No broken requirements" in check(it)
    assert it.python("import bot; print(bot.__file__)").startswith(str(it.venv))
    assert it.say("--version").stdout == f"stonechat {__version__}\n"
    checked = it.say("check")
    asked = it.say("ask", QUESTION)

    assert "would run" in checked.stdout, checked.stderr
    assert asked.returncode == 0, asked.stderr
    assert lists_the_three(asked.stdout)
    assert sorted(path.name for path in it.folder.iterdir()) == [".stonechat"]
    assert (it.folder / ".stonechat" / "config.yaml").read_bytes() == (
        ROOT / "config" / "config.yaml"
    ).read_bytes()


async def test_its_run_serves_the_page_and_all_that_belongs_to_it(it: Installed) -> None:
    home = it.folder / ".stonechat"
    bot = BotProcess(home, it.environ, command=(str(it.command), "run"), folder=it.folder)
    await bot.start()
    async with control(bot.control_socket) as terminal, aiohttp.ClientSession() as visitor:
        async with terminal.post("/open") as response:
            page = (await response.json())["link"].partition("#")[0]
        for file in sorted((ROOT / "channels/webchat/static").iterdir()):
            address = page if file.name == "index.html" else f"{page}static/{file.name}"
            async with visitor.get(address) as response:
                assert response.status == 200, file.name
                assert await response.read() == file.read_bytes()
    while_running = it.say("ask", QUESTION)
    code = await bot.stop()

    assert lists_the_three(while_running.stdout)
    assert code == 0
