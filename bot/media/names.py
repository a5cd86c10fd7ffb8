"""The name of a file that somebody sent, made harmless."""

import unicodedata
from typing import Final

LONGEST: Final = 100
"""Characters of a name; with four bytes each they stay below what file systems take (255 bytes
for most, and an ending of 16 bytes is kept)."""

_LONGEST_BYTES: Final = 200
_LONGEST_ENDING: Final = 16
_NOT_IN_NAMES: Final = frozenset('/\\:*?"<>|')
"""What is a separator, or no part of a name, on one system or another."""

NAMELESS: Final = "file"


def clean_name(name: str) -> str:
    """Return *name* as one harmless part of a path, never empty (pure).

    Only what stands behind the last slash counts. Control characters go, and with
    them the marks that turn the direction of writing (they make ``exe.txt`` look like
    ``txt.exe``), invisible characters and lone surrogates. A dot at the beginning, which
    hides a file, and dots and spaces at the end go too. A name that is too long loses its middle,
    not its ending.
    """
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(
        " " if letter.isspace() else letter
        for letter in unicodedata.normalize("NFC", last)
        if letter not in _NOT_IN_NAMES
        and (letter.isspace() or unicodedata.category(letter)[0] != "C")
    )
    plain = " ".join(kept.split()).strip(". ")
    return _shortened(plain) or NAMELESS


def _shortened(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem or len((dot + ending).encode()) > _LONGEST_ENDING:
        stem, dot, ending = name, "", ""
    stem = stem[: LONGEST - len(dot + ending)]
    while len(f"{stem}{dot}{ending}".encode()) > _LONGEST_BYTES:
        stem = stem[:-1]
    return f"{stem.rstrip('. ')}{dot}{ending}"
