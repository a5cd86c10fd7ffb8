"""The words of a file: which letters its bytes are, and how many of them a model is shown."""

import codecs
from typing import Final, NamedTuple

from bot.media.kinds import HEAD, is_text

MOST_CHARACTERS: Final = 16_000
"""Of one file, as much as a tool's result may have; its tools read the rest."""

MOST_BYTES: Final = 4 * MOST_CHARACTERS
"""No letter takes more than four."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MOSTLY: Final = 0.8
_PLAIN_TRAIL: Final = 0xA1


class Words(NamedTuple):
    """The beginning of a text, and what must be said of it in one sentence."""

    text: str
    note: str = ""


def words_of(beginning: bytes, size: int) -> Words | None:
    """Read the *beginning* of a file of *size* bytes, or return None if it is no text (pure).

    UTF-8, or UTF-16 with its mark; else GB18030, if the bytes stand in pairs as Chinese ones
    do; else what is not UTF-8 is replaced.
    """
    if not is_text(beginning[:HEAD]):
        return None
    whole = len(beginning) >= size
    text, guess = _decoded(beginning[:MOST_BYTES], whole=whole and size <= MOST_BYTES)
    shown = text.replace("\0", "\ufffd")[:MOST_CHARACTERS]
    notes = [guess] if guess else []
    if not whole or len(shown) < len(text) or size > MOST_BYTES:
        notes.append(f"only its first {len(shown):,} characters are shown")
    return Words(shown, "; ".join(notes))


def shortened(words: Words, most: int) -> Words:
    """Keep at most *most* characters, and say so (pure)."""
    if len(words.text) <= most:
        return words
    return Words(words.text[:most], f"only its first {most:,} characters are shown")


def _decoded(data: bytes, *, whole: bool) -> tuple[str, str]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding, whole=whole, errors="replace"), ""
    try:
        return _decode(data, "utf-8", whole=whole), ""
    except UnicodeDecodeError:
        pass
    if _in_pairs(data):
        try:
            return _decode(data, "gb18030", whole=whole), "it was read as GB18030"
        except UnicodeDecodeError:
            pass
    text = _decode(data, "utf-8", whole=whole, errors="replace")
    return text, "it is not UTF-8, and what could not be read stands as \ufffd"


def _decode(data: bytes, encoding: str, *, whole: bool, errors: str = "strict") -> str:
    """Decode; a letter that the cut halved is left out."""
    return codecs.getincrementaldecoder(encoding)(errors).decode(data, whole)


def _in_pairs(data: bytes) -> bool:
    """Whether the bytes beyond ASCII stand two by two, as in Chinese text.

    In the Latin encodings they stand alone among letters, which GB18030 would take for the
    second half of a rare character.
    """
    pairs = alone = at = 0
    while at < len(data):
        if data[at] < 0x80:
            at += 1
        elif at + 1 < len(data) and data[at + 1] >= _PLAIN_TRAIL:
            pairs += 1
            at += 2
        else:
            alone += 1
            at += 2
    return pairs > _MOSTLY * (pairs + alone)
