"""What the contracts of a sandbox have in common: programs to run, and looks from the outside."""

import asyncio
import sys
from pathlib import Path

from bot.contracts.tool import Finished, Sandbox

PYTHON = Path(sys.base_prefix)

GUARDED = ["SOUL.md", "AGENTS.md", "IDENTITY.md", "USER.md", ".env", ".env.local"]

ANOTHER_BOT = """
import asyncio, pickle, sys
from pathlib import Path
sandbox = pickle.loads(bytes.fromhex(sys.argv[1]))
finished = asyncio.run(sandbox.run(sys.argv[2], root=Path(sys.argv[3]), timeout_seconds=60.0))
print(finished.output)
"""

STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        break
open("started", "w").close()
time.sleep(1000)
"""


async def run(sandbox: Sandbox, root: Path, command: str, seconds: float = 20.0) -> Finished:
    return await sandbox.run(command, root=root, timeout_seconds=seconds)


def alive(mark: str) -> list[str]:
    """Processes whose command line has *mark*, seen from the outside."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found


async def started(root: Path) -> None:
    """Wait until the stubborn program says so, by the file it makes."""
    while not (root / "started").exists():  # noqa: ASYNC110 - a file is what there is
        await asyncio.sleep(0.01)
