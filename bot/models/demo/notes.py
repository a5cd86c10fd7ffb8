"""Which files a question is about, and what they ask of the person who asks."""

import re
from collections.abc import Sequence
from typing import Final

from bot.contracts.messages import ResultState
from bot.models.demo.tasks import tasks
from bot.models.demo.turn import Turn
from bot.models.demo.words import WORDS, words

_LISTED: Final = re.compile(r"^(.+?)  [\d,]+$", re.MULTILINE)
_CUT: Final = re.compile(r"\n\[lines [^\n]*; read on [^\n]*\]$")
_MOST: Final = 8
"""Files looked through when the question names none."""


def asked_of(turn: Turn) -> list[str]:
    """Return a paragraph for each file; while calls are wanted, what there is so far."""
    if not {"read_file", "list_files"} <= {tool.name for tool in turn.request.tools}:
        return [turn.say("no_files")]
    paths: Sequence[str] = [*turn.attached, *words("file", "path").findall(turn.said)]
    if not paths:
        listing = turn.call("list_files", path=".", deep=True)
        if listing is None or listing.state is not ResultState.OK:
            return [turn.say("unread", path=".", why=listing.text)] if listing else []
        paths = _meant(turn.said.casefold(), _LISTED.findall(listing.text))
    if not paths and (name := words("file", "name").search(turn.said)):
        return [turn.say("no_such_file", path=name[0])]
    if not paths or len(paths) > _MOST:
        return [turn.say("which" if paths else "no_notes", paths=", ".join(paths))]
    return [_paragraph(turn, path) for path in dict.fromkeys(paths)]


def _meant(said: str, files: Sequence[str]) -> Sequence[str]:
    """Choose the files that are named, else those that sound like the question, else all notes."""
    named = [f for f in files if f.rpartition("/")[2].casefold() in said]
    if named or words("file", "name").search(said):
        return named
    likeness = {f: _likeness(f.casefold(), said) for f in files if words("file", "note").match(f)}
    return [f for f in likeness if likeness[f] == max(likeness.values())]


def _likeness(path: str, said: str) -> int:
    """Count what the name of a file and a question have in common (pure)."""
    theirs, ours = ({*words("file", "word").findall(text)} for text in (path, said))
    alike: int = sum(
        bool(re.search(a, path) and re.search(a, said)) for a in WORDS["file"]["alike"]
    )
    same: int = sum(a.startswith(b) or b.startswith(a) for a in theirs for b in ours)
    return alike + same


def _paragraph(turn: Turn, path: str) -> str:
    read = turn.call("read_file", path=path)
    if read is None or read.state is not ResultState.OK:
        return turn.say("unread", path=path, why=read.text) if read else ""
    me = words("file", "user").search(turn.request.system.stable)
    found = tasks(_CUT.sub("", read.text), me[1] if me else "")
    lines = [f"{number}. {task}" for number, task in enumerate(found, start=1)]
    parts = [turn.say("asks" if found else "nothing", path=path), "\n".join(lines)]
    parts += [turn.say("cut", path=path)] if _CUT.search(read.text) else []
    return "\n\n".join(filter(None, parts))
