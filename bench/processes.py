"""Processes the bench starts, and what the system knows of them."""

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
_PATIENCE_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.003


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A process, and when it was started."""

    process: asyncio.subprocess.Process
    began: float

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    def cpu_seconds(self) -> float:
        """What its threads have computed; those that are gone do not count (proc(5))."""
        nanoseconds = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with suppress(OSError):
                nanoseconds += int((task / "schedstat").read_text().split()[0])
        return nanoseconds / 1e9

    def pss_bytes(self) -> int:
        """Its proportional share of memory (proc(5), smaps_rollup)."""
        text = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        found = re.search(r"^Pss:\s+(\d+) kB$", text, re.MULTILINE)
        return int(found[1]) * 1024 if found else 0

    async def line(self) -> str:
        """Return the next line that it prints."""
        if self.process.stdout is None:
            raise ValueError("its output is not read")
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return (await self.process.stdout.readline()).decode().strip()


@asynccontextmanager
async def a_process(
    *arguments: str, environ: Mapping[str, str] | None = None, log: Path | None = None
) -> AsyncIterator[Running]:
    """Run Python with *arguments* at the root of this checkout; end it as an operator would."""
    began = time.monotonic()
    with (log or Path(os.devnull)).open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            cwd=ROOT,
            env=_plain(environ or {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    try:
        yield Running(process=process, began=began)
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        await process.communicate()


async def output_of(*arguments: str, environ: Mapping[str, str] | None = None) -> str:
    """Run Python with *arguments* to its end and return what it printed.

    Raises:
        SystemExit: it failed.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=ROOT,
        env=_plain(environ or {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, errors = await process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{errors.decode()[-2000:]}")
    return printed.decode()


def home_in(folder: Path, name: str) -> Path:
    """Make an empty state directory."""
    home = folder / name
    home.mkdir(mode=0o700)
    return home


def database_in(home: Path) -> str:
    """Return the name of the one database in *home* that is written to.

    Raises:
        SystemExit: there is none, or more than one.
    """
    found = [file.name.removesuffix("-wal") for file in home.glob("*-wal")]
    if len(found) != 1:
        raise SystemExit(f"expected one database in {home}, found {found}")
    return found[0]


def bot_environ(home: Path, **more: str) -> dict[str, str]:
    """Return what a bot is started with."""
    return {"HOME": str(home), "STONECHAT_HOME": str(home), **more}


async def until_open(path: Path) -> None:
    """Return once somebody listens on the socket at *path*."""
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_unix_connection(path)
                writer.close()
                return
            await asyncio.sleep(_POLL_SECONDS)


async def until_served(port: int) -> None:
    """Return once ``GET /`` is answered with 200."""
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % port
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request)
                answer = await reader.readline()
                writer.close()
                if b" 200 " in answer:
                    return
            await asyncio.sleep(_POLL_SECONDS)


def installed_bytes(root: Path) -> int:
    """Return the size of all that `requirements.txt` pins, and of the bot, without bytecode."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - slow

    names = re.findall(
        r"^([A-Za-z0-9._-]+)==", (root / "requirements.txt").read_text(), re.MULTILINE
    )
    total = 0
    for name in names:
        with suppress(PackageNotFoundError):
            files: Sequence[Path] = [
                Path(str(file.locate())) for file in distribution(name).files or ()
            ]
            total += _size(files)
    for folder in ("bot", "channels", "workspace-template", "config"):
        total += _size([file for file in (root / folder).rglob("*") if file.is_file()])
    return total


def _size(files: Sequence[Path]) -> int:
    total = 0
    for file in files:
        if file.suffix != ".pyc":
            with suppress(OSError):
                total += file.stat().st_size
    return total


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """Nothing of a person's own: no keys, no proxies."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environ}
