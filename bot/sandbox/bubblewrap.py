"""The sandbox made of Linux namespaces, by bubblewrap (https://github.com/containers/bubblewrap).

A program in it sees the system's /usr, an empty /tmp, the workspace, and nothing
else: no network, no home, no process but its own, no environment of ours. It
runs as nobody, without capabilities, and can make no namespace of its own.
"""

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.contracts.errors import ToolError
from bot.contracts.tool import Finished
from bot.sandbox import program
from bot.sandbox.guarded import read_only_parts
from bot.sandbox.limits import Limits, environment

_SYSTEM: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders beside /usr; most systems today have links there."""

_ETC: Final = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")
"""What of /etc programs cannot start or tell the time without."""

_TMP_BYTES: Final = 512 * 1024 * 1024

_NOBODY: Final = "65534"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """Runs each command in namespaces of its own. `python` is shown read-only, for python3."""

    executable: Path
    python: Path
    limits: Limits = field(default_factory=Limits)
    grace_seconds: float = program.GRACE_SECONDS

    @property
    def name(self) -> str:
        """What it is made of."""
        return "bubblewrap"

    async def run(self, command: str, *, root: Path, timeout_seconds: float) -> Finished:
        """Run a shell command with *root* as its only writable place.

        Nothing it started outlives this, also when it is cancelled.

        Raises:
            ToolError: the sandbox itself did not start.
        """
        guarded = await asyncio.to_thread(read_only_parts, root)
        arguments = [*self._walls(), *_workspace(root, guarded), *self._command(command)]

        async def start() -> program.Running:
            return await _start(self.executable, arguments)

        return await program.run(
            start, timeout_seconds=timeout_seconds, grace_seconds=self.grace_seconds
        )

    def _walls(self) -> Iterator[str]:
        yield from ("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL")
        yield from ("--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "sandbox")
        yield from ("--die-with-parent", "--new-session", "--clearenv")
        for name, value in environment(str(self.python)).items():
            yield from ("--setenv", name, value)
        yield from ("--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev")
        for name in _SYSTEM:
            beside = Path("/", name)
            if beside.is_symlink():
                yield from ("--symlink", str(beside.readlink()), str(beside))
            elif beside.is_dir():
                yield from ("--ro-bind", str(beside), str(beside))
        for name in _ETC:
            yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
        yield from ("--size", str(_TMP_BYTES), "--tmpfs", "/tmp")  # noqa: S108 - a fresh one
        if not self.python.is_relative_to("/usr"):
            yield from ("--ro-bind", str(self.python), str(self.python))

    def _command(self, command: str) -> Iterator[str]:
        limits = self.limits
        yield from ("--", "prlimit", f"--data={limits.memory}", f"--fsize={limits.file_size}")
        yield from (f"--nproc={limits.processes}", f"--nofile={limits.open_files}", "--core=0")
        yield from ("--", "/bin/sh" if not Path("/bin/bash").exists() else "/bin/bash")
        yield from ("-c", command)


def _workspace(root: Path, guarded: list[Path]) -> Iterator[str]:
    """Bind the workspace at its own path, and what is guarded in it read-only on top.

    ``.git`` is bound onto itself: a folder that is a mount point cannot be moved
    away, and with it cannot be its hooks.
    """
    yield from ("--bind", str(root), str(root))
    if (root / ".git").is_dir():
        yield from ("--bind", str(root / ".git"), str(root / ".git"))
    for part in guarded:
        yield from ("--ro-bind", str(part), str(part))
    yield from ("--remount-ro", "/", "--chdir", str(root))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Namespace:
    """A running bubblewrap, and the first process inside, whose end is the end of all inside."""

    process: asyncio.subprocess.Process
    init: int
    handle: int
    """A descriptor of the first process (pidfd_open(2)): it cannot come to mean another one."""

    def ask(self) -> None:
        """Ask the command's process group; the first process leads it, and ignores this."""
        with suppress(ProcessLookupError):
            os.killpg(self.init, signal.SIGTERM)

    async def end(self) -> None:
        """Kill the first process: the kernel then kills the rest, and waits for it."""
        try:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            await _readable(self.handle)
            await self.process.wait()
        finally:
            os.close(self.handle)


async def _start(executable: Path, arguments: list[str]) -> _Namespace:
    """Start bubblewrap, held back until its first process inside is known by a descriptor."""
    told, tell = os.pipe()
    held, release = os.pipe()
    try:
        try:
            process = await asyncio.create_subprocess_exec(
                executable,
                *("--info-fd", str(tell), "--block-fd", str(held)),
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(tell, held),
                env={},
                cwd="/",
            )
        finally:
            os.close(tell)
            os.close(held)
        try:
            init = int(json.loads(await _all_of(told))["child-pid"])
            return _Namespace(process=process, init=init, handle=os.pidfd_open(init))
        except (OSError, ValueError):
            with suppress(ProcessLookupError):
                process.kill()
            output, _ = await process.communicate()
    finally:
        os.close(told)
        os.close(release)
    reason = program.first_line(output.decode(errors="replace"))
    raise ToolError(f"the sandbox did not start: {reason}")


async def _all_of(pipe: int) -> bytes:
    """Read a pipe to its end."""
    known = b""
    while True:
        await _readable(pipe)
        piece = os.read(pipe, 4096)
        if not piece:
            return known
        known += piece


async def _readable(descriptor: int) -> None:
    """Wait until there is something to read, or the end."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
