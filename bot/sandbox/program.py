"""One program: started, listened to, and ended with everything it started."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from bot.contracts.tool import Finished

OUTPUT_BYTES: Final = 32_000
"""How much of a program's output is kept; the middle of more is dropped as it comes."""

GRACE_SECONDS: Final = 0.4
"""Between asking a program to stop and stopping it: who wrote /stop sees it stopped in a second."""


class Running(Protocol):
    """A program with all its descendants, as a sandbox can reach them."""

    @property
    def process(self) -> asyncio.subprocess.Process:
        """What was started; stdout and stderr are one pipe."""
        ...

    def ask(self) -> None:
        """Ask everything in it to stop (TERM)."""
        ...

    async def end(self) -> None:
        """Stop everything in it (KILL) and return when nothing of it lives."""
        ...


Start = Callable[[], Awaitable[Running]]
"""How a sandbox starts its program."""


async def run(start: Start, *, timeout_seconds: float, grace_seconds: float) -> Finished:
    """Run a program to its end, or end it.

    However this ends, also when it is cancelled, and cancelled again: what the
    program started, and what those started, has ended before this returns.
    """
    stop = asyncio.Event()
    life = asyncio.create_task(_life(start, stop, timeout_seconds, grace_seconds))
    try:
        return await asyncio.shield(life)
    except asyncio.CancelledError:
        stop.set()
        while not life.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({life})
        if not life.cancelled():
            life.exception()  # heard; being cancelled is what the caller has to know
        raise


async def _life(
    start: Start, stop: asyncio.Event, timeout_seconds: float, grace_seconds: float
) -> Finished:
    program = await start()
    output = asyncio.create_task(_listen(program.process))
    ended = asyncio.create_task(program.process.wait())
    stopped = asyncio.create_task(stop.wait())
    try:
        done, _ = await asyncio.wait(
            {ended, stopped}, timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if ended not in done:
            program.ask()
            await asyncio.wait({ended}, timeout=grace_seconds)
    finally:
        stopped.cancel()
        await program.end()
    return Finished(exit_code=await ended, output=await output, timed_out=not done)


async def _listen(process: asyncio.subprocess.Process) -> str:
    """Read all that comes, keep the beginning and the end."""
    head, tail, dropped = bytearray(), bytearray(), 0
    assert process.stdout is not None  # noqa: S101 - it was started with a pipe
    while piece := await process.stdout.read(65_536):
        room = OUTPUT_BYTES // 2 - len(head)
        head += piece[:room]
        tail += piece[room:]
        surplus = max(len(tail) - OUTPUT_BYTES // 2, 0)
        dropped += surplus
        del tail[:surplus]
    if not dropped:
        return (head + tail).decode(errors="replace")
    mark = f"\n[… {dropped:,} bytes left out …]\n"
    return head.decode(errors="replace") + mark + tail.decode(errors="replace")


def first_line(output: str) -> str:
    """What a program that would not start said first, for a sentence (pure)."""
    lines = output.strip().splitlines()
    return lines[0][:300] if lines else "it said nothing"
