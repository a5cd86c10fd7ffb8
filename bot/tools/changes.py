"""What the tools that change a file agree on: what they may change, and how a change is shown."""

from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

from bot.contracts.errors import FileMissing, ToolDenied, ToolError
from bot.contracts.session import SessionKey
from bot.contracts.session_key import parse_key
from bot.contracts.tool import ToolContext
from bot.contracts.turn import Rank
from bot.tools.excerpt import cut_middle
from bot.workspace.protected import is_soul

FILE_LIMIT: Final = 2 * 1024 * 1024
"""Bytes of the largest file a tool reads or writes."""

WAIT_SECONDS: Final = 400.0
"""How long a writer may take: a shell command before it may need five minutes."""

_DIFFERENCE_LIMIT: Final = 4000
_COMPARED_LINES: Final = 1000
"""Beyond this a comparison line by line takes too long; its time grows with the square."""

_AROUND: Final = 3


def as_text(data: bytes, path: str) -> str:
    """Read bytes as text (pure).

    Raises:
        ToolError: it is something else.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ToolError(f"{path!r} is not a text file ({len(data):,} bytes)")
    return text


async def content(context: ToolContext, path: str) -> bytes | None:
    """Return what stands in a file now, or None where there is none."""
    try:
        return await context.workspace.read(path, limit=FILE_LIMIT)
    except FileMissing:
        return None


def check_may_change(context: ToolContext, path: str) -> None:
    """Keep the files that make the assistant who it is for its owner, in a direct chat (pure).

    Raises:
        ToolDenied: it is one of them, and this is somebody or somewhere else.
    """
    allowed = context.rank is Rank.OWNER and _is_direct(context.session_key)
    if is_soul(path) and not allowed:
        raise ToolDenied(
            f"{path!r} makes the assistant who it is: "
            "only its owner may have it changed, and only in a direct chat"
        )


def check_unchanged(context: ToolContext, path: str, now: bytes) -> None:
    """Refuse to write over what changed since this session read it.

    Raises:
        ToolError: it changed, with the difference.
    """
    known = context.seen.last(context.session_key, path)
    if known is not None and known != now:
        changed = difference(as_text(known, path), as_text(now, path))
        raise ToolError(f"{path!r} changed since you read it; read it again first:\n{changed}")


def difference(before: str, after: str) -> str:
    """Show what changed as a unified diff without file names, shortened (pure)."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        return "(only line ends differ)"
    start = max(_common(old, new) - _AROUND, 0)
    end = max(_common(old[start:][::-1], new[start:][::-1]) - _AROUND, 0)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) > _COMPARED_LINES:
        return f"(from line {start + 1} on, {len(old):,} lines became {len(new):,})"
    lines: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        (_, i, _, j, _), (_, _, i_end, _, j_end) = group[0], group[-1]
        lines.append(f"@@ -{start + i + 1},{i_end - i} +{start + j + 1},{j_end - j} @@")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[i1:i2]]
            else:
                lines += [f"-{line}" for line in old[i1:i2]]
                lines += [f"+{line}" for line in new[j1:j2]]
    return cut_middle("\n".join(lines), _DIFFERENCE_LIMIT)


def _common(one: list[str], other: list[str]) -> int:
    """How many lines both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_direct(session_key: SessionKey) -> bool:
    """Whether a session is somebody's direct chat; what is no session key is nobody's (pure)."""
    try:
        return parse_key(session_key).is_direct
    except ValueError:
        return False
