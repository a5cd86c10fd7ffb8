"""Somebody who types a command and reads what it says, with a state directory of their own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_STONECHAT = str(Path(sys.executable).with_name("stonechat"))


@dataclass(frozen=True)
class Said:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Commands:
    """``stonechat`` in *folder*, which is also HOME."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / ".stonechat"

    def configure(self, yaml: str) -> None:
        """Write the settings."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        (self.home / "config.yaml").write_text(yaml)

    def say(self, *arguments: str, **environ: str) -> Said:
        """Type ``stonechat ARGUMENTS`` and wait until it has ended."""
        return self.say_with("", *arguments, **environ)

    def say_with(self, typed: str, *arguments: str, **environ: str) -> Said:
        """Type ``stonechat ARGUMENTS``, with *typed* piped in, and wait until it has ended."""
        return self.say_in(ROOT, *arguments, typed=typed, **environ)

    def say_in(self, cwd: Path, *arguments: str, typed: str = "", **environ: str) -> Said:
        """Type it in the folder *cwd*."""
        ended = subprocess.run(  # noqa: S603 - our own program
            [_STONECHAT, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            input=typed,
            timeout=60,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **environ},
        )
        return Said(code=ended.returncode, out=ended.stdout, err=ended.stderr)
