"""Find words in files.

The search is for plain text and not for a pattern: Python's regular
expressions cannot be interrupted, and one that a model made up may run for
ever. Names of files are matched by shell patterns, which cannot.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated, Final

from pydantic import Field

from bot.contracts.errors import ToolError
from bot.contracts.tool import Effect, FileEntry, Tool, ToolContext
from bot.contracts.turn import Rank
from bot.tools.arguments import Arguments
from bot.tools.changes import FILE_LIMIT, as_text
from bot.tools.excerpt import OUTPUT_LIMIT, cut_end

_MOST: Final = 100
"""Lines of one answer."""

_SECONDS: Final = 20.0
"""How long one search may take."""

_LINE: Final = 240
"""Characters shown of one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFiles(Arguments):
    """Search the text files of the workspace for a word or phrase, line by line."""

    text: Annotated[str, Field(min_length=1, max_length=500)]
    """The words as they stand in a line; plain text, not a regular expression."""
    path: str = "."
    """Search below this folder."""
    files: Annotated[str, Field(max_length=200)] = "*"
    """Search only files with such a name, for example ``*.md``."""
    match_case: bool = False
    """Whether capital and small letters differ."""


async def _search(context: ToolContext, args: SearchFiles) -> str:
    entries = await context.workspace.entries(args.path, deep=True)
    wanted = [entry for entry in entries if _fits(entry, args.files)]
    until = context.clock.monotonic() + _SECONDS
    hits: list[str] = []
    for entry in wanted:
        if context.clock.monotonic() > until:
            return _told(hits, f"stopped after {_SECONDS:g} seconds, at {entry.path}")
        for hit in _hits(await _text(context, entry), entry.path, args):
            if len(hits) == _MOST or sum(map(len, hits)) > OUTPUT_LIMIT - 2 * _LINE:
                return _told(hits, f"stopped at {len(hits)} hits, there are more")
            hits.append(hit)
    return _told(hits, "") if hits else f"no line contains {args.text!r} ({len(wanted):,} files)"


def _fits(entry: FileEntry, pattern: str) -> bool:
    if entry.is_folder or entry.size > FILE_LIMIT:
        return False
    return fnmatchcase(entry.path.rpartition("/")[2], pattern) or fnmatchcase(entry.path, pattern)


async def _text(context: ToolContext, entry: FileEntry) -> str:
    """What is not text, or went away, has nothing to be found."""
    try:
        return as_text(await context.workspace.read(entry.path, limit=FILE_LIMIT), entry.path)
    except ToolError:
        return ""


def _hits(text: str, path: str, args: SearchFiles) -> Iterator[str]:
    sought = args.text if args.match_case else args.text.casefold()
    if sought not in (text if args.match_case else text.casefold()):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        at = (line if args.match_case else line.casefold()).find(sought)
        if at >= 0:
            begin = max(at - _LINE // 2, 0)
            shown = ("…" if begin else "") + line[begin:].rstrip()
            yield f"{path}:{number}: {cut_end(shown, _LINE)}"


def _told(hits: list[str], remark: str) -> str:
    return "\n".join([*hits, f"[{remark}]"] if remark else hits)


search_files = Tool(
    name="search_files",
    description=SearchFiles.purpose(),
    guidance=(
        "Use it to find where something is written when you do not know the file. "
        "Not for a file whose path you know (read_file)."
    ),
    effect=Effect.PURE,
    least_rank=Rank.MEMBER,
    parameters=SearchFiles,
    run=_search,
    summarise=lambda args: args.text,
)
