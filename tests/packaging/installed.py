"""The wheel, in an environment that holds what requirements.txt pins and nothing else.

Its packages are links to those of `.venv`, which come from the same pins with the same
hashes: so nothing is fetched, and a package that is not pinned for running is not there.
"""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_PIN: Final = re.compile(r"^([\w.-]+)==([^\s;\\]+)(?: *; *([^\\]+))?", re.MULTILINE)


@dataclass(frozen=True)
class Installed:
    """``stonechat`` as somebody has it who never saw the checkout."""

    venv: Path
    folder: Path
    """Empty, and both where it is started and HOME."""

    @property
    def command(self) -> Path:
        return self.venv / "bin" / "stonechat"

    @property
    def environ(self) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}

    def say(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Type ``stonechat ARGUMENTS``."""
        return subprocess.run(  # noqa: S603 - our own program
            [str(self.command), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            timeout=60,
            env=self.environ,
        )

    def python(self, program: str) -> str:
        """Return what *program* prints in this environment."""
        ended = subprocess.run(  # noqa: S603 - the interpreter of our own environment
            [str(self.venv / "bin" / "python"), "-I", "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=self.folder,
            env=self.environ,
        )
        return ended.stdout.strip()


def built_wheel(folder: Path) -> Path:
    """Build the wheel as pip does from a folder, with the tools that are pinned."""
    _pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    [wheel] = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Installed:
    """Install *wheel* into a new environment below *folder*."""
    environment, home = empty_environment(folder / "venv"), folder / "h"
    home.mkdir()
    _pip("--python", str(environment), "install", "--no-deps", str(wheel))
    return Installed(venv=environment, folder=home)


def empty_environment(folder: Path, *also: str) -> Path:
    """Make an environment that holds what is pinned for running, and *also*."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    [packages] = folder.glob("lib/python*/site-packages")
    for pinned in (*pinned_to_run(), *map(distribution, also)):
        for top in _tops(pinned):
            (packages / top.name).symlink_to(top)
    return folder


def pinned_to_run() -> Iterator[Distribution]:
    """Give what requirements.txt pins for this platform, as it lies in `.venv`."""
    for name, version, marker in _PIN.findall((ROOT / "requirements.txt").read_text()):
        try:
            found = distribution(name)
        except PackageNotFoundError:
            assert marker, f"{name} is pinned and not installed"
            continue
        assert found.version == version, f"{name} {found.version} is not the pinned {version}"
        yield found


def editable(source: Path, environment: Path) -> None:
    """Install a checkout so that it runs from where it lies, as script/set_up.py does."""
    _pip(
        "--python",
        str(environment),
        "install",
        "--no-deps",
        "--no-build-isolation",
        "-e",
        str(source),
    )


def check(it: Installed) -> str:
    """Say what of its requirements the environment lacks, as pip sees it."""
    return _pip("--python", str(it.venv), "check")


def _tops(found: Distribution) -> set[Path]:
    """Return the files and folders of a distribution that lie in site-packages itself."""
    root = Path(str(found.locate_file(""))).resolve()
    tops = {
        file.parts[0] for file in found.files or () if file.parts[0] not in {"..", "__pycache__"}
    }
    return {root / top for top in tops if (root / top).exists()}


def _pip(*arguments: str) -> str:
    ended = subprocess.run(  # noqa: S603 - pip of our own environment
        [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PIP_NO_INDEX": "1"},
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
