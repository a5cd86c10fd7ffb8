"""``stonechat chat``: a conversation in the terminal, line by line, words as they come."""

import asyncio
import contextlib
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import typer

from bot.cli import Exit
from bot.cli.attached import attached
from bot.cli.client import Talk, why_not
from bot.cli.printable import printable
from bot.cli.start import prepare
from bot.contracts.text import clean
from bot.reply import notices
from bot.reply.notices import Language
from channels.webchat.protocol import (
    AcceptedFrame,
    CommandOffer,
    DroppedFrame,
    EndedFrame,
    LineFrame,
    MadeFrame,
    OpenFrame,
    RefusedFrame,
    ServerFrame,
    StatusFrame,
    ToolFrame,
    WelcomeFrame,
    WordsFrame,
)

_PROMPT: Final = "> "
_STOPPED: Final = frozenset(notices.interrupted(language).fallback for language in Language)
"""What stands below words that were stopped."""
_BEGUN: Final = re.compile(r"/\w*")
"""What may be the beginning of a command's name."""


def chat(*, debug: bool) -> Exit:
    """Talk until Ctrl-D. Ctrl-C stops what runs.

    Raises:
        ConfigError: something that the operator must mend.
        BotGone: the bot went away and did not come back.
    """
    settings = prepare(debug=debug, quiet=True)

    async def talked() -> None:
        async with attached(settings) as talk:
            stops: asyncio.Queue[None] = asyncio.Queue()
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGINT, stops.put_nowait, None)
            try:
                await Conversation(talk, _write).run(_typed_lines(), stops)
            finally:
                loop.remove_signal_handler(signal.SIGINT)

    asyncio.run(talked())
    return Exit.DONE


class Conversation:
    """What is typed goes to the bot; what the bot says goes to the screen."""

    def __init__(self, talk: Talk, write: Callable[[str], None]) -> None:
        self._talk = talk
        self._screen = Screen(write)

    async def run(self, lines: AsyncIterator[str], stops: "asyncio.Queue[None]") -> None:
        """Talk until *lines* end and everything said has its outcome."""
        tasks = [
            asyncio.create_task(self._speak(lines)),
            asyncio.create_task(self._listen()),
            asyncio.create_task(self._stop(stops)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _speak(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            self._screen.typed()
            text = clean(line)
            if not text.strip():
                self._screen.prompt()
            elif reason := why_not(text):
                self._screen.note(reason)
            elif fitting := self._screen.completions(text):
                self._screen.offer(fitting)
            else:
                self._screen.expect(await self._talk.say(text))
        await self._screen.all_ended()
        self._screen.leave()

    async def _listen(self) -> None:
        async with contextlib.aclosing(self._talk.frames()) as frames:
            async for frame in frames:
                self._screen.show(frame)

    async def _stop(self, stops: "asyncio.Queue[None]") -> None:
        while True:
            await stops.get()
            if self._screen.busy:
                await self._talk.stop()
            else:
                self._screen.note("nothing runs; Ctrl-D leaves")


class Screen:
    """Paints frames as lines of a terminal."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._said: set[str] = set()
        """What was said and is not accepted yet."""
        self._open: set[str] = set()
        """Turns that wait or run."""
        self._streamed: set[str] = set()
        """Turns whose answer stands on the screen already, word by word."""
        self._told: set[str] = set()
        """Turns whose answer stands there as a line: words of it that come later are late news."""
        self._writing: str | None = None
        """The turn in whose words the cursor stands."""
        self._prompted = False
        """Whether the cursor stands behind a prompt."""
        self._idle = asyncio.Event()
        self._commands: tuple[CommandOffer, ...] = ()
        """What may be asked of the bot itself, as it said at the beginning."""

    @property
    def busy(self) -> bool:
        """Whether anything was said that has no outcome yet."""
        return bool(self._said or self._open)

    def completions(self, text: str) -> Sequence[CommandOffer]:
        """Return the commands that *text* begins, unless it is one (pure)."""
        begun = text.strip().casefold()
        if not _BEGUN.fullmatch(begun):
            return ()
        names = {name for one in self._commands for name in (one.name, *one.aliases)}
        if begun[1:] in names:
            return ()
        return [one for one in self._commands if one.name.startswith(begun[1:])]

    def offer(self, fitting: Sequence[CommandOffer]) -> None:
        """Show what could be meant; nothing was said to the bot."""
        for one in fitting:
            self._line(printable(f"· /{one.name} {one.arguments}".rstrip() + f": {one.summary}"))
        if not self.busy:
            self.prompt()

    def expect(self, message_id: str) -> None:
        """Count a message that was said; its outcome is owed."""
        self._said.add(message_id)
        self._idle.clear()

    async def all_ended(self) -> None:
        """Wait until nothing is owed."""
        if self.busy:
            await self._idle.wait()

    def prompt(self) -> None:
        """Show that a line may be typed."""
        if not self._prompted:
            self._write(_PROMPT)
        self._prompted = True

    def typed(self) -> None:
        """Take note that a line was typed, which left the prompt."""
        self._prompted = False

    def leave(self) -> None:
        """Leave the terminal at the beginning of a line."""
        self._below()

    def note(self, sentence: str) -> None:
        """Write a quiet line, and the prompt again if nothing runs."""
        self._line(f"· {sentence}")
        if not self.busy:
            self.prompt()

    def show(self, frame: ServerFrame) -> None:
        """Paint one frame."""
        match frame:
            case WelcomeFrame():
                self._streamed.clear()
                self._told.clear()
                self._commands = frame.commands
                if frame.problem:
                    self._line(f"! {printable(frame.problem)}")
            case OpenFrame():
                self._open = {one.turn for one in frame.turns}
                self._settle()
            case AcceptedFrame():
                if frame.id in self._said:
                    self._said.discard(frame.id)
                    self._open.add(frame.turn)
            case RefusedFrame():
                self._refused(frame)
            case EndedFrame():
                self._ended(frame)
            case LineFrame():
                self._said_line(frame)
            case _:
                self._live(frame)

    def _live(self, frame: ServerFrame) -> None:
        match frame:
            case WordsFrame(turn=turn) if turn in self._told:
                pass
            case WordsFrame():
                if self._writing != frame.turn:
                    self._below()
                    self._writing = frame.turn
                self._write(printable(frame.text))
            case MadeFrame():
                if frame.final and self._writing == frame.turn:
                    self._streamed.add(frame.turn)
                self._break()
            case DroppedFrame():
                self._line("· that broke off; it begins again")
            case ToolFrame(state="running"):
                self._line(printable(f"· {frame.name} {frame.summary}"))
            case ToolFrame(state=state) if state != "ok":
                self._line(printable(f"· {frame.name}: {state}"))
            case StatusFrame(state="retrying"):
                self._line(printable(f"· {frame.reason}"))
            case _:
                pass

    def _said_line(self, line: LineFrame) -> None:
        if line.direction == "heard" or (line.kind == "answer" and line.turn in self._streamed):
            return
        if line.kind == "answer":
            self._told.add(line.turn)
        self._line(printable(self._unread(line)))

    def _unread(self, line: LineFrame) -> str:
        """Return what of *line* is not on the screen: below words that were stopped, the mark."""
        words, _, mark = line.text.rpartition("\n\n")
        cut_off = line.kind == "answer" and self._writing == line.turn
        return mark if cut_off and words and mark in _STOPPED else line.text

    def _refused(self, frame: RefusedFrame) -> None:
        if frame.retry is None:
            self._said.discard(frame.id)
        self._line(printable(f"· {frame.reason}"))
        self._settle()

    def _ended(self, frame: EndedFrame) -> None:
        if frame.turn not in self._open:
            return
        self._open.discard(frame.turn)
        if frame.outcome in {"interrupted", "failed"} and not frame.text:
            self._line(printable(f"· {frame.outcome}: {frame.reason}"))
        self._settle()

    def _settle(self) -> None:
        if not self.busy:
            self._break()
            self._idle.set()
            self.prompt()

    def _break(self) -> None:
        """End the line that words were written to."""
        if self._writing is not None:
            self._writing = None
            self._write("\n")

    def _below(self) -> bool:
        """Begin a new line, and say whether a prompt was left for it."""
        self._break()
        left, self._prompted = self._prompted, False
        if left:
            self._write("\n")
        return left

    def _line(self, text: str) -> None:
        left = self._below()
        self._write(f"{text}\n")
        if left:
            self.prompt()


async def _typed_lines() -> AsyncIterator[str]:
    """Give out what is typed, line by line. The thread that reads may outlive the command."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(typed.put_nowait, line)
        loop.call_soon_threadsafe(typed.put_nowait, "")

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while line := await typed.get():
        yield line.rstrip("\n")


def _write(text: str) -> None:
    typer.echo(text, nl=False)
