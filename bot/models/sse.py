"""Cuts the bytes of a stream into its events, wherever the network cut them (pure).

Event streams are those of https://html.spec.whatwg.org/multipage/server-sent-events.html: of an
event only its data is of interest here, since every API repeats the event's name in it.
"""

from typing import Final, Protocol

LONGEST: Final = 16 * 1024 * 1024
"""Bytes of one event. The longest honest one is a whole answer in one piece."""

_MARK: Final = b"\xef\xbb\xbf"
"""A byte order mark may begin a stream, and means nothing."""


class TooLong(ValueError):
    """An event has no end."""


class Framing(Protocol):
    """Finds the whole events in pieces of bytes. One for each stream."""

    def feed(self, piece: bytes) -> list[bytes]:
        """Take what came and return the data of the events that are whole now, in order.

        Raises:
            TooLong: there is more than `LONGEST` of one event.
        """
        ...

    def end(self) -> list[bytes]:
        """Return what is an event only because nothing follows."""
        ...


class Lines:
    """Whole lines, ended by LF, CRLF or CR, without their ends."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []
        self._size = 0
        self._after_return = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that are whole now.

        Raises:
            TooLong: there is more than `LONGEST` of one line.
        """
        if self._after_return and piece:
            piece = piece.removeprefix(b"\n")  # the second half of CRLF
            self._after_return = False
        if b"\r" in piece:
            self._after_return = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = piece.split(b"\n")
        if lines:
            lines[0] = b"".join((*self._begun, lines[0]))
            self._begun, self._size = [], 0
        self._begun.append(rest)
        self._size += len(rest)
        if self._size > LONGEST:
            raise TooLong
        return lines

    def end(self) -> bytes:
        """Return the line that nothing ended."""
        rest = b"".join(self._begun)
        self._begun, self._size = [], 0
        return rest


class EventStream:
    """Server-sent events. One that no blank line ends is none, and so is a comment."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._is_new = True
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that are whole now; see `Framing.feed`."""
        found: list[bytes] = []
        for line in self._lines.feed(piece):
            if self._is_new:
                line = line.removeprefix(_MARK)  # noqa: PLW2901 - it is no part of the line
                self._is_new = False
            if not line:
                self._dispatch(found)
            elif line.startswith(b"data:"):
                # One space after the colon belongs to the colon.
                self._take(line[6:] if line[5:6] == b" " else line[5:])
            elif line == b"data":
                self._take(b"")
        return found

    def end(self) -> list[bytes]:
        """Return nothing: an event without its blank line is thrown away (the standard, 9.2.6)."""
        return []

    def _take(self, data: bytes) -> None:
        self._data.append(data)
        self._size += len(data) + 1
        if self._size > LONGEST:
            raise TooLong

    def _dispatch(self, found: list[bytes]) -> None:
        if self._data:
            found.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
            self._data.clear()
            self._size = 0


class JsonLines:
    """One event a line (https://github.com/ndjson/ndjson-spec); blank ones are none."""

    def __init__(self) -> None:
        self._lines = Lines()

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that are whole now; see `Framing.feed`."""
        return [line for line in self._lines.feed(piece) if line.strip()]

    def end(self) -> list[bytes]:
        """Return the last line, which may lack its end."""
        rest = self._lines.end()
        return [rest] if rest.strip() else []
