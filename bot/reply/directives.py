"""What a model asks for inside its text, such as ``[[reply:<id>]]`` or ``[[silent]]``.

The grammar, names in any case, spaces allowed inside the brackets:

========================================  ==========================================
``[[reply:<id>]]``, ``[[reply_to:<id>]]``  answer that message
``[[reply:current]]``, ``[[reply_to_current]]``  answer the message that asked
``[[media:<url or path>]]``, a line ``MEDIA:<url or path>``  attach a file
``[[voice]]``, ``[[audio_as_voice]]``      send as a voice message
``[[channel:<name>]]``                     send it to a target of that name
``[[silent]]``, a line ``NO_REPLY``        say nothing
========================================  ==========================================

A directive is taken out with the line it is alone on, and nothing else is. In
code, or malformed, it is text; one forgotten closing bracket is forgiven.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.reply.marks import SLICE, Marks, beginnings, slices
from bot.reply.visible import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTo:
    """Answer this message; None is the one that asked."""

    message_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaRef:
    """Attach what lies there. A wish, not a permission: nobody has looked at the location."""

    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Send it as a voice message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToChannel:
    """Send it to the target of this name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """Say nothing."""


Directive = ReplyTo | MediaRef | Voice | ToChannel | Silent

_ALONE: Final = ("reply_to_current", "audio_as_voice", "voice", "silent")
_VALUED: Final = ("reply_to", "reply", "media", "channel")
_VALUE: Final = r"[^\[\]\n`]"
_LONGEST: Final = 4096
_LONGEST_ID: Final = 256
_KEPT: Final = 128
"""Readings that are kept: of the answers of as many turns as run at once."""
_INDENT: Final = r"(?<![^\n])[ \t]{0,32}"
_LINE: Final = r"(?<![^\n])[ \t]{0,3}"

_MARK: Final = re.compile(
    rf"(?P<lead>{_INDENT})?\[\[[ \t]*(?:(?P<alone>(?i:{'|'.join(_ALONE)}))"
    rf"|(?P<name>(?i:{'|'.join(_VALUED)}))[ \t]*:(?P<value>{_VALUE}{{1,{_LONGEST}}}))[ \t]*\]\]?"
    rf"|{_LINE}MEDIA:(?P<files>[^\n]*)(?=\n|\Z)"
    rf"|{_LINE}(?P<no_reply>[*_]{{0,3}}(?i:NO_REPLY)[*_]{{0,3}})[ \t]*(?=\n|\Z)"
)
_UNFINISHED: Final = re.compile(
    rf"(?:{_INDENT})?\[(?:\[[ \t]*(?:(?i:{beginnings((*_ALONE, *_VALUED))})?"
    rf"|(?i:{'|'.join(_ALONE)})[ \t]*\]?"
    rf"|(?i:{'|'.join(_VALUED)})[ \t]*(?::{_VALUE}{{0,{_LONGEST}}}\]?)?))?\Z"
    rf"|{_INDENT}\Z"
    rf"|{_LINE}(?:(?:{beginnings(['MEDIA:'])})|MEDIA:[^\n]*"
    rf"|[*_]{{1,3}}|[*_]{{0,3}}(?i:{beginnings(['NO_REPLY'])})|[*_]{{0,3}}(?i:NO_REPLY)[*_]{{0,3}}"
    r"[ \t]*)\Z"
)
_FILE: Final = re.compile(r""""([^"]+)"|'([^']+)'|`([^`]+)`|([^\s"'`]+)""")
_LOCATION: Final = re.compile(r".*[/.:].*")


@lru_cache(maxsize=_KEPT)
def read_directives(text: str) -> tuple[str, tuple[Directive, ...]]:
    """Return what people would see of a whole message, and what it asks for (pure).

    It is asked twice for an answer: whether it is one, and how it is laid out.

    Asking for silence beside words means nothing: then it is left out.
    """
    scan = Directives()
    shown = scan.feed(visible(text)) + scan.end()
    if shown.strip():
        return shown, tuple(found for found in scan.found if not isinstance(found, Silent))
    return shown, scan.found


class Directives:
    """One message while it is being written: feed it pieces, get the text without directives."""

    def __init__(self) -> None:
        self._marks = Marks(_MARK, _UNFINISHED, "[")
        self._found: list[Directive] = []
        self._blank: str | None = None
        """The white space of a line that so far held nothing but directives."""

    @property
    def found(self) -> tuple[Directive, ...]:
        """The directives so far, in their order."""
        return tuple(self._found)

    def feed(self, piece: str) -> str:
        """Take some more of the message; return the text that is sure to be no directive."""
        if len(piece) <= SLICE:
            return self._take(piece)
        return "".join(map(self._take, slices(piece)))

    def end(self) -> str:
        """The message is over: return what was kept back."""
        return self._advance(final=True)

    def _take(self, piece: str) -> str:
        self._marks.feed(piece)
        return self._advance(final=False)

    def _advance(self, *, final: bool) -> str:
        shown: list[str] = []
        while True:
            text, mark = self._marks.next(final=final)
            shown.append(self._show(text))
            if mark is None:
                return "".join(shown)
            directives = _read(mark)
            if not directives:
                shown.append(self._show(mark["mark"]))
                continue
            self._found += directives
            if self._blank is None and not self._marks.line.strip():
                self._blank = mark["lead"] or ""

    def _show(self, text: str) -> str:
        """Leave out the line break after a line that held nothing but directives."""
        if self._blank is None:
            return text
        text = self._blank + text
        words = text.lstrip(" \t")
        if not words:
            self._blank = text
            return ""
        self._blank = None
        return words[1:] if words.startswith("\n") else text


def _read(mark: re.Match[str]) -> list[Directive]:
    """What a mark asks for; nothing if it is malformed."""
    if mark["no_reply"]:
        return [Silent()]
    if mark["files"] is not None:
        return _media(mark["files"])
    if mark["alone"]:
        match mark["alone"].lower():
            case "reply_to_current":
                return [ReplyTo()]
            case "silent":
                return [Silent()]
            case _:
                return [Voice()]
    value = mark["value"].strip()
    match mark["name"].lower():
        case _ if not value:
            return []
        case "media":
            return [MediaRef(location=value)]
        case "channel":
            return [ToChannel(name=value)]
        case _ if len(value) > _LONGEST_ID:
            return []
        case _:
            return [ReplyTo(message_id=None if value.lower() == "current" else value)]


def _media(line: str) -> list[Directive]:
    """The files of a ``MEDIA:`` line; none if any of its words is no location."""
    files = [next(filter(None, match.groups())) for match in _FILE.finditer(line)]
    if not _FILE.sub("", line).strip() and all(map(_LOCATION.fullmatch, files)):
        return [MediaRef(location=file) for file in files]
    return []
