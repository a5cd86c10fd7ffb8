"""The real process on a disk of its own that a test fills and empties: a tmpfs only it can see."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.doubles.bot_process import BotProcess

_BYTES = 8 * 1024 * 1024
_OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")
_ON_A_SMALL_DISK = 'mount -t tmpfs -o size="$0",mode=0700 none "$STONECHAT_HOME" && exec "$@"'
_PIECE = 64 * 1024
_PATIENCE_SECONDS = 20.0


def _may_mount() -> bool:
    try:
        tried = subprocess.run(  # noqa: S603 - a fixed command
            [*_OWN_MOUNTS, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        )
    except OSError:
        return False
    return tried.returncode == 0


needs_small_disk = pytest.mark.skipif(
    "CI" not in os.environ and not _may_mount(),
    reason="NOT TESTED: this machine lets nobody mount a small disk (unshare --user --mount)",
)


class BotOnSmallDisk(BotProcess):
    """``stonechat run`` whose state directory is a disk of so many bytes."""

    def __init__(
        self, home: Path, environ: Mapping[str, str] | None = None, *, size: int = _BYTES
    ) -> None:
        home.mkdir(mode=0o700)
        shell = (*_OWN_MOUNTS, "sh", "-c", _ON_A_SMALL_DISK, str(size))
        super().__init__(home, environ, command=(*shell, sys.executable, "-m", "bot", "run"))

    @property
    def disk(self) -> Path:
        """Its state directory as seen from here."""
        return Path(f"/proc/{self.pid}/root{self.home}")

    @property
    def control_socket(self) -> Path:
        return self.disk / "control.sock"

    @property
    def log(self) -> Path:
        """What it said, on another disk."""
        return self.home.parent / "bot.log"

    def fill(self) -> None:
        """Leave no byte free."""
        piece = _PIECE
        with (self.disk / "ballast").open("ab", buffering=0) as ballast:
            while piece:
                try:
                    ballast.write(b"x" * piece)
                except OSError:
                    piece //= 2

    def empty(self) -> None:
        """Give the room back."""
        (self.disk / "ballast").unlink()

    async def logs(self, event: str) -> None:
        """Wait until its log tells of *event*."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while f'"event": "{event}"' not in self.log.read_text():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.02)
