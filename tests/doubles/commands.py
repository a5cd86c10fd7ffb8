"""Somebody who types a command and reads what it says, with a state directory of their own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


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
        ended = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "bot", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            input=typed,
            timeout=60,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **environ},
        )
        return Said(code=ended.returncode, out=ended.stdout, err=ended.stderr)
