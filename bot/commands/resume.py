"""``/resume``: go back to what was before `/new`, or before a long silence."""

from collections.abc import Sequence
from typing import Final

from bot.commands.say import said, sentences, text
from bot.contracts.chapters import BackTo
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.document import ListBlock, ListItem
from bot.contracts.ledger import Chapter
from bot.contracts.turn import Rank, SessionChange

_LISTED: Final = 10


async def _resume(context: CommandContext, rest: str) -> CommandAnswer:
    """Bring back the latest chapter that is not this one, a chosen one, or list them."""
    words = sentences(context).resume
    chapters = await _others(context)
    if not chapters:
        return CommandAnswer(replies=(said(words.nothing),))
    if rest.casefold() in {"list", "列表"}:
        return CommandAnswer(replies=(said(words.listed, _list(chapters)),))
    chosen = _chosen(chapters, rest or "1")
    if chosen is None:
        return CommandAnswer(replies=(said(words.no_such(rest), _list(chapters)),))
    change = SessionChange(turns_to=BackTo(chapter=chosen.number))
    return CommandAnswer(replies=(said(words.back(_title(chosen))),), change=change)


async def _others(context: CommandContext) -> Sequence[Chapter]:
    """Return the chapters that one may go back to, the latest first."""
    if context.session is None:
        return ()
    chapters = await context.store.ledger.chapters(context.session.key, limit=_LISTED + 1)
    return [one for one in chapters if one.number != context.session.chapter][:_LISTED]


def _chosen(chapters: Sequence[Chapter], rest: str) -> Chapter | None:
    number = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < _LISTED else 0
    return chapters[number - 1] if 1 <= number <= len(chapters) else None


def _list(chapters: Sequence[Chapter]) -> ListBlock:
    rows = [
        ListItem(mark=f"{n}.", blocks=(text(f"{one.last_at:%Y-%m-%d %H:%M} {_title(one)}"),))
        for n, one in enumerate(chapters, start=1)
    ]
    return ListBlock(items=tuple(rows), ordered=True)


def _title(chapter: Chapter) -> str:
    return chapter.opening.strip().split("\n", 1)[0] or "…"


resume: Final = Command(
    name="resume",
    aliases=("继续",),
    summary="go back to what was before /new",
    arguments="[number] [list]",
    least_rank=Rank.MEMBER,
    run=_resume,
)
