"""Which files a question is about, and what they ask of the person who asks."""

import re
from typing import Final

from bot.contracts.messages import ResultState
from bot.models.demo.tasks import tasks
from bot.models.demo.turn import Turn
from bot.models.demo.words import sources, words

_PATH: Final = re.compile(r"(?<![\w/:.-])[\w.~-]*/[\w./~-]*\w\.\w{1,8}\b", re.ASCII)
_LISTED: Final = re.compile(r"^(.+?)  [\d,]+$", re.MULTILINE)
_PAGE: Final = re.compile(r"\n\[lines [^\n]*; read on [^\n]*\]$")
_WORD: Final = re.compile(
    r"(?!notes|list|read|file|what|have|need|from|three|with|that)[a-z]{4,}|[一-鿿]{2}"
)
_MOST: Final = 8
"""Files looked through when the question names none."""


def asked_of(turn: Turn) -> list[str]:
    """Return a paragraph for each file; while calls are wanted, what there is so far."""
    if not turn.may("read_file", "list_files"):
        return [turn.say("no_files")]
    paths: list[str] = _PATH.findall(turn.said)
    if not paths:
        listing = turn.call("list_files", path=".", deep=True)
        if listing is None:
            return []
        if listing.state is not ResultState.OK:
            return [turn.say("unread", path="workspace", why=listing.text)]
        paths = _meant(turn.said, _LISTED.findall(listing.text))
        missing = words("file").search(turn.said)
        if not paths and missing:
            return [turn.say("no_such_file", path=missing[0])]
        if not paths or len(paths) > _MOST:
            return [turn.say("which" if paths else "no_notes", paths=", ".join(paths))]
    name = words("user_name").search(turn.request.system.stable)
    return [_paragraph(turn, path, name[1] if name else "") for path in dict.fromkeys(paths)]


def _meant(said: str, files: list[str]) -> list[str]:
    """Choose the files that are named, else those that sound like the question, else all notes."""
    said = said.casefold()
    named = [f for f in files if f.rpartition("/")[2].casefold() in said]
    if named or words("file").search(said):
        return [f for f in named if f.casefold() in said] or named
    notes = [f for f in files if words("note").search(f)]
    likeness = {f: _likeness(f.casefold(), said) for f in notes}
    return [f for f in notes if likeness[f] == max(likeness.values())]


def _likeness(path: str, said: str) -> int:
    """Count what a file's name and the question have in common (pure)."""
    pairs = [(a, b) for a in _WORD.findall(path) for b in _WORD.findall(said)]
    same: int = sum(a.startswith(b) or b.startswith(a) for a, b in pairs)
    return same + sum(bool(re.search(s, path) and re.search(s, said)) for s in sources("alike"))


def _paragraph(turn: Turn, path: str, me: str) -> str:
    read = turn.call("read_file", path=path)
    if read is None:
        return ""
    if read.state is not ResultState.OK:
        return turn.say("unread", path=path, why=read.text)
    found = tasks(_PAGE.sub("", read.text), me)
    lines = [turn.say("tasks" if found else "nothing", path=path)]
    if found:
        lines += ["", *(f"{number}. {task}" for number, task in enumerate(found, start=1))]
    if _PAGE.search(read.text):
        lines += ["", turn.say("cut", path=path)]
    return "\n".join(lines)
