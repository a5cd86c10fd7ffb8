"""Replace one passage of a text file."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final

from pydantic import Field

from bot.contracts.errors import ToolError
from bot.contracts.tool import Effect, Probe, Tool, ToolContext
from bot.tools.arguments import Arguments
from bot.tools.changes import (
    FILE_LIMIT,
    WAIT_SECONDS,
    as_text,
    check_may_change,
    check_unchanged,
    difference,
)

_PLACES: Final = 200
"""How many places a probe looks at before it calls the matter unclear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditFile(Arguments):
    """Replace one passage of a text file of the workspace."""

    path: str
    """Path of the file, from the workspace's root."""
    old: Annotated[str, Field(min_length=1)]
    """The passage as it stands in the file, to the letter; it must occur exactly once."""
    new: str
    """What shall stand there instead; empty to remove the passage."""


async def _edit(context: ToolContext, args: EditFile) -> str:
    path = context.workspace.inside(args.path)
    check_may_change(context, path)
    async with context.workspace.writing():
        data = await context.workspace.read(path, limit=FILE_LIMIT)
        check_unchanged(context, path, data)
        before = as_text(data, path)
        after = _replaced(before, args)
        await context.workspace.write(path, after.encode())
        context.seen.note(context.session_key, path, after.encode())
    return f"{path} is changed:\n{difference(before, after)}"


def _replaced(text: str, args: EditFile) -> str:
    old, new = _with_line_ends_of(text, args)
    if old == new:
        raise ToolError("old and new are the same: there is nothing to change")
    places = list(islice(_places(text, old), 2))
    if not places:
        near = " (it does without the white space around)" if old.strip() in text else ""
        raise ToolError(
            f"{args.path!r} does not contain that passage{near}; "
            "read the file and copy the passage to the letter"
        )
    if len(places) > 1:
        raise ToolError(
            f"{args.path!r} contains that passage more than once; "
            "add lines around it until it is the only one"
        )
    return text[: places[0]] + new + text[places[0] + len(old) :]


async def _probe(context: ToolContext, args: EditFile) -> Probe:
    """Tell from the file as it stands whether the passage has been replaced.

    It may be what was before, if the passage occurs once; it may be what came
    after, if undoing the change at some place gives a text the edit would have
    accepted. Only if exactly one of these holds is the answer known.
    """
    try:
        path = context.workspace.inside(args.path)
        text = as_text(await context.workspace.read(path, limit=FILE_LIMIT), path)
    except ToolError:
        return Probe.UNCLEAR
    old, new = _with_line_ends_of(text, args)
    match _occurs_once(text, old), _may_be_result(text, old, new):
        case True, False:
            return Probe.NOT_DONE
        case False, True:
            return Probe.DONE
        case _:
            return Probe.UNCLEAR


def _may_be_result(text: str, old: str, new: str) -> bool:
    """Whether the edit could have made this text. What a removal left is found nowhere."""
    places = list(islice(_places(text, new), _PLACES + 1)) if new else []
    return (
        not new
        or len(places) > _PLACES
        or any(_occurs_once(text[:at] + old + text[at + len(new) :], old) for at in places)
    )


def _occurs_once(text: str, passage: str) -> bool:
    return len(list(islice(_places(text, passage), 2))) == 1


def _places(text: str, passage: str) -> Iterator[int]:
    """Every place of a passage, overlapping ones too."""
    at = text.find(passage)
    while at >= 0:
        yield at
        at = text.find(passage, at + 1)


def _with_line_ends_of(text: str, args: EditFile) -> tuple[str, str]:
    """Models write plain newlines; a file with CR LF is matched and kept as it is."""
    if "\r\n" in text and "\r\n" not in args.old:
        return args.old.replace("\n", "\r\n"), args.new.replace("\n", "\r\n")
    return args.old, args.new


edit_file = Tool(
    name="edit_file",
    description=EditFile.purpose(),
    guidance=(
        "Use it for a change inside a file you have read. "
        "Not for a new file or a complete rewrite (write_file)."
    ),
    effect=Effect.CHECKABLE,
    parameters=EditFile,
    run=_edit,
    probe=_probe,
    timeout_seconds=WAIT_SECONDS,
    summarise=lambda args: args.path,
)
