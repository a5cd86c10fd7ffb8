"""Frames on their way to one reader: in order, and never more than a slow one may owe us."""

import asyncio
from collections import deque
from typing import Final

_MOST_FRAMES: Final = 256
_MOST_CHARACTERS: Final = 1024 * 1024


class SlowReader(Exception):
    """The reader takes less than it is sent; it must come back and resume by its cursor."""


class Outgoing:
    """A queue with a measure. News never waits; what the store has anyway waits for room."""

    def __init__(self) -> None:
        self._frames: deque[str] = deque()
        self._characters = 0
        self._overflowed = False
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()

    def put(self, frame: str) -> None:
        """Queue *frame* at once; beyond the measure, `get` raises instead of ever giving it out."""
        if self._has_room(frame, _MOST_FRAMES, _MOST_CHARACTERS):
            self._frames.append(frame)
            self._characters += len(frame)
        else:
            self._overflowed = True
        self._filled.set()

    async def put_patiently(self, frame: str) -> None:
        """Queue *frame* when at least half of the measure is free for news."""
        while not self._has_room(frame, _MOST_FRAMES // 2, _MOST_CHARACTERS // 2):
            self._drained.clear()
            await self._drained.wait()
        self.put(frame)

    async def get(self) -> str:
        """Return the next frame, waiting for it.

        Raises:
            SlowReader: more was queued than the measure allows.
        """
        while not self._frames and not self._overflowed:
            self._filled.clear()
            await self._filled.wait()
        if self._overflowed:
            raise SlowReader
        frame = self._frames.popleft()
        self._characters -= len(frame)
        self._drained.set()
        return frame

    def _has_room(self, frame: str, most_frames: int, most_characters: int) -> bool:
        """Whether *frame* keeps to the measure; one alone always does, however long."""
        if not self._frames:
            return True
        return len(self._frames) < most_frames and self._characters + len(frame) <= most_characters
