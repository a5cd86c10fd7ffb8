"""The prompt files: what of the workspace every model request carries, in order and capped."""

import asyncio
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bot.contracts.text import clean
from bot.workspace.protected import is_private
from bot.workspace.watch import FolderWatch

ALWAYS: Final = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md")
"""Read in this order, USER.md only in the owner's direct chats, the others in every session; a
line in the prompt says so when one is missing."""
PRIVATE: Final = ("BOOTSTRAP.md", "MEMORY.md")
"""Read after them, and only in the owner's direct chats; both may be missing."""

FILE_CHARS: Final = 12_000
TOTAL_CHARS: Final = 60_000
LEAST_CHARS: Final = 64
"""A file that would get less of the total than this is left out."""
READABLE_BYTES: Final = 2 * 1024 * 1024

_RULE: Final = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])\s|\b(?:always|never|must|do not|don't|only)\b"
    r"|必须|不要|禁止|只能|总是|永远",
    re.IGNORECASE,
)
_RULE_CHARS: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFile:
    """A file of the workspace as the model reads it, or one line that says why it cannot."""

    name: str
    text: str


class WorkspaceFiles:
    """Reads the prompt files of one workspace: again only after something in it was touched.

    Where nobody can say whether it was, they are read anew for every request: no
    time stamp is fine enough to notice two edits in one tick.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._watch: FolderWatch | None = None
        self._may_watch = True
        self._kept: dict[bool, tuple[PromptFile, ...]] = {}

    async def read(self, *, private: bool) -> tuple[PromptFile, ...]:
        """Return the files in the order of the prompt, capped; never fails because of a file."""
        self._forget_what_was_touched()
        kept = self._kept
        if private in kept:
            return kept[private]
        files, is_sure = await asyncio.to_thread(self._read, private=private)
        if self._may_watch and is_sure:
            kept[private] = files  # for nobody, if something was touched meanwhile
        return files

    def _forget_what_was_touched(self) -> None:
        if self._may_watch and (self._watch is None or self._watch.touched()):
            self._watch = FolderWatch.on(self._root)
            self._may_watch = self._watch is not None
            self._kept = {}

    def _read(self, *, private: bool) -> tuple[tuple[PromptFile, ...], bool]:
        """Read them, and say whether the watch would tell of every change to them."""
        names = tuple(name for name in ALWAYS + PRIVATE if private or not is_private(name))
        found = (PromptFile(name=name, text=self._text(name)) for name in names)
        return capped(found), not any(self._is_shared(name) for name in names)

    def _is_shared(self, name: str) -> bool:
        """Whether a file has a second name, through which it can be changed unseen."""
        try:
            return (self._root / name).lstat().st_nlink > 1
        except OSError:
            return False

    def _text(self, name: str) -> str:
        try:
            return _read_own_file(self._root / name).strip()
        except FileNotFoundError:
            return "" if name in PRIVATE else f"({name} is missing from the workspace)"
        except _Unreadable as error:
            return f"({name} {error})"
        except OSError as error:
            return f"({name} cannot be read: {error.strerror})"


class _Unreadable(Exception):
    """A prompt file is no text of its own; `str()` finishes a sentence that names it."""


def _read_own_file(path: Path) -> str:
    """Read a text file; a link is refused, since it may lead out of the workspace."""
    if path.is_symlink():
        raise _Unreadable("is a link, and only a file of its own is read")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _Unreadable("is not a file")
        content = file.read(READABLE_BYTES + 1)
    if len(content) > READABLE_BYTES:
        raise _Unreadable(f"is longer than {READABLE_BYTES} bytes and was not read")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Unreadable("is not a text file") from None
    if "\0" in text:
        raise _Unreadable("is not a text file")
    return clean(text)


def capped(files: Iterable[PromptFile]) -> tuple[PromptFile, ...]:
    """Cut each file to its share, leave out blank ones and those the total has no room for (pure).

    What is cut says so in its place, so that the model can read the rest itself.
    """
    kept: list[PromptFile] = []
    room = TOTAL_CHARS
    for file in files:
        limit = min(FILE_CHARS, room)
        if file.text and limit >= LEAST_CHARS:
            text = _cut(file, limit)
            kept.append(replace(file, text=text))
            room -= len(text)
    return tuple(kept)


def _cut(file: PromptFile, limit: int) -> str:
    """Shorten to *limit*: beginning and end stay, and the rules in between for AGENTS.md."""
    text = file.text
    if len(text) <= limit:
        return text
    mark = f"\n[… cut: {len(text)} characters in all, read {file.name} for the rest …]\n"
    room = limit - len(mark)
    if room <= 0:
        return text[:limit]
    if file.name != "AGENTS.md":
        head = room * 3 // 4
        return f"{text[:head]}{mark}{text[len(text) - (room - head) :]}"
    head, tail = room * 45 // 100, room * 15 // 100
    middle = _rules(text[head : len(text) - tail], room * 35 // 100)
    return f"{text[:head]}{mark}{middle}\n{text[len(text) - tail :]}"


def _rules(text: str, limit: int) -> str:
    """Return the lines that read like rules, each and all together held short."""
    lines: list[str] = []
    for line in text.splitlines():
        rule = line.strip()[:_RULE_CHARS]
        if _RULE.search(line) and len(rule) < limit:
            lines.append(rule)
            limit -= len(rule) + 1
    return "\n".join(lines)
