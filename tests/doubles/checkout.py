"""A checkout with the real scripts and hollow programs around them, each of which keeps a diary."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "basename", "id", "mktemp", "tail", "rm", "cat")

_VENV_PYTHON = """#!/bin/sh
if [ "$2" = -c ]; then echo '{venv}'; exit; fi
echo "$@" >>'{diary}'
[ ! -e '{broken}' ] || {{ echo 'no such host'; exit 1; }}
"""
_STONECHAT = """#!/bin/sh
echo "stonechat as $STONECHAT_COMMAND: $*" >>'{diary}'
"""


@dataclass(frozen=True)
class Ended:
    """How a script ended, and what it said to the person."""

    code: int
    said: str


@dataclass(frozen=True)
class Checkout:
    """The folder, with a `bin` that is all of PATH."""

    folder: Path

    @property
    def diary(self) -> list[str]:
        """What the hollow programs were asked to do."""
        diary = self.folder / "diary"
        return diary.read_text().splitlines() if diary.exists() else []

    def program(self, name: str, text: str) -> None:
        """Put a program into PATH."""
        path = self.folder / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def network_is_down(self, *, down: bool) -> None:
        """Let pip fail, or work again."""
        broken = self.folder / "broken"
        if down:
            broken.touch()
        else:
            broken.unlink(missing_ok=True)

    def start(self, script: str, *arguments: str, **environ: str) -> "subprocess.Popen[str]":
        """Start a script with nothing but *environ* and PATH around it."""
        return subprocess.Popen(  # noqa: S603 - a copy of our own script
            [str(self.folder / script), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            env={"PATH": str(self.folder / "bin"), "HOME": str(self.folder), **environ},
        )

    def run(self, script: str, *arguments: str, **environ: str) -> Ended:
        """Start a script and wait until it has ended."""
        with self.start(script, *arguments, **environ) as process:
            said, _ = process.communicate(timeout=60)
        return Ended(code=process.returncode, said=said)


def a_checkout(folder: Path) -> Checkout:
    """Lay one out in *folder*, with a Python that works and an environment that pretends to."""
    checkout = Checkout(folder)
    for name in ("script", ".ci"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("requirements.txt", "requirements-dev.txt", "pyproject.toml"):
        (folder / name).write_text(f"# {name}\n")
    (folder / "bin").mkdir()
    for tool in TOOLS:
        path = shutil.which(tool)
        assert path is not None
        (folder / "bin" / tool).symlink_to(path)
    checkout.program("python3", f'exec "{sys.executable}" "$@"')
    venv = folder / ".venv"
    (venv / "bin").mkdir(parents=True)
    places = {"venv": venv, "diary": folder / "diary", "broken": folder / "broken"}
    for name, text in (("python", _VENV_PYTHON), ("stonechat", _STONECHAT)):
        (venv / "bin" / name).write_text(text.format(**places))
        (venv / "bin" / name).chmod(0o755)
    return checkout
