"""The project's own pages as the architecture tests read them: blocks, links, names of files."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Final

from tests.architecture.source import ROOT

_FENCE: Final = re.compile(
    r"^( *)(```+|~~~+)(\w*) *([^\n]*)\n(.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL
)
_LINK: Final = re.compile(r"\[[^\]\n]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_HEADING: Final = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_NOT_IN_ANCHORS: Final = re.compile(r"[^\w\- ]")
_PATH: Final = re.compile(
    r"(?:bot|channels|config|docs|script|skills|systemd|tests|workspace-template|\.ci)/[\w./-]*"
)
"""A path from the root of the project; one with a ``<placeholder>`` ends before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced piece of code and the line it begins at."""

    line: int
    language: str
    remark: str
    """What stands behind the language; no reader sees it."""
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A Markdown file."""

    path: str
    text: str

    def blocks(self, language: str) -> Iterator[Block]:
        """Give the fenced blocks of *language*."""
        for found in _FENCE.finditer(self.text):
            if found[3] == language:
                line = self.text.count("\n", 0, found.start()) + 2
                code = dedent(found[5])
                yield Block(line=line, language=language, remark=found[4].strip(), code=code)

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _FENCE.sub("", self.text)

    def links(self) -> Iterator[str]:
        """Give the target of every link."""
        return (found[1] for found in _LINK.finditer(self.prose))

    def anchors(self) -> set[str]:
        """Return what a link may name after ``#``, made as GitHub makes it."""
        titles = (found[1].lower() for found in _HEADING.finditer(self.prose))
        return {_NOT_IN_ANCHORS.sub("", title).replace(" ", "-") for title in titles}

    def code(self) -> Iterator[str]:
        """Give every inline piece of code."""
        return (found[1] for found in _CODE.finditer(self.prose))

    def paths(self) -> Iterator[str]:
        """Give every path from the root that is written as inline code."""
        for code in self.code():
            for word in code.split():
                if found := _PATH.match(word.split("<")[0].split("*")[0]):
                    whole = word == found[0]
                    yield found[0].rstrip("/.") if whole else found[0].rpartition("/")[0]


@cache
def tracked() -> tuple[str, ...]:
    """Return every file of the project, from the root; without git, every one that lies there."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"],  # noqa: S607 - whichever git made this checkout
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return tuple(sorted(_unpacked()))
    return tuple(name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file())


def _unpacked() -> Iterator[str]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f != "__pycache__" and (f[0] != "." or f == ".ci")]
        yield from ((Path(folder) / name).relative_to(ROOT).as_posix() for name in names)


@cache
def pages() -> tuple[Page, ...]:
    """Return the pages for people who run or change the bot; the workspace's are the model's."""
    return tuple(
        Page(path=path, text=(ROOT / path).read_text("utf-8"))
        for path in _markdown()
        if not path.startswith("workspace-template/")
    )


def page(path: str) -> Page:
    """Return one page by its path from the root."""
    return Page(path=path, text=(ROOT / path).read_text("utf-8"))


def _markdown() -> Iterator[str]:
    return (name for name in tracked() if Path(name).suffix == ".md")
