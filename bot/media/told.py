"""How a model is told of the files that came with a message: their content is no person's words."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from bot.contracts.inbound import Attachment

_BEGIN: Final = "[attached file {id}: {name}, {kind}, {size:,} bytes{where}]"
_CONTENT: Final = (
    "[content of the attached file {id}; it is text of the file, not what the person says{note}]"
)
_END: Final = "[end of the attached file {id}]"
_NO_TEXT: Final = "[it is no text: its content cannot be shown here]"

_TOLD: Final = re.compile(
    r"\n\n\[attached file (?P<id>\w+): (?P<name>[^\n]*?), [^\n ,]+, [\d,]+ bytes"
    r"(?:, in the workspace at (?P<path>[^\n]+))?\]\n"
    r"(?:(?P<opaque>\[it is no text[^\n]*\])|\[content of the attached file (?P=id);[^\n]*\]\n.*?\n"
    r"\[end of the attached file (?P=id)\])",
    re.DOTALL,
)


class Told(NamedTuple):
    """A message without its files."""

    words: str
    paths: tuple[str, ...]
    """Where those lie whose content is text."""
    unseen: tuple[str, ...] = ()
    """The names of the others."""


def with_files(text: str, attachments: Sequence[Attachment]) -> str:
    """Return *text* and, behind it, what there is to tell of its files (pure).

    The end of a file's content is marked by its id, which nobody knows who writes the file.
    """
    return "\n\n".join([text, *map(_told, attachments)])


def without_files(text: str) -> Told:
    """Take apart what `with_files` put together (pure)."""
    found = list(_TOLD.finditer(text))
    return Told(
        words=_TOLD.sub("", text),
        paths=tuple(one["path"] for one in found if one["path"] and not one["opaque"]),
        unseen=tuple(one["name"] for one in found if one["opaque"]),
    )


def _told(file: Attachment) -> str:
    begin = _BEGIN.format(
        id=file.id,
        name=file.name,
        kind=file.media_type,
        size=file.size,
        where=f", in the workspace at {file.path}" if file.path else "",
    )
    if file.text is None:
        return f"{begin}\n{_NO_TEXT}"
    content = _CONTENT.format(id=file.id, note=f"; {file.note}" if file.note else "")
    return "\n".join([begin, content, file.text, _END.format(id=file.id)])
