"""The container's files agree with the settings and with each other; what can be tried is tried.

An image cannot be built by a test: its base comes from a registry. So the parts are held to the
project one by one, and `script/lint` has hadolint and the Compose Specification's schema read them.
"""

import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from bot import serve
from bot.settings.http import HttpSettings
from tests.architecture.pages import tracked
from tests.architecture.source import ROOT
from tests.doubles.bot_process import BotProcess
from tests.packaging.containerfile import Instruction, instructions
from tests.packaging.installed import empty_environment

FILE: Final = instructions(ROOT / "Containerfile")
COMPOSE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICE: Final[dict[str, Any]] = COMPOSE["services"]["stonechat"]
PORT: Final = str(HttpSettings().port)
STAGES: Final = [each for each in FILE if each.name == "FROM"]
LAST: Final = [each for each in FILE if each.stage == len(STAGES) - 1]
COPIED: Final = [
    source
    for each in FILE
    if each.name == "COPY" and not each.rest.startswith("--from=")
    for source in each.rest.split()[:-1]
]


def _only(name: str) -> Instruction:
    [found] = [each for each in LAST if each.name == name]
    return found


def _environ() -> dict[str, str]:
    return dict(word.split("=", 1) for word in shlex.split(_only("ENV").rest))


def test_every_base_is_pinned_by_name_and_version_and_names_no_registry() -> None:
    bases = {each.rest.split()[0] for each in STAGES}

    assert len(bases) == 1
    base = re.fullmatch(r"python:(\d+\.\d+)\.\d+-slim-[a-z]+", bases.pop())
    assert base is not None
    metadata = (ROOT / "pyproject.toml").read_text()
    assert f'"Programming Language :: Python :: {base[1]}",' in metadata


def test_what_is_copied_is_there_and_not_ignored_and_is_all_that_the_wheel_needs() -> None:
    ignored = (ROOT / ".containerignore").read_text().splitlines()
    kept = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    packed = {name.split("/")[0] for name in tracked()} & {"bot", "channels", "config"}

    assert "*" in ignored
    assert set(COPIED) == kept
    assert all((ROOT / source).exists() for source in COPIED)
    assert packed | {"workspace-template", "pyproject.toml", "LICENSE"} <= set(COPIED)


def test_nothing_that_could_be_secret_is_baked_in() -> None:
    named = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)

    assert not [each for each in FILE if each.name in {"ARG", "ADD"}]
    assert not [each for each in FILE if each.name == "ENV" and named.search(each.rest)]
    assert not named.search((ROOT / "compose.yaml").read_text())
    assert "**/.env" in (ROOT / ".containerignore").read_text().splitlines()


def test_it_runs_as_nobody_in_particular_on_a_root_it_cannot_write() -> None:
    user = _only("USER").rest

    assert user == SERVICE["user"] == "10001:10001"
    assert any(f"--uid {user.split(':')[0]} " in each.rest for each in LAST if each.name == "RUN")
    assert SERVICE["read_only"] is True
    assert SERVICE["cap_drop"] == ["ALL"]
    assert SERVICE["security_opt"] == ["no-new-privileges:true"]


def test_state_is_a_volume_and_the_only_thing_that_stays() -> None:
    [mount] = SERVICE["volumes"]
    volume, _, target = mount.partition(":")

    assert volume in COMPOSE["volumes"]
    assert target == _only("VOLUME").rest == _environ()["STONECHAT_HOME"] == _environ()["HOME"]
    assert any(each.name == "RUN" and each.rest.endswith(f"--mode=0700 {target}") for each in LAST)


def test_every_port_is_that_of_the_settings_and_is_offered_to_this_machine_only() -> None:
    assert SERVICE["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert _only("EXPOSE").rest == PORT
    assert f"'127.0.0.1', {PORT}" in _only("HEALTHCHECK").program[-1]
    assert SERVICE["environment"] == {
        "STONECHAT_PUBLIC_URL": f"${{STONECHAT_PUBLIC_URL:-http://localhost:{PORT}}}"
    }


def test_a_stop_is_given_more_time_than_turns_are() -> None:
    assert float(SERVICE["stop_grace_period"].removesuffix("s")) >= 1.5 * serve._DRAIN_SECONDS


def test_the_program_is_built_by_the_very_command_from_what_was_copied(tmp_path: Path) -> None:
    environment = empty_environment(tmp_path / "venv", "pip")
    source = tmp_path / "source"
    source.mkdir()
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, source / name)
    [command] = [each.rest for each in FILE if each.name == "RUN" and each.rest.endswith(" .")]

    subprocess.run(  # noqa: S603 - the container's own command
        shlex.split(command.replace("/opt/stonechat", str(environment))),
        cwd=source,
        check=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )

    assert (environment / "bin" / _only("ENTRYPOINT").program[0]).exists()


async def test_the_check_of_health_is_content_with_a_bot_that_runs_and_with_no_other(
    tmp_path: Path,
) -> None:
    """It listens to others, as it does inside, under the address that compose.yaml gives it."""
    port = _free_port()
    bot = BotProcess(
        tmp_path / "home",
        {"STONECHAT_PUBLIC_URL": f"http://localhost:{port}"},
        port=port,
        command=(sys.executable, "-m", "bot", *_only("CMD").program),
    )
    _, *arguments, program = _only("HEALTHCHECK").program
    check = [*arguments, program.replace(PORT, str(port))]

    await bot.start()
    assert _content(check), (tmp_path / "bot.log").read_text()
    assert (await bot.link()).startswith(f"http://localhost:{port}/")
    await bot.stop()
    assert not _content(check)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _content(arguments: list[str]) -> bool:
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *arguments], capture_output=True, check=False, env={}, timeout=30
    )
    return ended.returncode == 0


@pytest.mark.parametrize("program", ["useradd", "install"])
def test_what_else_the_image_is_made_with_exists_in_debian(program: str) -> None:
    assert any(program in each.rest for each in LAST if each.name == "RUN")
    assert shutil.which(program, path="/usr/bin:/usr/sbin") is not None
