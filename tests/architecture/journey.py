"""One message through the whole bot, and which functions of ours were entered on its way."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from bot.cli.ask import outcome
from bot.cli.attached import attached
from bot.settings import read_settings
from channels.webchat.protocol import EndedFrame
from tests.architecture.source import ROOT
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.stubborn import meeting

MESSAGE: Final = "Read notes/meeting.md and list the three things I have to do"

Entered = list[tuple[str, str]]
"""File and dotted name, each time a function was entered; a coroutine, each time it went on."""


async def journey() -> tuple[EndedFrame, Entered]:
    """Ask a bot of our own, whose model is a double of OpenAI's API; return its last word."""
    entered: Entered = []
    async with FakeOpenAI(meeting) as server:
        # A socket's path must be short, and a test's own folder is not.
        with tempfile.TemporaryDirectory(prefix="stonechat-") as folder:
            home = Path(folder)
            (home / "config.yaml").write_text(
                "models:\n"
                f"  main: {{provider: openai, model: m, base_url: '{server.base_url}',"
                f" key: '{server.key}'}}\n"
            )
            settings = read_settings(home, {"HOME": folder})
            with _watching(entered):
                async with attached(settings) as talk:
                    ended = await outcome(talk, MESSAGE, asyncio.Event(), None)
    return ended, entered


@contextmanager
def _watching(entered: Entered) -> Iterator[None]:
    known: dict[CodeType, tuple[str, str] | None] = {}

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            code = frame.f_code
            if code not in known:
                known[code] = _place(code)
            if place := known[code]:
                entered.append(place)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


def _place(code: CodeType) -> tuple[str, str] | None:
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT):
        return None
    return path.relative_to(ROOT).as_posix(), code.co_qualname
