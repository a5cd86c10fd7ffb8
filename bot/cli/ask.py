"""``stonechat ask``: one message, its outcome, an exit code that says which."""

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer

from bot.cli import Exit
from bot.cli.attached import attached
from bot.cli.client import NotAttached, Talk, is_answered, why_not
from bot.cli.printable import printable
from bot.cli.start import prepare
from bot.contracts.text import clean
from bot.settings.terminal import command_name
from channels.webchat.protocol import AcceptedFrame, EndedFrame, RefusedFrame

_STOP_SECONDS: Final = 10.0
"""How long a stop may take before the command leaves without having seen the end."""

_REFUSED_SECONDS: Final = 30.0
"""How long a message may be put off, by a full disk for one, before the command gives up."""


def ask(
    text: str, files: Sequence[Path] = (), *, as_json: bool, timeout: float | None, debug: bool
) -> Exit:
    """Say *text* with *files*, print how it ended, and return the exit code for that.

    Raises:
        typer.BadParameter: there is nothing to say, or too much.
        ConfigError: something that the operator must mend.
        NotAttached: a file cannot be read, or is not taken.
        BotGone: the bot went away and did not come back.
    """
    text = _said(text)
    settings = prepare(debug=debug, quiet=True)

    async def answered() -> EndedFrame:
        async with attached(settings) as talk:
            stopping = asyncio.Event()
            with _set_by_ctrl_c(stopping):
                attachments = [await talk.attach(path) for path in files]
                return await outcome(talk, text, stopping, timeout, attachments)

    ended = asyncio.run(answered())
    _print(ended, as_json=as_json)
    match ended.outcome:
        case "answered" | "asked" | "silent":
            return Exit.DONE
        case "interrupted":
            return Exit.INTERRUPTED
        case "failed":
            return Exit.FAILED


def hand_over(text: str, files: Sequence[Path] = (), *, debug: bool) -> Exit:
    """Say *text* with *files* to the bot that runs, and print the id of its turn.

    Raises:
        typer.BadParameter: there is nothing to say, or too much.
        NotAttached: no bot runs, or a file is not taken.
        BotGone: the bot went away and did not come back.
    """
    text = _said(text)
    settings = prepare(debug=debug, quiet=True)

    async def accepted() -> AcceptedFrame | RefusedFrame:
        if not await is_answered(settings.control_socket):
            start = f"start it with `{command_name()} run`, or leave --no-wait out"
            raise NotAttached(f"no bot runs that could answer later; {start}")
        async with attached(settings) as talk:
            attachments = [await talk.attach(path) for path in files]
            message_id = await talk.say(text, attachments)
            async with contextlib.aclosing(talk.frames()) as frames:
                async for frame in frames:
                    if isinstance(frame, AcceptedFrame | RefusedFrame) and frame.id == message_id:
                        return frame
        raise AssertionError("frames end only by an error")

    frame = asyncio.run(accepted())
    if isinstance(frame, AcceptedFrame):
        typer.echo(frame.turn)
        return Exit.DONE
    typer.echo(printable(f"(not taken: {frame.reason})"), err=True)
    return Exit.FAILED


def _said(text: str) -> str:
    text = clean(sys.stdin.read() if text == "-" else text)
    if reason := why_not(text):
        raise typer.BadParameter(reason)
    return text


async def outcome(
    talk: Talk,
    text: str,
    stopping: asyncio.Event,
    within: float | None,
    attachments: Sequence[str] = (),
) -> EndedFrame:
    """Say *text* and return how its turn ended.

    When *stopping* is set, or after *within* seconds, it is asked to stop, and
    its end is still waited for: what was accepted has an outcome.
    """
    waiting = asyncio.create_task(_ended(talk, text, attachments))
    asked = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({waiting, asked}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        await talk.stop()
        await asyncio.wait({waiting}, timeout=_STOP_SECONDS)
        if not waiting.done():
            return EndedFrame(turn="", outcome="interrupted", reason="it did not stop in time")
        ended = waiting.result()
        if asked.done() or ended.outcome != "interrupted":
            return ended
        return EndedFrame(
            turn=ended.turn,
            outcome=ended.outcome,
            reason=f"no answer within {within:g} seconds",
            usage=ended.usage,
        )
    finally:
        for task in (waiting, asked):
            task.cancel()
        await asyncio.gather(waiting, asked, return_exceptions=True)


async def _ended(talk: Talk, text: str, attachments: Sequence[str]) -> EndedFrame:
    message_id = await talk.say(text, attachments)
    turn: str | None = None
    ends: dict[str, EndedFrame] = {}
    refused_since: float | None = None
    loop = asyncio.get_running_loop()
    async with contextlib.aclosing(talk.frames()) as frames:
        async for frame in frames:
            match frame:
                case AcceptedFrame(id=accepted) if accepted == message_id:
                    turn = frame.turn
                case EndedFrame():
                    # The end of a command answered at the door may come before its acceptance.
                    ends[frame.turn] = frame
                case RefusedFrame(id=refused) if refused == message_id:
                    refused_since = refused_since or loop.time()
                    if frame.retry is None or loop.time() - refused_since > _REFUSED_SECONDS:
                        return EndedFrame(turn="", outcome="failed", reason=frame.reason)
                case _:
                    pass
            if turn in ends:
                return ends[turn]
    raise AssertionError("frames end only by an error")


def _print(ended: EndedFrame, *, as_json: bool) -> None:
    if as_json:
        told = {
            "outcome": ended.outcome,
            "text": ended.text,
            "reason": ended.reason,
            "turn": ended.turn,
            "usage": asdict(ended.usage),
        }
        typer.echo(json.dumps(told, ensure_ascii=False))
    elif ended.outcome in {"answered", "asked"}:
        typer.echo(printable(ended.text))
    else:
        typer.echo(printable(ended.text or f"({ended.outcome}: {ended.reason})"), err=True)


@contextlib.contextmanager
def _set_by_ctrl_c(event: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, event.set)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
