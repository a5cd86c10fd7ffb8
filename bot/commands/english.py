"""The commands' sentences in English."""

from typing import Final

from bot.commands.sentences import CommandSentences, StatusSentences, TraceSentences
from bot.contracts.turn import Rank


def _waiting(waiting: int, busy: bool) -> str:
    words = "nothing waits" if waiting == 0 else f"{waiting:,} waiting"
    return f"{words}, {'one is being answered' if busy else 'idle'}"


ENGLISH: Final = CommandSentences(
    summaries={},
    ranks={
        Rank.MEMBER: "for members",
        Rank.ADMIN: "for admins",
        Rank.OWNER: "for the owner",
    },
    help_opening="Write to me as to anybody. A message that begins with one of these is for me:",
    commands_opening="Every command there is, and for whom:",
    status=StatusSentences(
        version="Version",
        model="Model",
        session="Session",
        chosen="Chosen here",
        queue="Queue",
        waiting=_waiting,
        sandbox="Programs",
        tools="Tools",
        tokens="Used here",
        spent=lambda given, got, calls: f"{given:,} tokens in, {got:,} out, {calls:,} model calls",
        by_default="nothing, all as configured",
        messages="mode",
    ),
    trace=TraceSentences(
        what_to_do="What to do:",
        only_direct="Ask me that in a direct chat: it is nobody's business but yours.",
        no_such="I know of no message of that name that you may see. /trace alone tells of your "
        "last one.",
        nothing_yet="There is nothing to tell of yet.",
    ),
)
