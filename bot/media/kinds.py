"""What a file is, by its first bytes: a name is a claim."""

import codecs
import mimetypes
from typing import Final

HEAD: Final = 8_192
"""Bytes that are looked at."""

UNKNOWN: Final = "application/octet-stream"
PLAIN: Final = "text/plain"

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf'\x1c", "application/x-7z-compressed"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
)
"""First bytes and what they mean (https://mimesniff.spec.whatwg.org/)."""

_ZIP: Final = b"PK\x03\x04"
_RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BASE_MEDIA: Final = {b"heic": "image/heic", b"avif": "image/avif", b"M4A ": "audio/mp4"}
_CONTROLS: Final = frozenset(range(32)) - {*b"\t\n\v\f\r\x1b", 8}
_BOMS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NAMES: Final = mimetypes.MimeTypes(filenames=())
"""Python's own table, whatever the machine's says."""

_TEXT_BY_NAME: Final = frozenset({"application/json", "application/xml", "image/svg+xml"})
_MORE_TEXTS: Final = {
    ".md": "text/markdown",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def kind_of(head: bytes, name: str) -> str:
    """Say what a file is that begins with *head* (pure).

    The name decides only among texts, and among archives, which many formats are.
    """
    for signature, kind in _SIGNATURES:
        if head.startswith(signature) and not (len(signature) == 2 and is_text(head)):
            return kind
    if head[:4] == b"RIFF" and head[8:12] in _RIFF:
        return _RIFF[head[8:12]]
    if head[4:8] == b"ftyp":
        return _BASE_MEDIA.get(head[8:12], "video/mp4")
    named = _named(name)
    if head.startswith(_ZIP):
        office = named.startswith("application/vnd.") or named == "application/epub+zip"
        return named if office else "application/zip"
    if not is_text(head):
        return UNKNOWN
    return named if named.startswith("text/") or named in _TEXT_BY_NAME else PLAIN


def is_text(head: bytes) -> bool:
    """Whether it looks like text: no control characters but those of text, or UTF-16's mark."""
    return head.startswith(_BOMS) or _CONTROLS.isdisjoint(head)


def _named(name: str) -> str:
    ending = name[name.rfind(".") :].casefold()
    if ending in _MORE_TEXTS:
        return _MORE_TEXTS[ending]
    return _NAMES.guess_type(f"a{ending}", strict=True)[0] or UNKNOWN
