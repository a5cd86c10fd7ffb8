"""The sandbox made of Landlock and seccomp, for machines where namespaces are not to be had.

It is the second best. A command sees the names and sizes of files outside,
though not what is in them, and the processes of the machine share its numbers.
Landlock only grants and never takes back, so what is guarded in a workspace is
kept by not granting the folder it lies in: there a command may change files
that exist, and make none. File modes can be changed nowhere.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from bot.contracts.tool import Finished
from bot.sandbox import launcher, program
from bot.sandbox.guarded import read_only_parts
from bot.sandbox.limits import Limits, environment

_LOOK: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
)
"""Where programs and their libraries lie."""

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True, kw_only=True)
class Landlock:
    """Runs each command behind rules of its own. `python` may be read, for python3."""

    python: Path
    limits: Limits = field(default_factory=Limits)
    grace_seconds: float = program.GRACE_SECONDS

    @property
    def name(self) -> str:
        """What it is made of."""
        return "Landlock and seccomp"

    async def run(self, command: str, *, root: Path, timeout_seconds: float) -> Finished:
        """Run a shell command with *root* as its only writable place, and a folder for TMPDIR.

        Nothing it started outlives this, also when it is cancelled.

        Raises:
            ToolError: what is guarded in *root* could not be kept.
        """
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
            plan = await asyncio.to_thread(self._plan, command, root, own)

            async def start() -> program.Running:
                return _Launched(process=await _start(plan))

            return await program.run(
                start, timeout_seconds=timeout_seconds, grace_seconds=self.grace_seconds
            )

    def _plan(self, command: str, root: Path, own: str) -> dict[str, object]:
        """Say to the launcher what to run and what to grant. Blocks."""
        guarded = read_only_parts(root)
        look = [*(place for place in _LOOK if Path(place).exists()), str(self.python), str(root)]
        return {
            "parent": os.getpid(),
            "command": command,
            "shell": "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh",
            "root": str(root),
            "look": look,
            "write": [*map(str, _writable(root, guarded)), own, *_DEVICES],
            "environment": environment(str(self.python)) | {"HOME": own, "TMPDIR": own},
            "limits": asdict(self.limits),
            "grace_seconds": self.grace_seconds,
        }


def _writable(place: Path, guarded: list[Path]) -> Iterator[Path]:
    """The largest parts of *place* that contain nothing guarded; no link is among them."""
    if place in guarded or place.is_symlink():
        return
    if not any(part.is_relative_to(place) for part in guarded):
        yield place
        return
    for child in sorted(place.iterdir()):
        yield from _writable(child, guarded)


async def _start(plan: dict[str, object]) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", launcher.__file__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        env={},
        cwd="/",
    )
    assert process.stdin is not None  # noqa: S101 - it was started with a pipe
    process.stdin.write(json.dumps(plan).encode())
    process.stdin.close()
    return process


@dataclass(frozen=True, slots=True, kw_only=True)
class _Launched:
    """A running launcher. It ends when everything below it has."""

    process: asyncio.subprocess.Process

    def ask(self) -> None:
        """Ask once: the launcher passes it on."""
        self._tell()

    async def end(self) -> None:
        """Ask again: the launcher ends everything, then itself."""
        self._tell()
        await self.process.wait()

    def _tell(self) -> None:
        with suppress(ProcessLookupError):
            self.process.terminate()
