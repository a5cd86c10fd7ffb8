"""Which sandbox this machine has: found by running a real command in it."""

import asyncio
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.contracts.errors import ToolError
from bot.contracts.tool import Sandbox
from bot.sandbox.bubblewrap import Bubblewrap
from bot.sandbox.landlock import Landlock
from bot.sandbox.limits import SYSTEM_PATH
from bot.sandbox.program import first_line

_TRIAL: Final = 'cat "{outside}" 2> /dev/null; echo works > inside && cat inside'
"""It must not read a file outside, and must be able to write one inside."""

_TRIAL_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSandbox:
    """There is none; `reason` says why and what to do."""

    reason: str


async def find_sandbox(
    *, shell_python: Path | None = None, path: str = SYSTEM_PATH, platform: str = sys.platform
) -> Sandbox | NoSandbox:
    """Return the first sandbox that proves itself on this machine: bubblewrap, else Landlock.

    *shell_python* is the prefix of the Python that programs inside shall find as
    ``python3``: the one that runs this, unless told otherwise. *path* is where
    bubblewrap is looked for.
    """
    if platform != "linux":
        return NoSandbox(reason=f"no shell: there is no sandbox for it on {platform} yet")
    python = await asyncio.to_thread((shell_python or Path(sys.base_prefix)).resolve)
    faults = []
    if executable := shutil.which("bwrap", path=path):
        candidates: tuple[Sandbox, ...] = (
            Bubblewrap(executable=Path(executable), python=python),
            Landlock(python=python),
        )
    else:
        faults.append("bubblewrap is not installed (Debian, Ubuntu: apt-get install bubblewrap)")
        candidates = (Landlock(python=python),)
    for sandbox in candidates:
        fault = await _try(sandbox)
        if fault is None:
            return sandbox
        faults.append(f"{sandbox.name} does not work here: {fault}")
    return NoSandbox(reason=f"no shell: {'; '.join(faults)}")


async def _try(sandbox: Sandbox) -> str | None:
    """Run a real command; return what went wrong, or None."""
    with tempfile.NamedTemporaryFile() as outside, tempfile.TemporaryDirectory() as inside:
        outside.write(b"seen\n")
        outside.flush()
        root = await asyncio.to_thread(Path(inside).resolve)
        command = _TRIAL.format(outside=outside.name)
        try:
            finished = await sandbox.run(command, root=root, timeout_seconds=_TRIAL_SECONDS)
        except ToolError as error:
            return str(error)
        except OSError as error:
            return error.strerror or type(error).__name__
    return None if finished.output == "works\n" else first_line(finished.output)


def note_on(sandbox: Sandbox | NoSandbox) -> str:
    """Say for the model how programs run here, or why they do not (pure)."""
    if isinstance(sandbox, NoSandbox):
        return f"You cannot run programs here: {sandbox.reason}."
    return (
        "Programs run in a sandbox: the workspace is their only writable place, "
        "and there is no network."
    )
