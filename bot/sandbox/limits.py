"""What a program in a sandbox may use up, and which environment it finds."""

from dataclasses import dataclass
from typing import Final

SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where programs are looked for, outside and inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Resource limits (setrlimit(2)) of each program, bytes and counts.

    `memory` is RLIMIT_DATA, which counts what a program writes to and not what
    it reserves, since some runtimes reserve far more than there is. `processes`
    does not bind where the bot runs as root: the kernel exempts uid 0.
    """

    memory: int = 2 * 1024**3
    file_size: int = 1024**3
    processes: int = 512
    open_files: int = 1024


def environment(python: str) -> dict[str, str]:
    """Everything a program finds in its environment; nothing of ours is in it (pure)."""
    return {
        "PATH": f"{python}/bin:{SYSTEM_PATH}",
        "HOME": "/tmp",  # noqa: S108 - its own, empty, gone when it ends
        "TMPDIR": "/tmp",  # noqa: S108 - of the sandbox, made anew for each run
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "USER": "nobody",
        "LOGNAME": "nobody",
    }
